package dev.blobmark.mysql.admission;

/** The load of a server, or the lock or key of a live run, can no longer be watched. Work on the server must end. */
public final class WatchLostException extends RuntimeException {

    public WatchLostException(String reason) {
        super(reason);
    }
}
