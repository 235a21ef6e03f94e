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
 * @param stoppedByFigures whether measuring went on until the figures looked precise enough; the interval is widened for that, as
 *     {@link Precision} tells
 */
public record Confidence(double level, int comparisons, boolean stoppedByFigures) {

    /** A single interval at 95 %. */
    public static final Confidence USUAL = new Confidence(0.95, 1, false);

    /** Stopping by the figures was seen to raise the misses from 5 to 6.7 % where it harms most; with this factor, to 5.5 %. */
    private static final double STOPPED_MISSES = 0.8;

    public Confidence {
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("confidence level: " + level + " is not between 0 and 1; 0.95 is usual");
        }
        if (comparisons < 1) {
            throw new IllegalArgumentException("comparisons: " + comparisons + " is not at least 1");
        }
    }

    /**
     * How sure the intervals under one condition are, by which its methods are judged against the baseline: {@link #USUAL}, all of
     * them at once.
     *
     * @param methods those that are measured under the condition, the baseline among them
     * @param stoppedByFigures whether measuring went on until they were precise
     */
    public static Confidence underCondition(int methods, boolean stoppedByFigures) {
        return new Confidence(USUAL.level, Math.max(1, methods - 1), stoppedByFigures);
    }

    /** The same level for a whole family: usually the methods of one condition less the baseline. */
    public Confidence among(int family) {
        return new Confidence(level, family, stoppedByFigures);
    }

    /** The same, for intervals of measurements that were stopped by {@link Precision}. */
    public Confidence whenStopped() {
        return new Confidence(level, comparisons, true);
    }

    /** The probability with which one or more intervals of the family may miss. */
    double misses() {
        return (1 - level) * (stoppedByFigures ? STOPPED_MISSES : 1);
    }

    /** The probability with which each interval for itself may miss on one side, by Bonferroni's correction. */
    double tail() {
        return misses() / comparisons / 2;
    }
}
