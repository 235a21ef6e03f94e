package dev.blobmark.lab.store;

/**
 * The table in which a cluster keeps what of its values is not inline.
 *
 * @param inlineBytes so many bytes of each value lie in the main table
 * @param partBytes so many of the rest in each row here
 * @param memoryBytes that it takes in all data nodes together
 */
public record PartsTable(int inlineBytes, int partBytes, long memoryBytes) {}
