package dev.blobmark.advice;

/** Who can read stored values, the easiest first. */
public enum Reading {
    /** Every client, as before. */
    ANY_CLIENT,
    /** Every client, with {@code UNCOMPRESS()} in the query. */
    SQL_FUNCTION,
    /** Clients that have the codec's library. */
    LIBRARY
}
