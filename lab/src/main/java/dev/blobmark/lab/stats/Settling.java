package dev.blobmark.lab.stats;

import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * Whether short windows begin at the speed at which they go on: the logarithms of the speed of their second halves ÷ that of their first, one
 * for each window.
 *
 * <p>A difference that matters is found when it is larger than {@link #LEAST} and than {@value #ERRORS} standard errors. Noise reaches that in about
 * one of 1,000 series of 20 windows, however often it is looked at.
 */
public final class Settling {

    /** A half that is 1 % slower makes a window half a percent too slow, at most. */
    static final double LEAST = 0.01;

    private static final double ERRORS = 5;

    private static final int LEAST_COUNT = 8;

    private Mean mean = Mean.create();
    private Variance variance = Variance.create();
    private int count;

    /** @param halves of one more window; NaN where it could not be cut in two, and is passed over */
    public void add(double halves) {
        if (!Double.isNaN(halves)) {
            mean.accept(halves);
            variance.accept(halves);
            count++;
        }
    }

    /** From here on only those that are still to come count. */
    public void clear() {
        mean = Mean.create();
        variance = Variance.create();
        count = 0;
    }

    /** False where second halves are known to differ from first ones. */
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

    /** How many windows there were. */
    public int count() {
        return count;
    }
}
