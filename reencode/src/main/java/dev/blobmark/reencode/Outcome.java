package dev.blobmark.reencode;

/**
 * How a change ended.
 *
 * @param isComplete whether all rows are done; otherwise the same command continues
 * @param last how far it is
 */
public record Outcome(boolean isComplete, Progress last) {}
