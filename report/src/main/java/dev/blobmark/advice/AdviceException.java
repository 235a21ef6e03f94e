package dev.blobmark.advice;

/** An advice cannot be given. The message names the reason and what to do. */
public final class AdviceException extends RuntimeException {

    public AdviceException(String message) {
        super(message);
    }
}
