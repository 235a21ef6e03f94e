package dev.blobmark.cli;

import dev.blobmark.lab.conduct.Listener;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Trial;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressState;

/**
 * Shows the progress of a run on standard error: a bar with the time left on a terminal, a line now and then elsewhere.
 * The bar's unit is a second of the estimate.
 */
final class RunProgress implements Listener, AutoCloseable {

    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final int REFRESH_MILLIS = 200;
    private static final double STEPS_PER_SECOND = 100;

    /** Without a terminal: the share of the run between two lines. */
    private static final double LINE_SHARE = 0.1;

    private static final int BAR_COLUMNS = 20;
    private static final int NARROW_BAR_COLUMNS = 10;

    /** Below this width the bar is short, to leave room for the trial. */
    private static final int NARROW_COLUMNS = 99;

    private static final int WARNING_LINES = 3;

    private final PrintWriter err;
    private final OptionalInt columns;
    private boolean isRemote;
    private ProgressBar bar;
    private double expectedSeconds;
    private double doneSeconds;
    private double nextLineSeconds;
    private String step = "";

    /** By {@link #key}: the throughput of each measurement, if known. */
    private final Map<String, Integer> measured = new HashMap<>();

    private final Map<String, List<Double>> bytesPerSecond = new HashMap<>();

    /** @param columns of the terminal; empty for plain lines */
    RunProgress(PrintWriter err, OptionalInt columns) {
        this.err = err;
        this.columns = columns;
    }

    /** Names the links of conditions as those to a server on another host. */
    void setRemote(boolean remote) {
        isRemote = remote;
    }

    @Override
    public void runStarted(Path directory, Duration expected) {
        expectedSeconds = Math.max(1, expected.toMillis()) / 1e3;
        if (columns.isPresent()) {
            bar = new ProgressBarBuilder()
                    .setInitialMax((long) (expectedSeconds * STEPS_PER_SECOND))
                    .setRenderer(RunProgress::render)
                    // the activity changes more often than the share done
                    .continuousUpdate()
                    .setUpdateIntervalMillis(REFRESH_MILLIS)
                    .setConsumer(
                            new DelegatingProgressBarConsumer(line -> print(CLEAR_LINE + line), columns.getAsInt() - 1))
                    .build();
        }
    }

    @Override
    public void stepStarted(String started) {
        step = Visible.of(started);
        if (bar != null) {
            bar.setExtraMessage(step);
        } else if (doneSeconds >= nextLineSeconds) {
            line();
        }
    }

    /** {@code measuring lz4 (size=1MB), so far 1.7 GB/s, round 3 of 5}: the median of the rounds until now. */
    @Override
    public void trialStarted(Trial trial, String name, int rounds) {
        int round = measured.getOrDefault(key(trial), 0) + 1;
        List<Double> figures = bytesPerSecond.getOrDefault(key(trial), List.of());
        stepStarted("measuring " + name
                + (figures.isEmpty()
                        ? ""
                        : ", so far " + rate(figures.stream().sorted().toList().get(figures.size() / 2)))
                + ", round " + round + (round <= rounds ? " of " + rounds : ""));
    }

    /** The method and the condition: the id of a trial is that of its condition. */
    private static String key(Trial trial) {
        return trial.method() + " " + trial.id();
    }

    private static String rate(double bytesPerSecond) {
        return bytesPerSecond >= 1e9
                ? String.format(Locale.ROOT, "%.1f GB/s", bytesPerSecond / 1e9)
                : String.format(Locale.ROOT, bytesPerSecond >= 1e7 ? "%.0f MB/s" : "%.2f MB/s", bytesPerSecond / 1e6);
    }

    @Override
    public void workDone(double seconds) {
        // a line is printed when the next step begins, or when enough of this one is done
        boolean due = doneSeconds >= nextLineSeconds;
        doneSeconds += seconds;
        if (bar != null) {
            bar.stepTo((long) (doneSeconds * STEPS_PER_SECOND));
        } else if (due) {
            line();
        }
    }

    @Override
    public void workAdded(double seconds) {
        expectedSeconds += seconds;
        if (bar != null) {
            bar.maxHint((long) (expectedSeconds * STEPS_PER_SECOND));
        }
    }

    private void line() {
        print(percent(doneSeconds, expectedSeconds) + ", " + left(doneSeconds, expectedSeconds) + " left: " + step
                + System.lineSeparator());
        double interval = expectedSeconds * LINE_SHARE;
        nextLineSeconds = Math.floor(doneSeconds / interval + 1) * interval;
    }

