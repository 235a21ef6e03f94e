package dev.blobmark.reencode.failure;

/** Ends the work before the last row. What was committed stays, and the same command continues there. */
public final class StoppedException extends RuntimeException {

    public StoppedException(String reason) {
        super(reason);
    }
}
