package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.TimeAccount;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * The results of a worker in its warm-up or window. Other threads may read them after the worker has ended, and the
 * sub-windows at any time.
 */
final class Account {
    final Histogram[] latency;

    /** Response times from the intended start; empty in a closed loop. */
    final Histogram[] response;

    /** How late arrivals were started although this worker was free; null in a closed loop. */
    final Histogram lag;

    final long[] count;
    final long[] busyNanos;
    final long[] applicationBytes;
    final long[] storedBytes;
    final long[] wireBytesIn;
    final long[] wireBytesOut;

    /** Time spent, by type and {@link TimeAccount.TimedPart}. */
    final long[][] partNanos;

    /** The part of that time for which the link delayed reads and writes, by type. */
    final long[] linkNanos;

    final SizeAccount sizes;

    /** Whether its operations count their bytes on the wire. */
    boolean countsWire;

    final Map<String, Long> errors = new HashMap<>();
    final SubWindows subWindows;
    private final boolean progressIsOperations;
    long operations;
    long startNanos;
    long endNanos;
    long verifyNanos;
    /** Time of the window up to the last completed operation, without verification. */
    long elapsedNanos;

    long allocatedBytes;

    Account(TrialSpec spec, SubWindows subWindows, boolean progressIsOperations, boolean isOpen, boolean isWindow) {
        int types = spec.workload().operationTypes().size();
        latency = newHistograms(types);
        response = newHistograms(isOpen ? types : 0);
        lag = isOpen ? Latencies.newHistogram() : null;
        count = new long[types];
        busyNanos = new long[types];
        applicationBytes = new long[types];
        storedBytes = new long[types];
        wireBytesIn = new long[types];
        wireBytesOut = new long[types];
        partNanos = new long[types][TimeAccount.TimedPart.values().length];
        linkNanos = new long[types];
        sizes = SizeAccount.of(spec, isWindow);
        this.subWindows = subWindows;
        this.progressIsOperations = progressIsOperations;
    }

    /** For the visits of a trial. */
    static Account ofVisits(TrialSpec spec) {
        int types = spec.workload().operationTypes().size();
        return new Account(spec, SubWindows.none(types), false, false, true);
    }

    /** A new account for further visits of the same worker. */
    Account renewed(TrialSpec spec) {
        Account next = ofVisits(spec);
        next.countsWire = countsWire;
        return next;
    }

    private static Histogram[] newHistograms(int types) {
        Histogram[] histograms = new Histogram[types];
        Arrays.setAll(histograms, type -> Latencies.newHistogram());
        return histograms;
    }

    void begin(long nanos) {
        startNanos = nanos;
        endNanos = nanos;
        subWindows.begin();
    }

    /** Continues after a pause that does not count. */
    void resume(long nanos) {
        startNanos = nanos - elapsedNanos - verifyNanos;
        endNanos = nanos;
    }

    /** Application bytes of all types of operations. */
    long totalApplicationBytes() {
        return LongStream.of(applicationBytes).sum();
    }

    long progress(long nanos) {
        return progressIsOperations ? operations : nanos - startNanos;
    }
}
