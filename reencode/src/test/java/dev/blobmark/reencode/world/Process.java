package dev.blobmark.reencode.world;

/** A process of Blobmark. */
final class Process {

    final String name;
    boolean isKilled;

    /** The session with the lock of the change. */
    Session asking;

    /** What reads the log; null without. */
    Coroutine reading;

    ModelLogEvents events;

    /** Events that the reader may take before it is interrupted. */
    int readable;

    Process(String name) {
        this.name = name;
    }

    /** Ends a process wherever it is. What it would still do fails in the same way. */
    static final class KilledError extends Error {
        KilledError() {
            super("killed", null, false, false);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
