package dev.blobmark.lab.survey;

/** Why a survey ended. */
public enum SurveyEnding {
    COMPLETE,
    MAX_READ,
    INTERRUPTED,
    CRITICAL_LOAD,
    WATCH_LOST
}
