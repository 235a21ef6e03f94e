package dev.blobmark.lab.engine;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Histograms of service times, response times and lags in nanoseconds. */
public final class Latencies {

    /** Longer than any time-out of a server. A histogram of three digits takes about 270 KB. */
    public static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final int SIGNIFICANT_DIGITS = 3;

    private Latencies() {}

    static Histogram newHistogram() {
        return new Histogram(MAX_NANOS, SIGNIFICANT_DIGITS);
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(nanos, MAX_NANOS));
    }
}
