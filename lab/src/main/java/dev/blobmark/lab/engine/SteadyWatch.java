package dev.blobmark.lab.engine;

import dev.blobmark.stats.SteadyState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides when a warm-up may end: the recent sub-windows of every type of operation have neither a slope nor excess
 * spread.
 *
 * <p>The judged sub-windows span half of the warm-up's limit. A store that slows by 30 % until the limit slows by 12 %
 * in that half, which is significant. Over six sub-windows of the shortest possible length it would be lost in the
 * noise.
 */
final class SteadyWatch {

    private static final int MAX_SUB_WINDOWS = SteadyState.MAX_SUB_WINDOWS;

    private static final long MIN_NANOS = SteadyState.SUB_WINDOW.toNanos();

    /** Operations of each type in a sub-window; those with fewer are joined. */
    private static final long MIN_OPERATIONS = 1;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private SteadyWatch() {}

    /** Whether a warm-up can end before its limit. A shorter one is never found to be steady. */
    static boolean judges(Duration warmUp) {
        return warmUp.toNanos() / MIN_NANOS >= SteadyState.SUB_WINDOWS;
    }

    /** Sub-windows of one worker that cover the whole warm-up, including its last nanosecond. */
    static SubWindows subWindows(int types, Duration warmUp) {
        int parts = (int) Math.min(MAX_SUB_WINDOWS, warmUp.toNanos() / MIN_NANOS);
        return new SubWindows(types, parts, (warmUp.toNanos() + parts) / Math.max(1, parts));
    }

    /**
     * Waits until all workers are steady at the end of a sub-window; false if the warm-up reaches its limit or fails
     * before. The result does not depend on when this thread polls.
     */
    static boolean await(TrialPhase phase, List<SubWindows> workers, int types) throws InterruptedException {
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
