package dev.blobmark.reencode;

/** A change that cannot begin or go on. The message states the place, the reason and what to do. */
public final class ReencodeException extends RuntimeException {

    ReencodeException(String place, String reason, String remedy) {
        super(place + ": " + reason + "; " + remedy);
    }

    ReencodeException(String place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
    }
}
