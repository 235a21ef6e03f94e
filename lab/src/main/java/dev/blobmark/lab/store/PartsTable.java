package dev.blobmark.lab.store;

/**
 * The table in which a cluster stores the part of each value that is not inline.
 *
 * @param inlineBytes bytes of each value in the main table
 * @param partBytes bytes of a value per row of this table
 * @param memoryBytes of this table in all data nodes together
 */
public record PartsTable(int inlineBytes, int partBytes, long memoryBytes) {}
