package dev.blobmark.reencode;

/** A process on another host has ended. The others end then, and all are started again. */
final class HostLostException extends RuntimeException {

    HostLostException(String reason) {
        super(reason);
    }
}
