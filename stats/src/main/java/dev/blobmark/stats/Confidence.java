package dev.blobmark.stats;

/**
 * The simultaneous confidence of a family of intervals: with probability {@code level}, all {@code comparisons}
 * intervals cover their true values.
 *
 * <p>Each interval is widened, so that "the interval excludes 1" and the corrected verdict are the same statement. A
 * step-down correction of p-values (Holm) rejects a little more, but has no intervals that agree with it.
 * {@link MethodComparisons} uses the joint distribution of the comparisons. If that is not known, the correction is
 * Bonferroni's, which holds for any dependence between them.
 *
 * @param level between 0 and 1, both excluded
 * @param comparisons at least 1
 * @param share the fraction of the misses allowed by the level that the intervals may use: less than 1 if measuring
 *     stopped by the figures
 */
public record Confidence(double level, int comparisons, double share) {

    /** A single interval at 95 %. */
    public static final Confidence USUAL = new Confidence(0.95, 1, 1);

    /**
     * In simulations, stopping by the figures raised the misses from 5 to 6.7 % in the worst case; with this factor, to
     * 5.5 %.
     */
    private static final double STOPPED_MISSES = 0.8;

    /**
     * Figures that are evaluated until they decide are evaluated several times, and each time can be wrong. A constant
     * boundary after S. J. Pocock (Biometrika 64, 1977), for evaluations as {@link Looks} spaces them.
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

    /** The same level for a family of intervals: usually one for each method of a condition except the baseline. */
    public Confidence among(int family) {
        return new Confidence(level, family, share);
    }

    /** The same for measurements that {@link Precision} stops. */
    public Confidence whenStopped() {
        return new Confidence(level, comparisons, STOPPED_MISSES);
    }

    /** The same for measurements that stop when all comparisons are decided. */
    public Confidence whenDecided() {
        return new Confidence(level, comparisons, DECIDED_MISSES);
    }

    /** Whether measuring stopped by the figures, which makes intervals wider. */
    public boolean isStoppedByFigures() {
        return share < 1;
    }

    /** The probability that one or more intervals of the family miss their true value. */
    double misses() {
        return (1 - level) * share;
    }

    /** The probability with which each interval may miss on one side, by Bonferroni's correction. */
    double tail() {
        return misses() / comparisons / 2;
    }
}
