package dev.blobmark.cli;

import dev.blobmark.analysis.survey.ColumnFinding;
import dev.blobmark.lab.survey.FoundColumn;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyListener;
import dev.blobmark.lab.survey.SurveyedColumn;
import java.time.Duration;

/** Shows the progress of a survey as that of a run. The time left follows from the columns that were read. */
final class SurveyProgress implements SurveyListener {

    /** Seconds for a column, until one has been read. */
    private static final double USUAL_SECONDS = 2;

    private final RunProgress progress;
    private int columns;
    private int done;
    private double expectedSeconds;
    private double doneSeconds;
    private long startedNanos;
    private double saving;

    SurveyProgress(RunProgress progress) {
        this.progress = progress;
    }

    @Override
    public void columnsFound(int found, SurveyDirectory directory) {
        columns = found;
        expectedSeconds = USUAL_SECONDS * found;
        progress.runStarted(directory.path(), Duration.ofMillis(Math.round(1e3 * expectedSeconds)));
    }

    /** {@code column 12 of 187, shop.orders.doc, so far 41 GB could be saved}. */
    @Override
    public void columnStarted(FoundColumn column, int number) {
        startedNanos = System.nanoTime();
        progress.stepStarted("column " + number + " of " + columns + ", "
                + column.dataset().name() + (saving > 0 ? ", so far " + amount(saving) + " could be saved" : ""));
    }

    private static String amount(double bytes) {
        double mb = bytes / (1 << 20);
        return mb < 1024 ? Math.round(mb) + " MB" : Math.round(mb / 1024) + " GB";
    }

    @Override
    public void columnRecorded(SurveyedColumn column) {
        saving += ColumnFinding.of(column)
                .filter(ColumnFinding::isWorthALook)
                .map(finding -> finding.saving().value())
                .orElse(0.0);
        double took = (System.nanoTime() - startedNanos) / 1e9;
        done++;
        doneSeconds += took;
        double expected = doneSeconds + doneSeconds / done * (columns - done);
        progress.workAdded(expected - expectedSeconds);
        expectedSeconds = expected;
        progress.workDone(took);
    }

    @Override
    public void noticeIssued(String notice) {
        progress.noticeIssued(notice);
    }
}
