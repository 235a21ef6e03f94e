package dev.blobmark.value;

/** A dictionary that could not be read, stored or deleted. */
public final class DictionaryException extends RuntimeException {

    DictionaryException(String message) {
        super(message);
    }

    DictionaryException(String message, Throwable cause) {
        super(message, cause);
    }
}
