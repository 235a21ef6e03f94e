package dev.blobmark.bench;

import java.util.Locale;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * How many times as fast, with a 95 % interval. It is Student's t on the logarithms of the rounds' ratios, so that
 * "twice" and "half" are equally far from 1.
 *
 * @param mean geometric mean of the rounds' ratios
 * @param low lower end of the interval
 * @param high upper end of the interval
 */
public record Ratio(double mean, double low, double high) {

    private static final double CONFIDENCE = 0.95;

    /** @throws IllegalArgumentException with fewer than two rounds, which have no standard deviation */
    public static Ratio of(double[] logRatios) {
        int n = logRatios.length;
        if (n < 2) throw new IllegalArgumentException("an interval needs two rounds or more, not " + n);
        double sum = 0;
        for (double x : logRatios) sum += x;
        double mean = sum / n;
        double squares = 0;
        for (double x : logRatios) squares += (x - mean) * (x - mean);
        double standardError = Math.sqrt(squares / (n - 1) / n);
        double t = TDistribution.of(n - 1).inverseSurvivalProbability((1 - CONFIDENCE) / 2);
        return new Ratio(Math.exp(mean), Math.exp(mean - t * standardError), Math.exp(mean + t * standardError));
    }

    /** {@code 1.234 (95 %: 1.210 to 1.258)}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.3f (95 %%: %.3f to %.3f)", mean, low, high);
    }
}
