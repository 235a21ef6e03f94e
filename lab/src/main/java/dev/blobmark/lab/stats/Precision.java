package dev.blobmark.lab.stats;

import java.util.List;

/**
 * A width that intervals shall have, and when to stop measuring.
 *
 * <p>A fixed-width sequential procedure after Chow and Robbins (1965): measure at least {@link #LEAST_UNITS}, stop when the interval is narrow
 * enough. Stopping by the figures favours moments at which the variance happens to look small, so that the coverage would fall below the level. Two
 * things keep it up (simulated in {@code docs/statistics.md}): the least number of units, and intervals widened by {@link
 * Confidence#whenStopped}. Each further batch is planned from the variance seen, and at most doubles what there is, since a variance
 * from few units is itself uncertain.
 *
 * @param target the half-width wanted: 0.01 for ± 1 %; above 0, at most 1
 * @param confidence of the intervals, also of those that are shown in the end; made {@link Confidence#whenStopped} if it was not
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

        /** @param units how many more to measure before looking again, with as many rounds each as before; at least 1 */
        record Measure(int units) implements Next {}
    }

    /**
     * Looks at all comparisons of a condition; the one that needs most decides.
     *
     * @param comparisons made with {@link #confidence}, the same unit in all
     * @throws IllegalArgumentException for no comparison, or one of rounds while another is of forks
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
