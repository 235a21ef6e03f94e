package dev.blobmark.stats;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * What determines the width of an interval, and how many units would make it narrower.
 *
 * @param deviation standard deviation of the log ratio between units, above 0
 * @param freedom degrees of freedom with which it was estimated
 * @param tail the probability with which the interval may miss on each side
 * @param units number of units measured, at least 2
 */
public record Spread(double deviation, double freedom, double tail, int units) {

    /** Larger numbers are reported as this. */
    private static final int MAX_UNITS = 100_000;

    /** The interval's half-width, on the logarithm. */
    public double reach() {
        return reach(units);
    }

    /**
     * The half-width expected with {@code units} units, if they vary like those measured. Degrees of freedom grow in
     * proportion to the units.
     */
    public double reach(int units) {
        double expectedFreedom = freedom * Math.max(1, units - 1) / (this.units - 1);
        return TDistribution.of(expectedFreedom).inverseSurvivalProbability(tail) * deviation / Math.sqrt(units);
    }

    /**
     * How many more units would make the half-width at most {@code share} (0.01 for 1 %); 0 if it already is. There are
     * never more than {@value #MAX_UNITS} units in all.
     */
    public int moreUnitsFor(double share) {
        if (!(share > 0)) {
            throw new IllegalArgumentException("half-width: " + share + " is not above 0; give 0.01 for 1 %");
        }
        double wanted = Math.log1p(share);
        if (reach() <= wanted) {
            return 0;
        }
        int low = units;
        int high = 2 * units;
        while (high < MAX_UNITS && reach(high) > wanted) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (reach(middle) <= wanted) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return Math.min(MAX_UNITS, high) - units;
    }
}
