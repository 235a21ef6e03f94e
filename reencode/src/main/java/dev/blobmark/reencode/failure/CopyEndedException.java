package dev.blobmark.reencode.failure;

/**
 * A copy that cannot be completed with certainty: it was ended before the exchange, and the application's table is the
 * one that it was.
 */
public final class CopyEndedException extends ReencodeException {

    public CopyEndedException(String place, String reason, Throwable cause) {
        super(
                place,
                reason + ". Nothing was exchanged, and the table is as the application left it",
                "take the copy back with --revert, and begin again when the cause is removed",
                cause);
    }

    public CopyEndedException(String place, String reason) {
        this(place, reason, null);
    }
}
