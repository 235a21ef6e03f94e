package dev.blobmark.lab.stats;

import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * Whether short windows begin at the speed at which they continue: the logarithm of the speed of the second half ÷ that of the first half, for
 * each window.
 *
 * <p>A difference is reported if it is larger than {@link #LEAST} and larger than {@value #ERRORS} standard errors. Noise reaches that in about one
 * of 1,000 series of 20 windows, however often it is tested.
 */
public final class Settling {

    /** If one half is 1 % slower, the window is at most half a percent too slow. */
    static final double LEAST = 0.01;

    private static final double ERRORS = 5;

    private static final int LEAST_COUNT = 8;

    private Mean mean = Mean.create();
    private Variance variance = Variance.create();
    private int count;

    /** @param halves logarithm for one more window; NaN if it could not be halved, which is ignored */
    public void add(double halves) {
        if (!Double.isNaN(halves)) {
            mean.accept(halves);
            variance.accept(halves);
            count++;
        }
    }

    /** Forgets all windows so far. */
    public void clear() {
        mean = Mean.create();
        variance = Variance.create();
        count = 0;
    }

    /** False if second halves are known to differ from first halves. */
    public boolean isSettled() {
        return count < LEAST_COUNT || Math.abs(mean()) <= Math.max(LEAST, ERRORS * standardError());
    }

    /** Of the logarithms. */
    public double mean() {
        return mean.getAsDouble();
    }

    public double standardError() {
        return Math.sqrt(variance.getAsDouble() / count);
    }

    /** The number of windows. */
    public int count() {
        return count;
    }
}
