package dev.blobmark.stats;

import java.util.List;

/**
 * The half-width that intervals should have, and the decision when to stop measuring.
 *
 * <p>A fixed-width sequential procedure after Chow and Robbins (1965): measure at least {@link #MIN_UNITS} units, and
 * stop when the interval is narrow enough. Such a rule tends to stop when the estimated variance happens to be small,
 * so coverage would fall below the level. The minimum number of units and the wider intervals of
 * {@link Confidence#whenStopped} prevent that (simulated in {@code docs/statistics.md}). Each further batch is planned
 * from the variance seen, and at most doubles the units, because a variance from few units is itself uncertain.
 *
 * @param target the required half-width: 0.01 for ± 1 %; above 0, at most 1
 * @param confidence of the intervals, also of those in the final report; the constructor applies
 *     {@link Confidence#whenStopped}
 */
public record Precision(double target, Confidence confidence) {

    /** Without widening, coverage falls to about 90 % at worst with 3 units, 92 % with 5, 93 % with 10. */
    public static final int MIN_UNITS = 10;

    public Precision {
        if (!(target > 0 && target <= 1)) {
            throw new IllegalArgumentException(
                    "precision: " + target + " is not above 0 and at most 1; give 0.01 for 1 %");
        }
        confidence = confidence.whenStopped();
    }

    /** What to do next. */
    public sealed interface Next {

        /** All intervals are narrow enough. */
        record Enough() implements Next {}

        /**
         * @param units how many more to measure before the next decision, each with as many rounds as before; at least
         *     1
         */
        record MeasureMore(int units) implements Next {}
    }

    /**
     * Decides for all comparisons of a condition, by the one that needs most units.
     *
     * @param comparisons made with {@link #confidence}, all with the same unit
     * @throws IllegalArgumentException if there is no comparison, or if comparisons have different units
     */
    public Next next(List<MethodComparisons.Comparison> comparisons) {
        List<Unit> units = comparisons.stream()
                .map(comparison -> comparison.ratios().unit())
                .distinct()
                .toList();
        if (units.size() != 1) {
            throw new IllegalArgumentException("precision needs comparisons over one kind of unit, but has " + units);
        }
        int missing = comparisons.stream().mapToInt(this::missing).max().getAsInt();
        return missing == 0 ? new Next.Enough() : new Next.MeasureMore(missing);
    }

    private int missing(MethodComparisons.Comparison comparison) {
        int units = comparison.ratios().units();
        return units < MIN_UNITS
                ? MIN_UNITS - units
                : comparison
                        .spread()
                        .map(spread -> Math.min(units, spread.moreUnitsFor(target)))
                        .orElse(0);
    }
}
