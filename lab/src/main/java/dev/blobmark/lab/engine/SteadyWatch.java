package dev.blobmark.lab.engine;

import dev.blobmark.lab.stats.SteadyState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When a warm-up may end: the recent sub-windows of every type of operation show neither slope nor excess spread.
 *
 * <p>Those looked at span half of the warm-up's cap. A store that slows by 30 % until the cap slows by 12 % in that half, which
 * shows; over six sub-windows as short as a mean allows it would be lost in the noise.
 */
final class SteadyWatch {

    /** Twice those looked at. */
    private static final int MAX_SUB_WINDOWS = 2 * SteadyState.SUB_WINDOWS;

    /** Long enough for a stable mean of a fast operation. */
    private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** A sub-window goes on until each type has so many operations. */
    private static final long MIN_OPERATIONS = 1;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private SteadyWatch() {}

    /** For one worker: they cover the whole warm-up, to the nanosecond after it. */
    static SubWindows subWindows(int types, Duration warmUp) {
        int parts = (int) Math.min(MAX_SUB_WINDOWS, warmUp.toNanos() / MIN_NANOS);
        return new SubWindows(types, parts, (warmUp.toNanos() + parts) / Math.max(1, parts));
    }

    /**
     * Waits until all workers have been steady at the end of some sub-window; false if the warm-up's cap or a failure came
     * first. What it sees does not depend on when it looks.
     */
    static boolean await(Phase phase, List<SubWindows> workers, int types) throws InterruptedException {
        int parts = workers.get(0).parts();
        for (int seen = 0; seen < parts && !phase.hasFailed(); ) {
            int complete = workers.stream().mapToInt(SubWindows::complete).min().orElse(0);
            while (seen < complete) {
                if (isSteady(workers, types, ++seen)) {
                    return true;
                }
            }
            if (seen < parts) {
                TimeUnit.NANOSECONDS.sleep(POLL_NANOS);
            }
        }
        return false;
    }

    private static boolean isSteady(List<SubWindows> workers, int types, int parts) {
        for (int type = 0; type < types; type++) {
            double[] means = SubWindows.means(workers, type, parts, MIN_OPERATIONS);
            if (!SteadyState.isSteady(means, means.length)) {
                return false;
            }
        }
        return true;
    }
}