    /** {@code 43 % [========= ] 52 s left: loading}, no wider than the terminal. */
    static String render(ProgressState state, int columns) {
        double done = state.getCurrent() / STEPS_PER_SECOND;
        double expected = state.getMax() / STEPS_PER_SECOND;
        int bar = columns < NARROW_COLUMNS ? NARROW_BAR_COLUMNS : BAR_COLUMNS;
        int filled = (int) (Math.min(1, done / expected) * bar);
        String line = percent(done, expected) + " [" + "=".repeat(filled) + " ".repeat(bar - filled) + "] "
                + left(done, expected) + " left"
                + (state.getExtraMessage().isEmpty() ? "" : ": " + state.getExtraMessage());
        return line.substring(0, Math.min(line.length(), columns));
    }

    /** To two digits: {@code 0.93 %}, {@code 540 %}. */
    static String percent(double share) {
        return BigDecimal.valueOf(100 * share).round(new MathContext(2)).toPlainString() + " %";
    }

    private static String percent(double done, double expected) {
        return String.format(Locale.ROOT, "%3.0f %%", 100 * Math.min(1, done / expected));
    }

    /**
     * The time left by the estimate. The pace until now is no good predictor, because some phases are estimated better
     * than others.
     */
    private static String left(double done, double expected) {
        return PlanText.about(Duration.ofMillis(Math.round(1e3 * Math.max(0, expected - done))));
    }

    @Override
    public void sampleRecorded(Sample sample) {
        measured.merge(key(sample.trial()), 1, Integer::sum);
        sample.operations().keySet().stream()
                .findFirst()
                .ifPresent(operation -> sample.value(Metric.THROUGHPUT, operation)
                        .ifPresent(figure -> bytesPerSecond
                                .computeIfAbsent(key(sample.trial()), key -> new ArrayList<>())
                                .add(figure)));
        Outcome outcome = sample.outcome();
        if (outcome instanceof Outcome.Failed || outcome instanceof Outcome.Saturated) {
            String what = outcome.word() + ": " + sample.method() + " (" + Link.inWords(sample.condition(), isRemote)
                    + "): " + outcome.reason();
            print((bar == null ? "" : CLEAR_LINE) + Visible.of(what) + System.lineSeparator());
        }
    }

    /** Limited, so that the rest of the output stays on the screen. */
    @Override
    public void noiseFound(List<Finding> warnings) {
        if (warnings.isEmpty()) {
            return;
        }
        int shown = warnings.size() > WARNING_LINES ? WARNING_LINES - 1 : warnings.size();
        StringBuilder lines = new StringBuilder(bar == null ? "" : CLEAR_LINE);
        for (Finding warning : warnings.subList(0, shown)) {
            lines.append(String.format("warning: %s: %s%n", warning.what(), Visible.of(warning.observed())));
        }
        if (shown < warnings.size()) {
            lines.append(String.format("warning: %d more; see 'blobmark doctor'%n", warnings.size() - shown));
        }
        print(lines.toString());
    }

    @Override
    public void noticeIssued(String notice) {
        print((bar == null ? "" : CLEAR_LINE) + Visible.of(notice) + System.lineSeparator());
    }

    @Override
    public void precisionReported(List<Manifest.ConditionPrecision> conditions) {
        end();
        long reached =
                conditions.stream().filter(Manifest.ConditionPrecision::reached).count();
        print("Precise enough under " + reached + " of " + conditions.size() + " conditions"
                + (reached == conditions.size() ? "." : "; not under:") + System.lineSeparator());
        conditions.stream().filter(condition -> !condition.reached()).forEach(condition -> {
            String width = condition.halfWidth().isEmpty()
                    ? "no interval"
                    : String.format(
                            Locale.ROOT,
                            "± %.2g %%",
                            100 * condition.halfWidth().getAsDouble());
            print(Visible.of("  " + Link.inWords(condition.condition(), isRemote) + ": " + width + " after "
                            + condition.forks() + " forks: " + condition.reason())
                    + System.lineSeparator());
        });
    }

    private synchronized void print(String text) {
        err.print(text);
        err.flush();
    }

    @Override
    public void close() {
        end();
    }

    /** Removes the bar, before something else is printed. */
    void end() {
        if (bar != null) {
            bar.close();
            bar = null;
            print(CLEAR_LINE);
        }
    }
}
