package dev.blobmark.analysis;

import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Difference;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import java.util.List;
import java.util.Optional;

/**
 * A claim with its grade by the samples of a run.
 *
 * @param comparisons of what was measured, in the order of the study
 * @param average the geometric mean of the ratios, if the claim holds on average
 * @param missing why the claim was not tested; else empty
 * @param unmeasured number of comparisons that a failed or unavailable side prevented
 */
public record GradedClaim(
        Claim claim,
        Grade grade,
        List<ClaimComparison> comparisons,
        Optional<Effect> average,
        Optional<MissingMeasurements> missing,
        int unmeasured) {

    /** Forks, or rounds, that an interval usually has. */
    public static final int USUAL_UNITS = 5;

    /** As a share of the samples. */
    private static final double MOST_UNSTEADY = 0.25;

    public GradedClaim {
        comparisons = List.copyOf(comparisons);
    }

    /**
     * What a claim names and a run lacks.
     *
     * @param isMeasured whether it was measured without a counterpart
     * @param why a measurement failed; empty if none did
     */
    public record MissingMeasurements(boolean isMeasured, List<String> names, Optional<String> why) {}

    /**
     * One comparison: the ratio of the left side's figures to the right's.
     *
     * @param left the method; of an effect, its two methods, {@code lz4/uncompressed}
     * @param differing other differences, such as {@code size 64KB ÷ 4KB}
     * @param condition what both sides have in common
     * @param effect with an interval that holds together with those of the other comparisons
     * @param difference left − right of times in nanoseconds, with an interval of the same kind; empty if no round has
     *     both
     * @param isPaired whether figures of the same round were compared
     * @param samples number of samples of both sides
     * @param unsteady number of these that were not steady
     */
    public record ClaimComparison(
            String left,
            String right,
            List<String> differing,
            Levels condition,
            Effect effect,
            Optional<Difference> difference,
            boolean isPaired,
            int samples,
            int unsteady,
            Grade grade) {

        public ClaimComparison {
            differing = List.copyOf(differing);
        }

        /**
         * Whether its figures vary, and it has few forks or many samples that were not steady: another run may well
         * have another grade.
         */
        public boolean isWeak() {
            return effect.interval() instanceof Interval.Range range
                    && range.low() < range.high()
                    && (range.units() < USUAL_UNITS || unsteady > samples * MOST_UNSTEADY);
        }

        /** {@code lz4 ÷ gzip}, {@code lz4/uncompressed, size 64KB ÷ 4KB}. */
        public String sides() {
            String more = differing.isEmpty() ? "" : ", " + String.join(", ", differing);
            return (left.equals(right) ? left : left + " ÷ " + right) + more;
        }
    }

    /** Whether it is decided, and one of its comparisons is weak. */
    public boolean isWeak() {
        return grade != Grade.INCONCLUSIVE
                && grade != Grade.NOT_TESTED
                && comparisons.stream().anyMatch(ClaimComparison::isWeak);
    }

    /** Number of comparisons that hold by themselves. */
    public long held() {
        return comparisons.stream()
                .filter(comparison -> comparison.grade() == Grade.REPRODUCED)
                .count();
    }

    /**
     * The comparison that is hardest on the claim: of those with the worst grade, the one whose interval reaches
     * farthest in the wrong direction.
     */
    public Optional<ClaimComparison> hardest() {
        return comparisons.stream().min(this::compare);
    }

    /** The comparison that supports the claim most: the last by the order of {@link #hardest}. */
    public Optional<ClaimComparison> clearest() {
        return comparisons.stream().max(this::compare);
    }

    private int compare(ClaimComparison comparison, ClaimComparison other) {
        int byGrade = Integer.compare(severity(other.grade()), severity(comparison.grade()));
        return byGrade != 0 ? byGrade : Double.compare(room(comparison), room(other));
    }

    private static int severity(Grade grade) {
        return switch (grade) {
            case REPRODUCED -> 0;
            case DIRECTION_ONLY, IN_PART -> 1;
            case INCONCLUSIVE -> 2;
            case NO_DIFFERENCE, SMALLER -> 3;
            case REVERSED, NOT_TESTED -> 4;
        };
    }

    /**
     * The distance of the interval from the nearest ratio (as a logarithm) or difference that the claim excludes;
     * negative if the interval includes it.
     */
    private double room(ClaimComparison comparison) {
        if (claim.relation() instanceof Claim.Apart apart) {
            return comparison
                    .difference()
                    .map(difference ->
                            Math.min(difference.low() - apart.lowNanos(), apart.highNanos() - difference.high()))
                    .orElse(Double.NEGATIVE_INFINITY);
        }
        Claim.Bounds bounds = claim.relation().bounds();
        double low = comparison.effect().ratio();
        double high = low;
        if (comparison.effect().interval() instanceof Interval.Range range) {
            low = range.low();
            high = range.high();
        }
        return Math.min(Math.log(low / bounds.low()), Math.log(bounds.high() / high));
    }
}
