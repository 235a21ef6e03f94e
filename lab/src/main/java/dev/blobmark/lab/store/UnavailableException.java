package dev.blobmark.lab.store;

/** A server or its file system does not have what a layout or column needs. No failure; the message says what is missing. */
public final class UnavailableException extends RuntimeException {

    public UnavailableException(String message) {
        super(message);
    }
}
