package dev.blobmark.lab.stats;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * What determines the width of an interval, and how many units would make it narrower.
 *
 * @param deviation standard deviation of the log ratio between units, above 0
 * @param freedom degrees of freedom with which it was estimated
 * @param tail the probability with which the interval may miss on each side
 * @param the number of units, at least 2
 */
public record Spread(double deviation, double freedom, double tail, int units) {

    /** An upper limit of the search. */
    private static final int MOST_UNITS = 100_000;

    /** The half-width of the interval of the logarithm. */
    public double reach() {
        return reach(units);
    }

    /** The same for another number of units with the same variance. Degrees of freedom grow in proportion to the units. */
    public double reach(int units) {
        double then = freedom * Math.max(1, units - 1) / (this.units - 1);
        return TDistribution.of(then).inverseSurvivalProbability(tail) * deviation / Math.sqrt(units);
    }

    /**
     * How many more units give a half-width of at most {@code share}, 0.01 for 1 %. 0 if it is small enough now, and at most
     * {@value #MOST_UNITS}.
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
        while (high < MOST_UNITS && reach(high) > wanted) {
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
        return Math.min(MOST_UNITS, high) - units;
    }
}
