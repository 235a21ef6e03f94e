package dev.blobmark.lab.stats;

import java.util.List;

/**
 * The width that intervals must have, and when to stop measuring.
 *
 * <p>A fixed-width sequential procedure after Chow and Robbins (1965): measure at least {@link #LEAST_UNITS}, stop when the interval is narrow
 * enough. Stopping by the figures favours points at which the variance looks small by chance, which would lower the coverage. Two things prevent
 * that (simulated in {@code docs/statistics.md}): the least number of units, and intervals widened by {@link
 * Confidence#whenStopped}. Each further batch is planned from the variance so far, and at most doubles the number of units, because a
 * variance from few units is uncertain.
 *
 * @param target the wanted half-width: 0.01 for ± 1 %; above 0, at most 1
 * @param confidence of the intervals, including those of the report; converted by {@link Confidence#whenStopped}
 */
public record Precision(double target, Confidence confidence) {

    /** Without widening, coverage falls to about 90 % at worst with 3 units, 92 % with 5, 93 % with 10. */
    public static final int LEAST_UNITS = 10;

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
        record Stop() implements Next {}

        /** @param units how many more to measure before the next test, with as many rounds each as before; at least 1 */
        record Measure(int units) implements Next {}
    }

    /**
     * Tests all comparisons of a condition. The one that needs the most units decides.
     *
     * @param comparisons made with {@link #confidence}, the same unit in all
     * @throws IllegalArgumentException if there is no comparison, or their units differ
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
        return missing == 0 ? new Next.Stop() : new Next.Measure(missing);
    }

    private int missing(MethodComparisons.Comparison comparison) {
        int units = comparison.ratios().units();
        return units < LEAST_UNITS
                ? LEAST_UNITS - units
                : comparison
                        .spread()
                        .map(spread -> Math.min(units, spread.moreUnitsFor(target)))
                        .orElse(0);
    }
}
