package dev.blobmark.lab.admission;

/** A server had more to do than the user's critical load, before anything was measured that could be kept. */
public final class CriticalLoadException extends RuntimeException {

    CriticalLoadException(String excess) {
        super("ended by --critical-load: " + excess);
    }
}
