package dev.blobmark.lab.store;

/** A value differs from the one that was stored. A trial that reads such a value fails. */
public final class WrongValueException extends RuntimeException {

    public WrongValueException(String message) {
        super(message);
    }
}
