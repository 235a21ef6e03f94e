package dev.blobmark.analysis;

import dev.blobmark.lab.run.Sample;
import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A figure over the rounds: its median, and the range from the smallest to the largest. The range is not a confidence
 * interval.
 *
 * @param rounds number of values, at least 1
 */
public record Summary(double median, double min, double max, int rounds) {

    public static Summary of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        return new Summary((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1], n);
    }

    /** The median of the known figures; empty if none is known. */
    static OptionalDouble median(List<Sample> samples, Function<Sample, OptionalDouble> figure) {
        List<Double> known = samples.stream()
                .flatMap(sample -> figure.apply(sample).stream().boxed())
                .toList();
        return known.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(of(known).median());
    }
}
