package dev.blobmark.lab.admission;

/** Ends what works on a server, for the sake of its other users. Called on a thread of the watch, each method once at most. */
@FunctionalInterface
public interface Alarm {

    /** @param excess what is over the critical load, such as {@code threads_running = 60 > 50} */
    void critical(String excess);

    /**
     * The load cannot be read, or another run may have taken this one for dead.
     *
     * @param reason in words
     */
    default void lost(String reason) {
        critical(reason);
    }
}
