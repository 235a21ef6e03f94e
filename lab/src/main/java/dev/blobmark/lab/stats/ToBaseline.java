package dev.blobmark.lab.stats;

import java.util.List;
import java.util.Optional;

/**
 * The methods of one condition compared with their baseline, by one metric of one type of operations, and the verdicts.
 *
 * <p>A ranking shows them, and a schedule that adds forks until all is decided tests them. So both have the same noise floor and the same
 * intervals, which hold simultaneously for all methods that have common units with the baseline.
 *
 * @param comparisons in the given order of methods
 * @param control the twin of the baseline; empty if there is none
 * @param margin within which methods are called equal, with the noise floor of the control, which is infinite if the control was not compared
 */
public record ToBaseline(
        List<MethodComparisons.Comparison> comparisons,
        Optional<String> control,
        Margin margin,
        boolean higherIsBetter) {

    /** @param equalWithin how far apart methods may be and still be called equal; 0.02 for 2 % */
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

    /** The verdict on a method. The control is judged without its own noise floor. */
    public Verdict verdict(MethodComparisons.Comparison comparison) {
        return Verdict.of(
                comparison.effect(),
                higherIsBetter,
                control.equals(Optional.of(comparison.method())) ? Margin.of(margin.wanted()) : margin);
    }

    /** The methods with an undecided verdict, without the control. */
    public List<String> open() {
        return comparisons.stream()
                .filter(comparison -> !control.equals(Optional.of(comparison.method())))
                .filter(comparison -> verdict(comparison) instanceof Verdict.Inconclusive)
                .map(MethodComparisons.Comparison::method)
                .toList();
    }
}
