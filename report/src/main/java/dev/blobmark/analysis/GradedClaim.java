package dev.blobmark.analysis;

import dev.blobmark.lab.stats.Difference;
import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Levels;
import java.util.List;
import java.util.Optional;

/**
 * A claim, and what the samples of a run say of it.
 *
 * @param comparisons all that it makes of what was measured, in the order of the study
 * @param average the geometric mean of their ratios, of a claim that holds on average
 * @param missing why it was not tested; else empty
 * @param unmeasured comparisons that could not be made, as a side failed or is unavailable
 */
public record GradedClaim(
        Claim claim,
        Grade grade,
        List<Comparison> comparisons,
        Optional<Effect> average,
        Optional<Missing> missing,
        int unmeasured) {

    public GradedClaim {
        comparisons = List.copyOf(comparisons);
    }

    /**
     * What a claim names and the run does not have.
     *
     * @param isMeasured whether it was measured, but has nothing to be compared with
     * @param why a measurement failed; empty where none did
     */
    public record Missing(boolean isMeasured, List<String> names, Optional<String> why) {}

    /**
     * One comparison: the ratio of the left side's figures to the right's.
     *
     * @param left the method; of an effect, its two methods, {@code lz4/uncompressed}
     * @param differing what else differs, as {@code size 64KB ÷ 4KB}; empty where nothing does
     * @param condition what both sides have in common
     * @param effect with an interval that holds together with those of the claim's other comparisons
     * @param difference of figures that are times: left − right in nanoseconds, with an interval likewise; empty where no round has both
     * @param isPaired whether figures of the same round were compared
     * @param unsteady samples in it that were not steady
     */
    public record Comparison(
            String left,
            String right,
            List<String> differing,
            Levels condition,
            Effect effect,
            Optional<Difference> difference,
            boolean isPaired,
            int unsteady,
            Grade grade) {

        public Comparison {
            differing = List.copyOf(differing);
        }

        /** {@code lz4 ÷ gzip}, {@code lz4/uncompressed, size 64KB ÷ 4KB}. */
        public String sides() {
            String more = differing.isEmpty() ? "" : ", " + String.join(", ", differing);
            return (left.equals(right) ? left : left + " ÷ " + right) + more;
        }
    }

    /** How many comparisons do as the claim says, whatever is asked of them together. */
    public long held() {
        return comparisons.stream()
                .filter(comparison -> comparison.grade() == Grade.REPRODUCED)
                .count();
    }

    /** The comparison that speaks most against the claim: of the worst grade, the one whose interval reaches farthest the wrong way. */
    public Optional<Comparison> hardest() {
        return comparisons.stream().min((one, other) -> {
            int byGrade = Integer.compare(severity(other.grade()), severity(one.grade()));
            return byGrade != 0 ? byGrade : Double.compare(room(one), room(other));
        });
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

    /** How far the interval stays from the nearest ratio (as a logarithm) or difference that the claim excludes; negative where it does not. */
    private double room(Comparison comparison) {
        if (claim.relation() instanceof Claim.Apart apart) {
            return comparison
                    .difference()
                    .map(its -> Math.min(its.low() - apart.lowNanos(), apart.highNanos() - its.high()))
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
