package dev.blobmark.fleet.host;

import java.io.Serializable;

/**
 * How many values of each size class a sketch keeps.
 *
 * @param values distinct values at most
 * @param bytes of them at most; three values are kept in any case
 */
public record SampleSize(int values, long bytes) implements Serializable {}
