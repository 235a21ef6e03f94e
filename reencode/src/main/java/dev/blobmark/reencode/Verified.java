package dev.blobmark.reencode;

/**
 * What a comparison of all values with the checksums of a change found.
 *
 * @param ranges of rows
 * @param same those whose values are all as they were when the change read them
 * @param rows of all ranges now
 * @param unreadable values that could not be decoded
 * @param firstUnreadable the key of the first one; empty if there is none
 */
public record Verified(long ranges, long same, long rows, long unreadable, String firstUnreadable) {}
