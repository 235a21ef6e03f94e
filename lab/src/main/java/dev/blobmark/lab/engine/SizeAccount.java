package dev.blobmark.lab.engine;

import dev.blobmark.lab.measurement.SizeClass;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * A worker's operations by size class of the value, in addition to its account of all operations. The classes are known
 * before a trial. An operation's class is that of the bytes it returned, because an update writes a value of another
 * row. Nothing is allocated after construction.
 */
final class SizeAccount {

    /** Indexed by type and class; null for a class without values. */
    final Histogram[][] latency;

    final long[][] busyNanos;
    final long[][] applicationBytes;
    final long[][] storedBytes;

    /**
     * @param isWindow false for a warm-up, in which all classes share a histogram: the same code runs with less memory
     */
    private SizeAccount(int types, Set<SizeClass> classes, boolean isWindow) {
        int all = SizeClass.values().length;
        latency = new Histogram[types][all];
        busyNanos = new long[types][all];
        applicationBytes = new long[types][all];
        storedBytes = new long[types][all];
        Histogram shared = isWindow || classes.isEmpty() ? null : Latencies.newHistogram();
        for (Histogram[] ofType : latency) {
            classes.forEach(sizeClass -> ofType[sizeClass.ordinal()] = isWindow ? Latencies.newHistogram() : shared);
        }
    }

    /**
     * The account of a trial. It records nothing if all values have one class, or operations work on several values.
     */
    static SizeAccount of(TrialSpec spec, boolean isWindow) {
        Set<SizeClass> classes = spec.setup().values().sizeClasses();
        boolean hasClasses = classes.size() > 1
                && spec.workload().worksOnOneValue(spec.setup().design());
        return new SizeAccount(spec.workload().operationTypes().size(), hasClasses ? classes : Set.of(), isWindow);
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
