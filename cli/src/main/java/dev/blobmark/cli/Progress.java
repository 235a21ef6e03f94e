package dev.blobmark.cli;

import dev.blobmark.lab.Listener;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows on standard error how a run goes on: a bar with the time left on a terminal, a line now and then elsewhere. The
 * bar's unit is a second of the estimate.
 */
final class Progress implements Listener, AutoCloseable {

    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final int REFRESH_MILLIS = 200;
    private static final double STEPS_PER_SECOND = 100;

    /** Off a terminal, so much of the run passes between two lines. */
    private static final double LINE_INTERVAL = 0.1;

    private final PrintWriter err;
    private final OptionalInt columns;
    private ProgressBar bar;
    private double expectedSeconds;
    private double doneSeconds;
    private double nextLine = LINE_INTERVAL;
    private String doing = "";

    /** @param columns of the terminal; empty for plain lines */
    Progress(PrintWriter err, OptionalInt columns) {
        this.err = err;
        this.columns = columns;
    }

    @Override
    public void started(Path directory, Duration expected) {
        expectedSeconds = expected.toMillis() / 1e3;
        if (columns.isPresent()) {
            bar = new ProgressBarBuilder()
                    .setInitialMax((long) (expectedSeconds * STEPS_PER_SECOND))
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(REFRESH_MILLIS)
                    .setConsumer(
                            new DelegatingProgressBarConsumer(line -> print(CLEAR_LINE + line), columns.getAsInt() - 1))
                    .build();
        }
    }

    @Override
    public void doing(String what) {
        doing = what;
        if (bar != null) {
            bar.setExtraMessage(what);
        } else if (doneSeconds == 0) {
            line();
        }
    }

    @Override
    public void done(double seconds) {
        doneSeconds += seconds;
        if (bar != null) {
            bar.stepTo((long) (doneSeconds * STEPS_PER_SECOND));
        } else if (doneSeconds / expectedSeconds >= nextLine) {
            line();
            nextLine = Math.floor(doneSeconds / expectedSeconds / LINE_INTERVAL + 1) * LINE_INTERVAL;
        }
    }

    private void line() {
        double share = Math.min(1, doneSeconds / Math.max(1e-9, expectedSeconds));
        print(String.format(Locale.ROOT, "%3.0f %%  %s%n", 100 * share, doing));
    }

    @Override
    public void measured(Sample sample) {
        if (sample.outcome() instanceof Outcome.Failed failed) {
            String what = "failed: " + sample.method() + " (" + sample.condition() + "): " + failed.reason();
            print((bar == null ? "" : CLEAR_LINE) + what + System.lineSeparator());
        }
    }

    private synchronized void print(String text) {
        err.print(text);
        err.flush();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            print(CLEAR_LINE);
        }
    }
}
