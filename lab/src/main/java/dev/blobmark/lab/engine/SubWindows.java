package dev.blobmark.lab.engine;

import java.util.Arrays;
import java.util.List;

/**
 * Operations of one worker and the time spent in them, over successive equal parts of a warm-up or window: what tells
 * whether it was steady, or went on at two levels. Its worker writes; parts below {@link #complete} may be read by any thread.
 * Nothing is allocated after construction.
 */
final class SubWindows {

    private final long length;
    private final long[][] count;
    private final long[][] busyNanos;

    /** That is counted in now; none before the phase begins and after its end. */
    private int part;

    private volatile int complete;

    /** @param length of a part, in what progress is told in, at least 1 */
    SubWindows(int types, int parts, long length) {
        this.length = Math.max(1, length);
        count = new long[types][parts];
        busyNanos = new long[types][parts];
        part = parts;
    }

    /** For a worker whose window has no parts: nothing is counted. */
    static SubWindows none(int types) {
        return new SubWindows(types, 0, 1);
    }

    /** The phase begins; what came before is not counted. */
    void begin() {
        part = 0;
    }

    /** An operation has ended; one that ends after all parts is passed over. */
    void add(int type, long progress, long nanos) {
        reach(progress);
        if (part < parts()) {
            count[type][part]++;
            busyNanos[type][part] += nanos;
        }
    }

    /** So much of the phase is over: nanoseconds, or operations where a phase is a number of them. */
    void reach(long progress) {
        if (progress < (part + 1) * length || part == parts()) {
            return;
        }
        part = (int) Math.min(progress / length, parts());
        complete = part;
    }

    /** Operations of all types in each part, of all workers together. */
    static List<Long> operations(List<SubWindows> workers) {
        long[] operations = new long[workers.isEmpty() ? 0 : workers.get(0).parts()];
        for (SubWindows worker : workers) {
            for (long[] ofType : worker.count) {
                for (int part = 0; part < operations.length; part++) {
                    operations[part] += ofType[part];
                }
            }
        }
        return Arrays.stream(operations).boxed().toList();
    }

    int parts() {
        return count[0].length;
    }

    /** Parts in which nothing more will be counted. */
    int complete() {
        return complete;
    }

    /**
     * Mean service times in nanoseconds over the first parts, of all workers together.
     *
     * @param leastOperations a part with fewer is joined to those after it; what is left over at the end is passed over
     */
    static double[] means(List<SubWindows> workers, int type, int parts, long leastOperations) {
        double[] means = new double[parts];
        int length = 0;
        long count = 0;
        long busy = 0;
        for (int part = 0; part < parts; part++) {
            for (SubWindows worker : workers) {
                count += worker.count[type][part];
                busy += worker.busyNanos[type][part];
            }
            if (count >= leastOperations) {
                means[length++] = (double) busy / count;
                count = 0;
                busy = 0;
            }
        }
        return Arrays.copyOf(means, length);
    }
}
