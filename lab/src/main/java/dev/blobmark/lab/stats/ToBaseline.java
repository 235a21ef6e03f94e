package dev.blobmark.lab.stats;

import java.util.List;
import java.util.Optional;

/**
 * The methods of one condition against their baseline, by one metric of one type of operations: the comparisons, and what each of them establishes.
 *
 * <p>A ranking shows them, and a schedule that adds forks until all is decided looks at them. So both have the same intervals, which hold together for
 * all methods that have figures in common with the baseline, and the same noise floor.
 *
 * @param comparisons in the order in which methods were given
 * @param control the twin of the baseline; empty where there is none
 * @param margin within which methods are called equal: what was wanted, and the noise floor that the control shows, infinite where it was not compared
 */
public record ToBaseline(
        List<MethodComparisons.Comparison> comparisons,
        Optional<String> control,
        Margin margin,
        boolean higherIsBetter) {

    /** @param equalWithin how far apart methods may be to be called equal; 0.02 for 2 % */
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

    /** The verdict on a method. The control is judged without the noise floor that it shows itself. */
    public Verdict verdict(MethodComparisons.Comparison comparison) {
        return Verdict.of(
                comparison.effect(),
                higherIsBetter,
                control.equals(Optional.of(comparison.method())) ? Margin.of(margin.wanted()) : margin);
    }

    /** The methods that neither differ from the baseline nor equal it, without the control. */
    public List<String> open() {
        return comparisons.stream()
                .filter(comparison -> !control.equals(Optional.of(comparison.method())))
                .filter(comparison -> verdict(comparison) instanceof Verdict.Inconclusive)
                .map(MethodComparisons.Comparison::method)
                .toList();
    }
}
