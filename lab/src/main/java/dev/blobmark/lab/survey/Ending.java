package dev.blobmark.lab.survey;

/** Why a survey ended. */
public enum Ending {
    COMPLETE,
    MAX_READ,
    INTERRUPTED,
    CRITICAL_LOAD,
    WATCH_LOST
}
