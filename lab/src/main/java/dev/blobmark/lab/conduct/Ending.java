package dev.blobmark.lab.conduct;

/** How a run ended. */
public enum Ending {
    /** Every trial has its samples, or is not available here. */
    COMPLETE,
    /** At least one trial failed; the others have their samples. */
    TRIAL_FAILED,
    /** No trial failed, but at least one was offered more operations than could be done in time. */
    RATE_NOT_REACHED,
    /** {@link Laboratory#interrupt} was called; the samples until then are there. */
    INTERRUPTED,
    /** The server had more to do than the user's critical load; the samples until then are there. */
    CRITICAL_LOAD,
    /** The server's load, or the run's lock, could no longer be watched; the samples until then are there. */
    WATCH_LOST
}
