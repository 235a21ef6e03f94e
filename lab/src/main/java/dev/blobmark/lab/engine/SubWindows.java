package dev.blobmark.lab.engine;

import java.util.Arrays;
import java.util.List;

/**
 * Operations of one worker and their service times, in successive equal parts of a warm-up or window. They show whether
 * it was steady, or had two levels. Only the worker writes; any thread may read parts below {@link #complete}. Nothing
 * is allocated after construction.
 */
final class SubWindows {

    private final long length;
    private final long[][] count;
    private final long[][] busyNanos;

    /** The current part; none before the phase begins and after its end. */
    private int part;

    private volatile int complete;

    /** @param length of a part, in the unit of progress; at least 1 */
    SubWindows(int types, int parts, long length) {
        this.length = Math.max(1, length);
        count = new long[types][parts];
        busyNanos = new long[types][parts];
        part = parts;
    }

    /** For a window without parts: nothing is counted. */
    static SubWindows none(int types) {
        return new SubWindows(types, 0, 1);
    }

    /** Begins the phase; earlier operations are not counted. */
    void begin() {
        part = 0;
    }

    /** Adds an operation that has ended; it is ignored after the last part. */
    void add(int type, long progress, long nanos) {
        reach(progress);
        if (part < parts()) {
            count[type][part]++;
            busyNanos[type][part] += nanos;
        }
    }

    /** Advances to the part at this progress: nanoseconds, or operations if the phase is a number of operations. */
    void reach(long progress) {
        if (progress < (part + 1) * length || part == parts()) {
            return;
        }
        part = (int) Math.min(progress / length, parts());
        complete = part;
    }

    /** Operations of all types and all workers in each part. */
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

    /** Number of parts that will not change. */
    int complete() {
        return complete;
    }

    /**
     * Mean service times of all workers together in the first parts, in nanoseconds.
     *
     * @param minOperations a part with fewer is joined with those after it; a rest at the end is ignored
     */
    static double[] means(List<SubWindows> workers, int type, int parts, long minOperations) {
        double[] means = new double[parts];
        int length = 0;
        long count = 0;
        long busy = 0;
        for (int part = 0; part < parts; part++) {
            for (SubWindows worker : workers) {
                count += worker.count[type][part];
                busy += worker.busyNanos[type][part];
            }
            if (count >= minOperations) {
                means[length++] = (double) busy / count;
                count = 0;
                busy = 0;
            }
        }
        return Arrays.copyOf(means, length);
    }
}
