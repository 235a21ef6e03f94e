package dev.blobmark.lab.admission;

/** The load of a server, or the sign that a run is alive on it, can no longer be watched: work on it has to end. */
public final class WatchLostException extends RuntimeException {

    WatchLostException(String reason) {
        super(reason);
    }
}
