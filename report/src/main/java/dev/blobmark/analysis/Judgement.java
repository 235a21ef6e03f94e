package dev.blobmark.analysis;

import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.MethodComparisons;
import dev.blobmark.stats.Spread;
import dev.blobmark.stats.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * A method compared with another, by common rounds, or by passes if they ran on servers of different environments.
 *
 * @param effect method ÷ other, by the metric
 * @param verdict on the method: {@code Faster} if it is the better of the two
 * @param unmatched number of figures of either side without a counterpart, which are left out
 * @param matched number of pairs of figures
 * @param spread the source of the interval's width; empty without an interval, or if nothing varies
 */
public record Judgement(
        String method,
        String other,
        Effect effect,
        Verdict verdict,
        int unmatched,
        int matched,
        Optional<Spread> spread) {

    static Judgement of(MethodComparisons.Comparison comparison, Verdict verdict) {
        return new Judgement(
                comparison.method(),
                comparison.other(),
                comparison.effect(),
                verdict,
                comparison.ratios().unmatched(),
                comparison.ratios().logRatios().stream().mapToInt(List::size).sum(),
                comparison.spread());
    }

    /** Whether the verdict is a difference, in either direction. */
    public boolean isCalled() {
        return verdict instanceof Verdict.Faster || verdict instanceof Verdict.Slower;
    }

    /** Empty if there is no interval. */
    public Optional<Interval.Range> range() {
        return rangeOf(effect);
    }

    /** Empty if there is no interval. */
    public static Optional<Interval.Range> rangeOf(Effect effect) {
        return effect.interval() instanceof Interval.Range range ? Optional.of(range) : Optional.empty();
    }
}
