package dev.blobmark.reencode.binlog;

/**
 * The binary log cannot be followed with certainty from here on: it has something that is not understood and could be a
 * change of the table, or something is missing. Reading it again gives the same.
 */
public final class IncompleteLogException extends RuntimeException {

    /** @param reason with the place in the log */
    public IncompleteLogException(String reason) {
        super(reason);
    }

    public IncompleteLogException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
