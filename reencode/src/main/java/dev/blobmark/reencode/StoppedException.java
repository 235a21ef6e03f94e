package dev.blobmark.reencode;

/** Ends the work before the last row. What was committed stays, and the same command continues there. */
final class StoppedException extends RuntimeException {

    StoppedException(String reason) {
        super(reason);
    }
}
