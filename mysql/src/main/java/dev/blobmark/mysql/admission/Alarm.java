package dev.blobmark.mysql.admission;

/** Ends work on a server to protect its other users. Called on a thread of the watch, each method at most once. */
@FunctionalInterface
public interface Alarm {

    /** @param excess the limits that are exceeded, such as {@code threads_running = 60 > 50} */
    void critical(String excess);

    /**
     * The load cannot be read, or another run may have mistaken this one for dead.
     *
     * @param reason as a text
     */
    default void lost(String reason) {
        critical(reason);
    }
}
