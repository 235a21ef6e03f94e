package dev.blobmark.reencode;

/** A change that cannot begin or continue. The message states the place, the reason and what to do. */
public sealed class ReencodeException extends RuntimeException permits CopyEndedException {

    /** @param message of a process on another host */
    ReencodeException(String message) {
        super(message);
    }

    /** @param reason with what to do */
    ReencodeException(String place, String reason) {
        super(place + ": " + reason);
    }

    ReencodeException(String place, String reason, String remedy) {
        super(place + ": " + reason + "; " + remedy);
    }

    ReencodeException(String place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
    }
}
