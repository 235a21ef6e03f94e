package dev.blobmark.lab.store;

/** A value that is not the one that was stored. A fast wrong answer is worth nothing, so a trial that meets one fails. */
public final class WrongValueException extends RuntimeException {

    public WrongValueException(String message) {
        super(message);
    }
}
