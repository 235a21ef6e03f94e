package dev.blobmark.lab.store;

/** A server created another table than was requested. The message contains what the server reports. */
public final class DowngradeException extends RuntimeException {

    public DowngradeException(String message) {
        super(message);
    }
}
