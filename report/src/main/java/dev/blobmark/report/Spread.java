package dev.blobmark.report;

import java.util.Collection;

/**
 * A figure over the rounds: its median, and the range from the smallest to the largest. The range is no confidence
 * interval.
 *
 * @param rounds number of values, at least 1
 */
public record Spread(double median, double min, double max, int rounds) {

    public static Spread of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        return new Spread((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1], n);
    }
}
