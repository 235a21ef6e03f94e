package dev.blobmark.stats;

import java.time.Duration;

/**
 * Whether a series of means over successive sub-windows has settled: it has little spread, and no slope beyond what the
 * spread explains.
 */
public final class SteadyState {

    /** Sub-windows that are judged. With fewer, the slope's error is too large to see a trend of 10 %. */
    public static final int SUB_WINDOWS = 6;

    /** Into which a whole warm-up is divided: twice as many as are judged. */
    public static final int MAX_SUB_WINDOWS = 2 * SUB_WINDOWS;

    /** The shortest sub-window: long enough for a stable mean of a fast operation. */
    public static final Duration SUB_WINDOW = Duration.ofMillis(30);

    /** The shortest limit of a warm-up that has all of its sub-windows. */
    public static final Duration WARM_UP = SUB_WINDOW.multipliedBy(MAX_SUB_WINDOWS);

    /** Largest standard deviation of the sub-windows, relative to their mean. */
    private static final double MAX_SPREAD = 0.15;

    /** Largest change from the first sub-window to the last that is accepted even if it is significant. */
    private static final double HARMLESS_CHANGE = 0.05;

    /** Slopes up to this many of their standard errors count as noise: t at 95 % for 4 degrees of freedom. */
    private static final double SIGNIFICANT_ERRORS = 2.776;

    private SteadyState() {}

    /**
     * The limit of the warm-up of a trial that is measured in a window of its own, in a run whose others are visited.
     * The warm-up of a visited trial continues over its visits, so that its limit can be too short to be judged.
     */
    public static Duration warmUp(Duration ofVisited) {
        return ofVisited.compareTo(WARM_UP) < 0 ? WARM_UP : ofVisited;
    }

    /** Judges the last {@link #SUB_WINDOWS} of the first {@code length} means; a shorter series is never steady. */
    public static boolean isSteady(double[] means, int length) {
        int n = SUB_WINDOWS;
        if (length < n) {
            return false;
        }
        double sum = 0;
        for (int i = length - n; i < length; i++) {
            sum += means[i];
        }
        double mean = sum / n;
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int i = 0; i < n; i++) {
            double x = i - (n - 1) / 2.0;
            double y = means[length - n + i] - mean;
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        double slope = xy / xx;
        double residual = Math.max(0, yy - slope * xy);
        double slopeError = Math.sqrt(residual / (n - 2) / xx);
        double change = Math.abs(slope) * (n - 1) / mean;
        double spread = Math.sqrt(yy / (n - 1)) / mean;
        return spread <= MAX_SPREAD
                && (change <= HARMLESS_CHANGE || Math.abs(slope) <= SIGNIFICANT_ERRORS * slopeError);
    }
}
