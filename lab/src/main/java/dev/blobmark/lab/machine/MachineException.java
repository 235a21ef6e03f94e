package dev.blobmark.lab.machine;

/** This machine cannot do what was requested. The message has the reason and the remedy. */
public final class MachineException extends RuntimeException {

    MachineException(String message, Throwable cause) {
        super(message, cause);
    }

    MachineException(String message) {
        this(message, null);
    }
}
