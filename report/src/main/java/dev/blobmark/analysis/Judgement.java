package dev.blobmark.analysis;

import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.MethodComparisons;
import dev.blobmark.lab.stats.Spread;
import dev.blobmark.lab.stats.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * A method against another one, by the rounds that both have, or by the passes where they ran on servers of different environments.
 *
 * @param effect method ÷ other, by the metric
 * @param verdict on the method: {@code Faster} where it is the better of the two
 * @param unmatched figures of either side that had no counterpart, and were left out
 * @param matched pairs of figures
 * @param spread what the width of the interval comes of; empty without an interval, and where nothing varies
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

    /** Whether it is a difference, on either side. */
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
