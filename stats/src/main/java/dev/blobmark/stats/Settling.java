package dev.blobmark.stats;

import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * Whether short windows begin at the speed that they keep. Each window adds one logarithm: of the speed of its second
 * half ÷ that of its first.
 *
 * <p>The windows are not settled when the mean differs from 0 by more than {@link #MIN_DIFFERENCE} and by more than
 * {@value #ERRORS} standard errors. Noise reaches that in about one of 1,000 series of 20 windows, even if it is tested
 * after each window.
 */
public final class Settling {

    /** A first half that is 1 % slower makes a window at most half a percent slower. */
    static final double MIN_DIFFERENCE = 0.01;

    private static final double ERRORS = 5;

    private static final int MIN_COUNT = 8;

    private Mean mean = Mean.create();
    private Variance variance = Variance.create();
    private int count;

    /** @param halves the logarithm for one more window; NaN, which is ignored, if the window could not be cut in two */
    public void add(double halves) {
        if (!Double.isNaN(halves)) {
            mean.accept(halves);
            variance.accept(halves);
            count++;
        }
    }

    /** Discards all windows so far. */
    public void clear() {
        mean = Mean.create();
        variance = Variance.create();
        count = 0;
    }

    /** Whether no difference between first and second halves has been found. */
    public boolean isSettled() {
        return count < MIN_COUNT || Math.abs(mean()) <= Math.max(MIN_DIFFERENCE, ERRORS * standardError());
    }

    /** Mean of the logarithms. */
    public double mean() {
        return mean.getAsDouble();
    }

    public double standardError() {
        return Math.sqrt(variance.getAsDouble() / count);
    }

    /** Number of windows. */
    public int count() {
        return count;
    }
}
