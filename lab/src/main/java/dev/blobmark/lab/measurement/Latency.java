package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.require;
import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import org.HdrHistogram.AbstractHistogram;

/** Times in nanoseconds, from the merged histogram of all workers. */
public record Latency(double mean, long p50, long p90, long p95, long p99, long p999, long max) {

    public Latency {
        requireAmount("latency_ns.mean", mean);
        require(
                0 <= p50 && p50 <= p90 && p90 <= p95 && p95 <= p99 && p99 <= p999 && p999 <= max,
                "percentiles of a latency do not rise from p50 to max");
    }

    /** Of a histogram in nanoseconds with at least one value in it. */
    public static Latency of(AbstractHistogram nanos) {
        require(nanos.getTotalCount() > 0, "the histogram is empty");
        return new Latency(
                nanos.getMean(),
                nanos.getValueAtPercentile(50),
                nanos.getValueAtPercentile(90),
                nanos.getValueAtPercentile(95),
                nanos.getValueAtPercentile(99),
                nanos.getValueAtPercentile(99.9),
                nanos.getMaxValue());
    }
}
