package dev.blobmark.stats;

import java.util.OptionalDouble;

/**
 * What an interval establishes about a method against the baseline.
 *
 * <p>Verdicts are not transitive, so nothing can be sorted by them: from A equal to B and B equal to C it does not
 * follow that A is equal to C.
 */
public sealed interface Verdict {

    /** The interval excludes 1 on the better side. {@code negligible}: all of it still lies within the margin. */
    record Faster(boolean negligible) implements Verdict {}

    /** The interval excludes 1 on the worse side. {@code negligible}: all of it still lies within the margin. */
    record Slower(boolean negligible) implements Verdict {}

    /** The interval includes 1, and is within ± {@code margin}, 0.02 for 2 %. */
    record Equal(double margin) implements Verdict {}

    /** None of the other verdicts holds. */
    record Inconclusive(String reason) implements Verdict {}

    /** Judges a ratio of figures, of a metric where higher is better (throughput) or lower is better (time, disk). */
    static Verdict of(Interval interval, boolean higherIsBetter, Margin margin) {
        if (interval instanceof Interval.None none) {
            return new Inconclusive(none.reason());
        }
        Interval.Range range = (Interval.Range) interval;
        boolean negligible = margin.holds(range);
        if (!range.contains(1)) {
            return range.low() > 1 == higherIsBetter ? new Faster(negligible) : new Slower(negligible);
        }
        return negligible
                ? new Equal(margin.effective())
                : new Inconclusive("the interval includes 1, and reaches beyond what may be called equal");
    }

    /**
     * Judges a comparison as a ranking does. A difference up to the noise floor does not count. If the interval
     * includes 1, or the difference does not count, the methods are equal within the stated reach of the interval,
     * provided that this is small ({@link Margin#equalWithin}).
     */
    static Verdict of(Effect effect, boolean higherIsBetter, Margin margin) {
        if (!(effect.interval() instanceof Interval.Range range)) {
            return of(effect.interval(), higherIsBetter, margin);
        }
        if (!range.contains(1) && !Margin.isWithin(effect.ratio(), margin.noiseFloor())) {
            return of(range, higherIsBetter, margin);
        }
        OptionalDouble within = margin.equalWithin(range);
        return within.isPresent()
                ? new Equal(within.getAsDouble())
                : new Inconclusive(
                        range.contains(1)
                                ? "the interval includes 1, and reaches beyond what may be called equal"
                                : "the difference is not beyond the noise floor");
    }
}
