package dev.blobmark.stats;

import java.util.List;
import java.util.Optional;

/**
 * The methods of one condition against their baseline, by one metric of one type of operation: the comparisons and
 * their verdicts.
 *
 * <p>Rankings show them, and a schedule that adds forks until all comparisons are decided evaluates them. So both use
 * the same noise floor and the same intervals, which hold together for all methods that share units with the baseline.
 *
 * @param comparisons in the order of the methods given
 * @param control the second copy of the baseline; empty if there is none
 * @param margin within which methods are called equal; its noise floor is the control's, infinite if the control could
 *     not be compared
 */
public record ToBaseline(
        List<MethodComparisons.Comparison> comparisons,
        Optional<String> control,
        Margin margin,
        boolean higherIsBetter) {

    /** @param equalWithin the margin within which methods are called equal; 0.02 for 2 % */
    public static ToBaseline of(
            MethodComparisons methods,
            String baseline,
            Optional<String> control,
            double equalWithin,
            boolean higherIsBetter) {
        List<MethodComparisons.Comparison> comparisons = methods.to(baseline);
        Margin margin = control.isEmpty()
                ? Margin.of(equalWithin)
                : comparisons.stream()
                        .filter(comparison -> control.equals(Optional.of(comparison.method())))
                        .findFirst()
                        .map(comparison ->
                                Margin.of(equalWithin, comparison.effect().interval()))
                        .orElseGet(() -> new Margin(equalWithin, Double.POSITIVE_INFINITY));
        return new ToBaseline(comparisons, control, margin, higherIsBetter);
    }

    public Optional<MethodComparisons.Comparison> find(String method) {
        return comparisons.stream()
                .filter(comparison -> comparison.method().equals(method))
                .findFirst();
    }

    /** The verdict on a method. The control is judged without a noise floor, because it defines the noise floor. */
    public Verdict verdict(MethodComparisons.Comparison comparison) {
        return Verdict.of(
                comparison.effect(),
                higherIsBetter,
                control.equals(Optional.of(comparison.method())) ? Margin.of(margin.wanted()) : margin);
    }

    /** The methods whose verdict is inconclusive, without the control. */
    public List<String> open() {
        return comparisons.stream()
                .filter(comparison -> !control.equals(Optional.of(comparison.method())))
                .filter(comparison -> verdict(comparison) instanceof Verdict.Inconclusive)
                .map(MethodComparisons.Comparison::method)
                .toList();
    }
}
