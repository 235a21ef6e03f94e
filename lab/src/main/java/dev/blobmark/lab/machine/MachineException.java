package dev.blobmark.lab.machine;

/** What this machine cannot do, or did not do though it was told to; the message has the reason and the mend. */
public final class MachineException extends RuntimeException {

    MachineException(String message, Throwable cause) {
        super(message, cause);
    }

    MachineException(String message) {
        this(message, null);
    }
}
