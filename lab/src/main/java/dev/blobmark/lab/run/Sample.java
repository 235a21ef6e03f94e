package dev.blobmark.lab.run;

import dev.blobmark.lab.study.Levels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;

/**
 * What one trial gave in one round of one fork: a line of {@code samples.jsonl}. What is not known is empty, and
 * {@code unknown} says why, by the field's name in the file.
 *
 * @param trial canonical id of the trial
 * @param block number of the block, from 0
 * @param fork number of the JVM, from 0
 * @param round number of the round within the block, from 0
 * @param flags observations that weaken the sample, as words
 * @param events what happened to the server or the link meanwhile
 * @param errors errors that were retried, counted by the server's code
 * @param elapsedNanos from the start of the window to the last completed operation, of the slowest worker
 * @param operations by operation type
 * @param diskBytes allocated bytes of the table's files
 * @param clientCpuNanosPerOp CPU time of the client's process in the window, per operation
 * @param allocatedBytesPerOp bytes allocated by the workers' threads, per operation
 * @param unknown reason by field
 */
public record Sample(
        String trial,
        int block,
        int fork,
        int round,
        Instant startedAt,
        String method,
        Levels methodLevels,
        Levels condition,
        Outcome outcome,
        List<String> flags,
        List<String> events,
        SortedMap<String, Long> errors,
        Optional<WarmUp> warmUp,
        OptionalLong elapsedNanos,
        SortedMap<String, Operations> operations,
        OptionalLong diskBytes,
        OptionalDouble clientCpuNanosPerOp,
        OptionalDouble serverCpuNanosPerOp,
        OptionalDouble allocatedBytesPerOp,
        Map<String, String> unknown) {

    /** The run-in: how long it took, and whether the trial was steady at its end. */
    public record WarmUp(double seconds, boolean steady) {}

    /**
     * What the operations of one type gave.
     *
     * @param throughputBytesPerSecond application bytes per second, workers added up
     * @param storedBytes bytes in the column of the values that were worked on
     */
    public record Operations(
            long count,
            double throughputBytesPerSecond,
            double operationsPerSecond,
            Latency latency,
            long applicationBytes,
            OptionalLong wireBytesIn,
            OptionalLong wireBytesOut,
            OptionalLong storedBytes) {}

    /** Service times in nanoseconds, from the merged histogram of all workers. */
    public record Latency(double mean, long p50, long p90, long p95, long p99, long p999, long max) {}
}
