package dev.blobmark.reencode.failure;

/** A process on another host has ended. The others end then, and all are started again. */
public final class HostLostException extends RuntimeException {

    public HostLostException(String reason) {
        super(reason);
    }
}
