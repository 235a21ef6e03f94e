package dev.blobmark.cli;

import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
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
    private static final double MOST_SHARE = 0.99;

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
        double share = share(progress);
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

    /** The number of rows is an estimate, so all is done only when the change has ended. */
    private static double share(Progress progress) {
        return progress.step().equals("changed") || progress.step().equals("reverted")
                ? 1
                : progress.tableRows() == 0 ? 0 : Math.min(MOST_SHARE, (double) progress.rows() / progress.tableRows());
    }

    /** {@code 3 min left: 120,000 rows, 3.4 times smaller, 50 % paused}. */
    static String inWords(Progress progress) {
        StringBuilder words = new StringBuilder();
        progress.secondsLeft()
                .ifPresent(left -> words.append(PlanText.about(Duration.ofMillis(Math.round(1e3 * left))))
                        .append(" left: "));
        words.append(String.format(Locale.ROOT, "%,d rows", progress.rows()));
        if (progress.changed() > 0 && progress.bytesAfter() > 0) {
            double ratio = (double) progress.bytesBefore() / progress.bytesAfter();
            double factor = Math.max(ratio, 1 / ratio);
            words.append(String.format(Locale.ROOT, factor < 9.95 ? ", %.1f times " : ", %.0f times ", factor))
                    .append(ratio >= 1 ? "smaller" : "larger");
        }
        if (progress.waiting().isPresent()) {
            words.append(", paused: ").append(progress.waiting().get());
        } else if (progress.seconds() > 1 && progress.pausedSeconds() > 0) {
            words.append(String.format(
                    Locale.ROOT, ", %.0f %% paused", 100 * progress.pausedSeconds() / progress.seconds()));
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
