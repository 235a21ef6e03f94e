package dev.blobmark.lab.engine;

import dev.blobmark.lab.measurement.SizeClass;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * A worker's operations by the size class of the value that each worked on, beside its account of all of them. Which classes there
 * are is known before a trial; an operation's is read off the bytes that it gave, as an update's value is not its row's. Nothing
 * is allocated after construction.
 */
final class SizeAccount {

    /** By type and class; null for a class without values. */
    final Histogram[][] latency;

    final long[][] busyNanos;
    final long[][] applicationBytes;
    final long[][] storedBytes;

    /** @param isKept otherwise all classes share a histogram: a warm-up runs through the same code without its memory */
    private SizeAccount(int types, Set<SizeClass> classes, boolean isKept) {
        int all = SizeClass.values().length;
        latency = new Histogram[types][all];
        busyNanos = new long[types][all];
        applicationBytes = new long[types][all];
        storedBytes = new long[types][all];
        Histogram shared = isKept || classes.isEmpty() ? null : Latencies.newHistogram();
        for (Histogram[] ofType : latency) {
            classes.forEach(sizeClass -> ofType[sizeClass.ordinal()] = isKept ? Latencies.newHistogram() : shared);
        }
    }

    /** The account of a trial; one that takes nothing down where values are of one class, or operations work on several. */
    static SizeAccount of(TrialSpec spec, boolean isKept) {
        Set<SizeClass> classes = spec.setup().values().sizeClasses();
        boolean isApart = classes.size() > 1
                && spec.workload().worksOnOneValue(spec.setup().design());
        return new SizeAccount(spec.workload().operationTypes().size(), isApart ? classes : Set.of(), isKept);
    }

    void add(int type, long bytes, long nanos, long stored) {
        int number = SizeClass.numberOf(bytes);
        Histogram histogram = latency[type][number];
        if (histogram != null) {
            Latencies.record(histogram, nanos);
            busyNanos[type][number] += nanos;
            applicationBytes[type][number] += bytes;
            storedBytes[type][number] += stored;
        }
    }
}
