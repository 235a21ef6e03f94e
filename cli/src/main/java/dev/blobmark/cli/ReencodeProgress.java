package dev.blobmark.cli;

import dev.blobmark.reencode.Progress;
import dev.blobmark.reencode.ReencodeListener;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/**
 * Shows how far a change is: a line that is renewed each second on a terminal, a line after each tenth elsewhere. The
 * unit of the bar is a thousandth of the rows.
 */
final class ReencodeProgress implements ReencodeListener, AutoCloseable {

    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final int STEPS = 1_000;
    private static final int BAR_COLUMNS = 10;
    private static final double LINE_SHARE = 0.1;

    private final PrintWriter err;
    private final OptionalInt columns;
    private ProgressBar bar;
    private double nextLineShare;

    /** @param columns of the terminal; empty for plain lines */
    ReencodeProgress(PrintWriter err, OptionalInt columns) {
        this.err = err;
        this.columns = columns;
    }

    @Override
    public void progressed(Progress progress) {
        double share = progress.tableRows() == 0 ? 1 : Math.min(1, (double) progress.rows() / progress.tableRows());
        if (columns.isEmpty()) {
            if (share >= nextLineShare) {
                nextLineShare = Math.floor(share / LINE_SHARE + 1) * LINE_SHARE;
                print(String.format(Locale.ROOT, "%3.0f %%, %s%n", 100 * share, inWords(progress)));
            }
            return;
        }
        if (bar == null) {
            bar = new ProgressBarBuilder()
                    .setInitialMax(STEPS)
                    .setRenderer((state, width) -> {
                        double done = state.getCurrent() / (double) STEPS;
                        int filled = (int) (done * BAR_COLUMNS);
                        String line = String.format(
                                Locale.ROOT,
                                "%3.0f %% [%s%s] %s",
                                100 * done,
                                "=".repeat(filled),
                                " ".repeat(BAR_COLUMNS - filled),
                                state.getExtraMessage());
                        return line.substring(0, Math.min(line.length(), width));
                    })
                    .continuousUpdate()
                    .setConsumer(
                            new DelegatingProgressBarConsumer(line -> print(CLEAR_LINE + line), columns.getAsInt() - 1))
                    .build();
        }
        bar.setExtraMessage(inWords(progress));
        bar.stepTo(Math.round(share * STEPS));
    }

    /** {@code 3 min left: 120,000 rows, 3.4 times smaller, 41 MB/s, paused 50 %}. */
    static String inWords(Progress progress) {
        StringBuilder words = new StringBuilder();
        progress.secondsLeft()
                .ifPresent(left -> words.append(Plan.about(Duration.ofMillis(Math.round(1e3 * left))))
                        .append(" left: "));
        words.append(String.format(Locale.ROOT, "%,d rows", progress.rows()));
        if (progress.changed() > 0 && progress.bytesAfter() > 0) {
            double ratio = (double) progress.bytesBefore() / progress.bytesAfter();
            words.append(
                    ratio >= 1
                            ? String.format(Locale.ROOT, ", %.2g times smaller", ratio)
                            : String.format(Locale.ROOT, ", %.2g times larger", 1 / ratio));
        }
        if (progress.waiting().isPresent()) {
            words.append(", paused: ").append(progress.waiting().get());
        } else if (progress.seconds() > 1 && progress.pausedSeconds() > 0) {
            words.append(String.format(
                    Locale.ROOT, ", paused %.0f %% of the time", 100 * progress.pausedSeconds() / progress.seconds()));
        }
        return words.toString();
    }

    @Override
    public void noticeIssued(String notice) {
        print((bar == null ? "" : CLEAR_LINE) + notice + System.lineSeparator());
    }

    private synchronized void print(String text) {
        err.print(text);
        err.flush();
    }

    /** Removes the bar, before something else is printed. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
            print(CLEAR_LINE);
        }
    }
}
