package dev.blobmark.lab.conduct;

/** How a run ended. */
public enum Ending {
    /** Every trial has its samples, or is unavailable here. */
    COMPLETE,
    /** At least one trial failed. The others have their samples. */
    TRIAL_FAILED,
    /** No trial failed, but at least one did not reach its rate of operations. */
    RATE_NOT_REACHED,
    /** {@link Laboratory#interrupt} was called. Earlier samples are kept. */
    INTERRUPTED,
    /** The server's load exceeded the user's critical load. Earlier samples are kept. */
    CRITICAL_LOAD,
    /** The server's load or the run's lock could no longer be watched. Earlier samples are kept. */
    WATCH_LOST
}
