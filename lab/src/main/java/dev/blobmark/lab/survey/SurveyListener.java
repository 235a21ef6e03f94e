package dev.blobmark.lab.survey;

/** Receives the progress of a survey, on its thread. */
public interface SurveyListener {

    /** @param columns that are still to be read */
    void columnsFound(int columns, SurveyDirectory directory);

    /** @param number from 1 */
    void columnStarted(FoundColumn column, int number);

    void columnRecorded(SurveyedColumn column);

    /** A line for the user. */
    void noticeIssued(String notice);
}
