package dev.blobmark.lab.engine;

import dev.blobmark.stats.Bimodality;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether the operations of a window had two levels: alternating, as when client and server sometimes share a core, or
 * between workers.
 */
final class TwoLevels {

    private static final int SUB_WINDOWS = 40;

    /**
     * With fewer operations, a mean is too noisy for levels that are 25 % apart. Sub-windows are joined until they have
     * this many.
     */
    private static final long MIN_OPERATIONS = 20;

    /** With fewer workers, levels are chance. */
    private static final int MIN_WORKERS = 6;

    /** With fewer sub-windows, only levels with little noise could be found. */
    private static final int MIN_SUB_WINDOWS = 10;

    private TwoLevels() {}

    /** @param length of the window in nanoseconds, or in operations if that is its unit */
    static SubWindows subWindows(int types, long length) {
        return new SubWindows(types, SUB_WINDOWS, length / SUB_WINDOWS);
    }

    /** A sentence about the levels of one type; empty if there is one level, or too few operations. */
    static Optional<String> find(List<SubWindows> workers, int type, String word) {
        double[] means = SubWindows.means(workers, type, workers.get(0).parts(), MIN_OPERATIONS);
        return means.length < MIN_SUB_WINDOWS
                ? Optional.empty()
                : Bimodality.find(means)
                        .map(levels -> String.format(
                                Locale.ROOT,
                                "%s ran at two levels: %s an operation in %.0f %% of the window, %s in %.0f %%",
                                word,
                                micros(levels.low()),
                                100 * (1 - levels.highShare()),
                                micros(levels.high()),
                                100 * levels.highShare()));
    }

    /**
     * The same for the workers of a closed loop, each on its own connection: some connections may be slower than
     * others.
     */
    static Optional<String> betweenWorkers(List<Account> accounts) {
        double[] perSecond = accounts.stream()
                .filter(account -> account.operations > 0)
                .mapToDouble(account -> account.operations * 1e9 / account.elapsedNanos)
                .toArray();
        return perSecond.length < MIN_WORKERS
                ? Optional.empty()
                : Bimodality.find(perSecond)
                        .map(levels -> String.format(
                                Locale.ROOT,
                                "workers ran at two levels: %d of %d at %.0f operations per second, the others at %.0f",
                                Math.round((1 - levels.highShare()) * perSecond.length),
                                perSecond.length,
                                levels.low(),
                                levels.high()));
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, nanos < 100e3 ? "%.1f µs" : "%.0f µs", nanos / 1e3);
    }
}
