package dev.blobmark.lab.run;

import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Metric;
import dev.blobmark.lab.study.Trial;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;

/**
 * What one trial gave in one round of one fork: a line of {@code samples.jsonl}. What is not known is empty, and
 * {@code unknown} says why, by the field's name in the file; a measured sample without such a reason is refused.
 *
 * @param trial canonical id of the trial
 * @param block number of the block, from 0
 * @param fork number of the JVM within its block, from 0
 * @param round number of the round within the block, from 0; a trial has one sample per block and round
 * @param flags observations that weaken the sample, as words
 * @param events what happened to the server or the link meanwhile
 * @param errors errors that were retried, counted by the server's code
 * @param elapsedNanos from the start of the window to the last completed operation, of the slowest worker
 * @param operations by operation type, a lower-case word; none where the outcome is not a measurement
 * @param diskBytes allocated bytes of the table's files
 * @param clientCpuNanosPerOp CPU time of the client's process in the window, per operation
 * @param serverCpuNanosPerOp CPU time of the server's process in the window, per operation
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
        SortedMap<String, String> unknown) {

    public Sample {
        Objects.requireNonNull(trial, "trial");
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(methodLevels, "methodLevels");
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(outcome, "outcome");
        require(block >= 0 && fork >= 0 && round >= 0, "block, fork and round are numbered from 0");
        flags = List.copyOf(flags);
        events = List.copyOf(events);
        errors = sorted(errors);
        operations = sorted(operations);
        unknown = sorted(unknown);
        operations.keySet().forEach(type -> require(type.matches("[a-z][a-z0-9-]*"), "operation type '" + type + "'"));
        requireAmount("elapsed_ns", elapsedNanos);
        requireAmount("disk_bytes", diskBytes);
        requireAmount("client_cpu_ns_per_op", clientCpuNanosPerOp);
        requireAmount("server_cpu_ns_per_op", serverCpuNanosPerOp);
        requireAmount("allocated_bytes_per_op", allocatedBytesPerOp);
        if (outcome.isMeasurement()) {
            require(!operations.isEmpty(), "a trial that was measured has operations");
            Set<String> missing = missing(
                    warmUp,
                    elapsedNanos,
                    operations,
                    diskBytes,
                    clientCpuNanosPerOp,
                    serverCpuNanosPerOp,
                    allocatedBytesPerOp);
            missing.removeAll(unknown.keySet());
            require(missing.isEmpty(), "no reason under 'unknown' for what is missing: " + missing);
        } else {
            require(operations.isEmpty(), "a trial that was not measured has no operations to show");
        }
    }

    /** The run-in: how long it took, and whether the trial was steady at its end. */
    public record WarmUp(double seconds, boolean steady) {

        public WarmUp {
            requireAmount("warmup.seconds", OptionalDouble.of(seconds));
        }
    }

    /**
     * What the operations of one type gave.
     *
     * @param count completed operations, at least 1
     * @param throughputBytesPerSecond application bytes per second, workers added up
     * @param applicationBytes decoded bytes of all operations together
     * @param storedBytes bytes in the column of the values that were worked on, all operations together
     */
    public record Operations(
            long count,
            double throughputBytesPerSecond,
            double operationsPerSecond,
            Latency latency,
            long applicationBytes,
            OptionalLong wireBytesIn,
            OptionalLong wireBytesOut,
            OptionalLong storedBytes) {

        public Operations {
            Objects.requireNonNull(latency, "latency");
            require(count >= 1, "an operation type that did not occur has no figures");
            requireAmount("throughput_bytes_per_s", OptionalDouble.of(throughputBytesPerSecond));
            requireAmount("operations_per_s", OptionalDouble.of(operationsPerSecond));
            requireAmount("application_bytes", OptionalLong.of(applicationBytes));
            requireAmount("wire_bytes_in", wireBytesIn);
            requireAmount("wire_bytes_out", wireBytesOut);
            requireAmount("stored_bytes", storedBytes);
        }
    }

    /** Service times in nanoseconds, from the merged histogram of all workers. */
    public record Latency(double mean, long p50, long p90, long p95, long p99, long p999, long max) {

        public Latency {
            requireAmount("latency_ns.mean", OptionalDouble.of(mean));
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

    /** The fields, as named in the file, of which a measured sample with such figures has to say why they are missing. */
    static Set<String> missing(
            Optional<WarmUp> warmUp,
            OptionalLong elapsedNanos,
            SortedMap<String, Operations> operations,
            OptionalLong diskBytes,
            OptionalDouble clientCpuNanosPerOp,
            OptionalDouble serverCpuNanosPerOp,
            OptionalDouble allocatedBytesPerOp) {
        SortedMap<String, Boolean> isThere = new TreeMap<>();
        isThere.put("warmup", warmUp.isPresent());
        isThere.put("elapsed_ns", elapsedNanos.isPresent());
        isThere.put("disk_bytes", diskBytes.isPresent());
        isThere.put("client_cpu_ns_per_op", clientCpuNanosPerOp.isPresent());
        isThere.put("server_cpu_ns_per_op", serverCpuNanosPerOp.isPresent());
        isThere.put("allocated_bytes_per_op", allocatedBytesPerOp.isPresent());
        operations.values().forEach(o -> {
            isThere.merge("wire_bytes_in", o.wireBytesIn().isPresent(), Boolean::logicalAnd);
            isThere.merge("wire_bytes_out", o.wireBytesOut().isPresent(), Boolean::logicalAnd);
            isThere.merge("stored_bytes", o.storedBytes().isPresent(), Boolean::logicalAnd);
        });
        isThere.values().removeIf(there -> there);
        return isThere.keySet();
    }

    private static <V> SortedMap<String, V> sorted(SortedMap<String, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }

    private static void requireAmount(String field, OptionalLong amount) {
        amount.ifPresent(n -> require(n >= 0, field + ": " + n + " is negative"));
    }

    private static void requireAmount(String field, OptionalDouble amount) {
        amount.ifPresent(
                x -> require(Double.isFinite(x) && x >= 0, field + ": " + x + " is no finite number from 0 up"));
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    /**
     * What the operations of one type gave by a metric; empty where they did not occur, or where the figure is not known.
     * Of what is told for the sample as a whole (disk, CPU, allocation), CPU and allocation are known only where there is a
     * single type of operation: they are of all types together.
     */
    public OptionalDouble value(Metric metric, String operation) {
        Operations its = operations.get(operation);
        if (its == null) {
            return OptionalDouble.empty();
        }
        boolean isOnlyType = operations.size() == 1;
        return switch (metric) {
            case THROUGHPUT -> OptionalDouble.of(its.throughputBytesPerSecond());
            case OPERATIONS -> OptionalDouble.of(its.operationsPerSecond());
            case MEAN -> OptionalDouble.of(its.latency().mean());
            case P50 -> OptionalDouble.of(its.latency().p50());
            case P90 -> OptionalDouble.of(its.latency().p90());
            case P95 -> OptionalDouble.of(its.latency().p95());
            case P99 -> OptionalDouble.of(its.latency().p99());
            case P999 -> OptionalDouble.of(its.latency().p999());
            case MAX -> OptionalDouble.of(its.latency().max());
            case CPU -> isOnlyType ? clientCpuNanosPerOp : OptionalDouble.empty();
            case SERVER_CPU -> isOnlyType ? serverCpuNanosPerOp : OptionalDouble.empty();
            case ALLOCATION -> isOnlyType ? allocatedBytesPerOp : OptionalDouble.empty();
            case COMPRESSION_RATIO ->
                its.storedBytes().orElse(0) > 0
                        ? OptionalDouble.of((double) its.applicationBytes()
                                / its.storedBytes().getAsLong())
                        : OptionalDouble.empty();
            case DISK -> diskBytes.isPresent() ? OptionalDouble.of(diskBytes.getAsLong()) : OptionalDouble.empty();
        };
    }

    /** The same, for statistics: empty also where it is 0, which has no ratio to other figures. */
    public Optional<Figure> figure(Metric metric, String operation) {
        OptionalDouble value = value(metric, operation);
        return value.orElse(0) > 0
                ? Optional.of(new Figure(block, fork, round, value.getAsDouble()))
                : Optional.empty();
    }

    /** The same sample, as a merged run numbers it. */
    Sample renumbered(int block, int fork) {
        return new Sample(
                trial,
                block,
                fork,
                round,
                startedAt,
                method,
                methodLevels,
                condition,
                outcome,
                flags,
                events,
                errors,
                warmUp,
                elapsedNanos,
                operations,
                diskBytes,
                clientCpuNanosPerOp,
                serverCpuNanosPerOp,
                allocatedBytesPerOp,
                unknown);
    }

    /** This sample as its line in {@code samples.jsonl} has it. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(SampleLine.of(this));
    }

    /** The sample of a line, of this version or a later one of the same schema. */
    public static Sample ofJson(String line) {
        return RunJson.MAPPER.readValue(line, SampleLine.class).toSample();
    }

    /** A trial that could not be run at all, in the first round of its block. */
    public static Sample notMeasured(Trial trial, int block, Outcome outcome) {
        return new Sample(
                trial.id(),
                block,
                0,
                0,
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                trial.method(),
                trial.methodLevels(),
                trial.condition(),
                outcome,
                List.of(),
                List.of(),
                new TreeMap<>(),
                Optional.empty(),
                OptionalLong.empty(),
                new TreeMap<>(),
                OptionalLong.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                new TreeMap<>());
    }
}
