package dev.blobmark.lab.stats;

import java.util.OptionalDouble;

/**
 * What an interval lets us say of a method against the baseline.
 *
 * <p>No order can be made of verdicts: A equal to B and B equal to C does not make A equal to C.
 */
public sealed interface Verdict {

    /** The interval excludes 1 on the better side. {@code negligible}: yet all of it lies within the margin. */
    record Faster(boolean negligible) implements Verdict {}

    /** The interval excludes 1 on the worse side. {@code negligible}: yet all of it lies within the margin. */
    record Slower(boolean negligible) implements Verdict {}

    /** The interval includes 1, and all of it lies within ± {@code margin}, 0.02 for 2 %. */
    record Equal(double margin) implements Verdict {}

    /** Nothing of these. */
    record Inconclusive(String reason) implements Verdict {}

    /** Judges a ratio of figures of which more is better (throughput), or less (time, disk). */
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
     * The same of a comparison, as a ranking judges it. A difference that is no greater than the noise floor is none. What includes 1, or is no
     * such difference, is equal within what its interval reaches, which is stated, as long as that is little ({@link Margin#equalWithin}).
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
