package dev.blobmark.lab.store;

/** A server made another table than it was asked for; the message has the server's own words. */
public final class DowngradeException extends RuntimeException {

    public DowngradeException(String message) {
        super(message);
    }
}
