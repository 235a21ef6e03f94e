package dev.blobmark.reencode.failure;

/** A change that cannot begin or continue. The message states the place, the reason and what to do. */
public sealed class ReencodeException extends RuntimeException permits CopyEndedException {

    /** @param message of a process on another host */
    public ReencodeException(String message) {
        super(message);
    }

    /** @param reason with what to do */
    public ReencodeException(String place, String reason) {
        super(place + ": " + reason);
    }

    public ReencodeException(String place, String reason, String remedy) {
        super(place + ": " + reason + "; " + remedy);
    }

    public ReencodeException(String place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
    }
}
