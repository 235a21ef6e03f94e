package dev.blobmark.lab.stats;

/**
 * How sure intervals are meant to be, all at once: with probability {@code level} every interval of a family of {@code
 * comparisons} covers its true value.
 *
 * <p>It widens each interval, so that "the interval excludes 1" and the corrected verdict are the same statement. A step-down
 * correction of p-values (Holm) rejects a little more, but leaves no intervals that agree with it. {@link MethodComparisons} uses the joint
 * distribution of the comparisons; where that is not known, the correction is Bonferroni's, which holds however they depend on each other.
 *
 * @param level between 0 and 1, both excluded
 * @param comparisons at least 1
 * @param share of the misses that the level allows, which the intervals may take: less than 1 where measuring went on until the figures looked good
 */
public record Confidence(double level, int comparisons, double share) {

    /** A single interval at 95 %. */
    public static final Confidence USUAL = new Confidence(0.95, 1, 1);

    /** Stopping by the figures was seen to raise the misses from 5 to 6.7 % where it harms most; with this factor, to 5.5 %. */
    private static final double STOPPED_MISSES = 0.8;

    /**
     * Figures that are looked at until they decide are looked at several times, and each time they may be wrong: a constant boundary after S. J.
     * Pocock (Biometrika 64, 1977), for looks that are {@link Looks} apart.
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

    /** The same level for a whole family: usually the methods of one condition less the baseline. */
    public Confidence among(int family) {
        return new Confidence(level, family, share);
    }

    /** The same, for intervals of measurements that were stopped by {@link Precision}. */
    public Confidence whenStopped() {
        return new Confidence(level, comparisons, STOPPED_MISSES);
    }

    /** The same, for intervals of measurements that went on until all was decided, at most. */
    public Confidence whenDecided() {
        return new Confidence(level, comparisons, DECIDED_MISSES);
    }

    /** Whether measuring went on until the figures looked good; the interval is wider for that. */
    public boolean isStoppedByFigures() {
        return share < 1;
    }

    /** The probability with which one or more intervals of the family may miss. */
    double misses() {
        return (1 - level) * share;
    }

    /** The probability with which each interval for itself may miss on one side, by Bonferroni's correction. */
    double tail() {
        return misses() / comparisons / 2;
    }
}
