package dev.blobmark.lab.stats;

/**
 * Whether a series of means over successive sub-windows is steady: no slope beyond what its spread explains, and little spread.
 */
public final class SteadyState {

    /** The number of sub-windows that are judged. With fewer, the slope's error is too large to detect a trend of 10 %. */
    public static final int SUB_WINDOWS = 6;

    /** Largest standard deviation of the sub-windows, relative to their mean. */
    private static final double MAX_SPREAD = 0.15;

    /** Largest change from the first sub-window to the last that is always accepted. */
    private static final double HARMLESS_CHANGE = 0.05;

    /** A slope of fewer standard errors counts as noise: t at 95 % for 4 degrees of freedom. */
    private static final double SIGNIFICANT_ERRORS = 2.776;

    private SteadyState() {}

    /** Judges the last {@link #SUB_WINDOWS} of a series of {@code length} means; a shorter series is never steady. */
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
