package dev.blobmark.lab.stats;

/**
 * The simultaneous confidence of a family of intervals: with probability {@code level}, all intervals of a family of {@code comparisons}
 * cover their true values.
 *
 * <p>It widens each interval, so that "the interval excludes 1" and the corrected verdict are the same statement. A step-down
 * correction of p-values (Holm) rejects a little more, but leaves no intervals that agree with it. {@link MethodComparisons} uses the joint
 * distribution of the comparisons; if that is not known, Bonferroni's correction is used, which holds for any dependence.
 *
 * @param level between 0 and 1, both excluded
 * @param comparisons at least 1
 * @param the share of the allowed error probability that the intervals use: less than 1 if measuring continued until the figures were good enough
 */
public record Confidence(double level, int comparisons, double share) {

    /** A single interval at 95 %. */
    public static final Confidence USUAL = new Confidence(0.95, 1, 1);

    /** In simulations, stopping by the figures raised the error probability from 5 to 6.7 % in the worst case; with this factor, to 5.5 %. */
    private static final double STOPPED_MISSES = 0.8;

    /**
     * If a run continues until its figures decide, they are tested several times, and each test may be wrong. So the boundary is the constant one
     * of S. J. Pocock (Biometrika 64, 1977), for the interim analyses of {@link Looks}.
     */
    private static final double DECIDED_MISSES = 0.3;

    public Confidence {
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("confidence level: " + level + " is not between 0 and 1; 0.95 is usual");
        }
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share of misses: " + share + " is not above 0 and at most 1");
        }
        if (comparisons < 1) {
            throw new IllegalArgumentException("comparisons: " + comparisons + " is not at least 1");
        }
    }

    /** The same level for a whole family: usually the methods of one condition without the baseline. */
    public Confidence among(int family) {
        return new Confidence(level, family, share);
    }

    /** The same, for intervals of measurements that were stopped by {@link Precision}. */
    public Confidence whenStopped() {
        return new Confidence(level, comparisons, STOPPED_MISSES);
    }

    /** The same, for measurements that continue until all comparisons are decided. */
    public Confidence whenDecided() {
        return new Confidence(level, comparisons, DECIDED_MISSES);
    }

    /** Whether measuring continued until the figures were good enough, for which intervals are wider. */
    public boolean isStoppedByFigures() {
        return share < 1;
    }

    /** The probability that one or more intervals of the family miss their true value. */
    double misses() {
        return (1 - level) * share;
    }

    /** The probability with which each single interval may miss on one side, by Bonferroni's correction. */
    double tail() {
        return misses() / comparisons / 2;
    }
}
