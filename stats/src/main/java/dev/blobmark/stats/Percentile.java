package dev.blobmark.stats;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * A percentile of all operations together, with an interval from resampling the units in which they were measured.
 *
 * <p>Percentiles are read from merged histograms, never averaged. Operations of one window are not independent (they
 * share a JVM, a moment, a machine), so resampling them would give intervals that are far too narrow. Instead, the
 * jackknife leaves out one fork at a time (or one round, if there is one fork): Efron and Tibshirani, "An Introduction
 * to the Bootstrap" (1993), chapter 11, with Student's quantile, on the logarithm. The interval is widened to whole
 * buckets of the histogram, which is its resolution.
 *
 * @param value the highest value of its bucket, as {@link Histogram#getValueAtPercentile} gives it
 */
public record Percentile(double value, Interval interval) {

    /** With fewer operations beyond a percentile its place is mostly chance, and there is no interval. */
    static final int MIN_BEYOND = 10;

    /**
     * @param byFork for each fork the histograms of its rounds, which are not changed
     * @param percent 0 to 100, both excluded
     * @throws IllegalArgumentException if nothing was recorded
     */
    public static Percentile of(List<List<Histogram>> byFork, double percent, Confidence confidence) {
        if (!(percent > 0 && percent < 100)) {
            throw new IllegalArgumentException("percentile: " + percent + " is not between 0 and 100; give 99 for p99");
        }
        Unit unit = byFork.size() == 1 ? Unit.ROUND : Unit.FORK;
        List<Histogram> units = new ArrayList<>();
        for (List<Histogram> rounds : byFork) {
            if (unit == Unit.FORK) {
                units.add(merged(rounds));
            } else {
                units.addAll(rounds);
            }
        }
        units.removeIf(histogram -> histogram.getTotalCount() == 0);
        if (units.isEmpty()) {
            throw new IllegalArgumentException(
                    "p" + percent + ": no operation was recorded; leave out trials that completed none");
        }
        Histogram all = merged(units);
        long value = all.getValueAtPercentile(percent);
        return new Percentile(value, interval(units, all, percent, confidence, unit));
    }

    private static Interval interval(
            List<Histogram> units, Histogram all, double percent, Confidence confidence, Unit unit) {
        int n = units.size();
        double beyond = all.getTotalCount() * Math.min(percent, 100 - percent) / 100;
        if (beyond < MIN_BEYOND) {
            return new Interval.None("only %.1f of %d operations lie beyond p%s; it takes %d"
                    .formatted(beyond, all.getTotalCount(), percent, MIN_BEYOND));
        }
        if (n < 2) {
            return Interval.around(0, 0, confidence, unit, n);
        }
        double[] without = new double[n];
        for (int i = 0; i < n; i++) {
            Histogram rest = all.copy();
            rest.subtract(units.get(i));
            without[i] = log(rest.getValueAtPercentile(percent));
        }
        double standardError = (n - 1) * Math.sqrt(Variance.of(without).getAsDouble() / n);
        return inWholeBuckets(
                Interval.around(log(all.getValueAtPercentile(percent)), standardError, confidence, unit, n), all);
    }

    private static Interval inWholeBuckets(Interval interval, Histogram buckets) {
        if (!(interval instanceof Interval.Range range)) {
            return interval;
        }
        // if few units differ much, a bound can exceed the histogram's range
        double high =
                range.high() < Long.MAX_VALUE / 2 ? buckets.highestEquivalentValue((long) range.high()) : range.high();
        return new Interval.Range(
                buckets.lowestEquivalentValue((long) range.low()),
                high,
                range.confidence(),
                range.unit(),
                range.units());
    }

    private static double log(long value) {
        return Math.log(Math.max(1, value));
    }

    private static Histogram merged(List<Histogram> histograms) {
        int digits = histograms.stream()
                .mapToInt(Histogram::getNumberOfSignificantValueDigits)
                .max()
                .orElse(3);
        Histogram merged = new Histogram(digits); // grows as needed
        histograms.forEach(merged::add);
        return merged;
    }
}
