package dev.blobmark.lab.engine;

import dev.blobmark.lab.stats.Bimodality;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Whether the operations of a window went on at two levels: in turns, as they do when client and server share a core at times, or by workers. */
final class TwoLevels {

    private static final int SUB_WINDOWS = 40;

    /** Fewer make a mean too noisy to tell levels that are 25 % apart; sub-windows are joined until they have them. */
    private static final long MIN_OPERATIONS = 20;

    /** Of fewer workers, levels are chance. */
    private static final int MIN_WORKERS = 6;

    /** Of fewer sub-windows only levels with little noise can be told. */
    private static final int MIN_SUB_WINDOWS = 10;

    private TwoLevels() {}

    /** For one worker. @param whole of the window, nanoseconds or operations */
    static SubWindows subWindows(int types, long whole) {
        return new SubWindows(types, SUB_WINDOWS, whole / SUB_WINDOWS);
    }

    /** What was seen of one type, for people to read; empty where there is one level, or too little to tell. */
    static Optional<String> find(List<SubWindows> workers, int type, String word) {
        double[] means = SubWindows.means(workers, type, workers.get(0).parts(), MIN_OPERATIONS);
        return means.length < MIN_SUB_WINDOWS
                ? Optional.empty()
                : Bimodality.find(means)
                        .map(levels -> String.format(
                                Locale.ROOT,
                                "%s went on at two levels: %s an operation in %.0f %% of the window, %s in %.0f %%",
                                word,
                                micros(levels.low()),
                                100 * (1 - levels.highShare()),
                                micros(levels.high()),
                                100 * levels.highShare()));
    }

    /** The same of the workers of a closed loop, each on a connection of its own: some of these may be slower than others. */
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
                                "workers went on at two levels: %d of %d at %.0f operations per second, the others at %.0f",
                                Math.round((1 - levels.highShare()) * perSecond.length),
                                perSecond.length,
                                levels.low(),
                                levels.high()));
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, nanos < 100e3 ? "%.1f µs" : "%.0f µs", nanos / 1e3);
    }
}
