package dev.blobmark.cli;

import dev.blobmark.reencode.column.StoredColumn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** Shows how much of a column was read as the progress of a run. The number of rows is the server's estimate. */
final class CensusProgress {

    /** Until some were read, in rows per second. */
    private static final double USUAL_ROWS = 10_000;

    private final RunProgress progress;
    private final String column;
    private final long estimatedRows;
    private final long startedNanos = System.nanoTime();
    private double expectedSeconds;
    private double doneSeconds;

    CensusProgress(RunProgress progress, StoredColumn column) {
        this.progress = progress;
        this.column = column.name();
        estimatedRows = column.estimatedRows();
        expectedSeconds = estimatedRows / USUAL_ROWS;
        progress.runStarted(Path.of(""), Duration.ofMillis(Math.round(1e3 * expectedSeconds)));
        progress.stepStarted("reading all values of " + this.column);
    }

    /** {@code reading shop.orders.payload, row 12,000 of about 100,000}. */
    void rowsRead(long rows) {
        double took = (System.nanoTime() - startedNanos) / 1e9;
        double expected = took * Math.max(rows, estimatedRows) / rows;
        progress.workAdded(expected - expectedSeconds);
        progress.workDone(took - doneSeconds);
        expectedSeconds = expected;
        doneSeconds = took;
        progress.stepStarted(String.format(
                Locale.ROOT,
                rows < estimatedRows ? "reading %s, row %,d of about %,d" : "reading %s, row %,d",
                column,
                rows,
                estimatedRows));
    }
}
