package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.store.DiskSpace;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Metric;
import dev.blobmark.lab.study.SizeClass;
import dev.blobmark.lab.study.Trial;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
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
 * @param openLoop what was offered; empty in a closed loop
 * @param diskBytes allocated bytes of the table's files
 * @param diskUsedBytes of their pages that are in use; empty also in runs from before it was recorded
 * @param clientCpuNanosPerOp CPU time of the client's process in the window, per operation
 * @param serverCpuNanosPerOp CPU time of the server's process in the window, per operation
 * @param pagesReadPerOp pages that the server's InnoDB read from files in the window, per operation
 * @param allocatedBytesPerOp bytes allocated by the workers' threads, per operation
 * @param beside what went on in the window that may explain the longest operations; empty where it was not measured, and in runs from
 *     before it was recorded
 * @param pool settings of the connection pool as it told them itself, of each process; none without
 * @param sqlNodes operations per second over each SQL node of a cluster, in their order; none where there is but one server
 * @param visits the figures of each visit, where it was measured in short windows in turns with others; empty where there was one
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
        Optional<OpenLoop> openLoop,
        OptionalLong diskBytes,
        OptionalLong diskUsedBytes,
        OptionalDouble clientCpuNanosPerOp,
        OptionalDouble serverCpuNanosPerOp,
        OptionalDouble pagesReadPerOp,
        OptionalDouble allocatedBytesPerOp,
        Optional<Beside> beside,
        SortedMap<String, String> pool,
        List<Double> sqlNodes,
        Optional<Visits> visits,
        SortedMap<String, String> unknown) {

    /** The operation type that stands for all types together, where they compete for one window. */
    public static final String MIX = "mix";

    /** The flag of a trial that failed because a JVM that measured it crashed: an accident, not a fault of the method. */
    public static final String CRASHED = "crashed";

    /** The flag of a trial whose processes did not measure at the same time; an event says by how much. */
    public static final String APART = "windows apart";
    /** The flag of a sample that was measured while others loaded the server more than was allowed, or might have unseen; an event says which. */
    public static final String DISTURBED = "disturbed";

    /** The flag of a sample whose operations went on at two levels in turns; an event says at which. */
    public static final String BIMODAL = "bimodal";

    /** The flag of a sample in whose window, or before it, a node of the cluster was lost; an event says which. */
    public static final String DEGRADED = "degraded";

    /** The flag of a sample that was measured over an emulated link which this machine cannot keep up; an event says how far. */
    public static final String LINK_NOT_SUSTAINED = "link not sustained";

    /** The flag of a sample whose visits began slower or faster than they went on; an event says by how much. */
    public static final String UNSETTLED = "not settled";

    /** The name of the histogram of schedule lags, beside those of operation types. */
    public static final String SCHEDULE_LAG = "schedule.lag";

    /** The name of the histogram of an operation type's response times, beside the one of its service times. */
    public static String responseOf(String operation) {
        return operation + ".response";
    }

    /** The name of the histogram of an operation type's service times with values of one size class. */
    public static String ofSize(String operation, SizeClass size) {
        return operation + "." + size;
    }

    public Sample {
        Objects.requireNonNull(trial, "trial");
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(methodLevels, "methodLevels");
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(openLoop, "openLoop");
        require(block >= 0 && fork >= 0 && round >= 0, "block, fork and round are numbered from 0");
        flags = List.copyOf(flags);
        events = List.copyOf(events);
        errors = sorted(errors);
        operations = sorted(operations);
        unknown = sorted(unknown);
        operations.keySet().forEach(type -> require(type.matches("[a-z][a-z0-9-]*"), "operation type '" + type + "'"));
        beside = beside == null ? Optional.empty() : beside;
        pool = pool == null ? sorted(new TreeMap<>()) : sorted(pool);
        sqlNodes = sqlNodes == null ? List.of() : List.copyOf(sqlNodes);
        visits = visits == null ? Optional.empty() : visits;
        requireAmount("elapsed_ns", elapsedNanos);
        diskUsedBytes = diskUsedBytes == null ? OptionalLong.empty() : diskUsedBytes;
        requireAmount("disk_bytes", diskBytes);
        requireAmount("disk_used_bytes", diskUsedBytes);
        requireAmount("client_cpu_ns_per_op", clientCpuNanosPerOp);
        requireAmount("server_cpu_ns_per_op", serverCpuNanosPerOp);
        requireAmount("pages_read_per_op", pagesReadPerOp);
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
                    pagesReadPerOp,
                    allocatedBytesPerOp);
            missing.removeAll(unknown.keySet());
            require(missing.isEmpty(), "no reason under 'unknown' for what is missing: " + missing);
            boolean isOpen = openLoop.isPresent();
            require(
                    operations.values().stream().allMatch(o -> o.response().isPresent() == isOpen),
                    "there are response times in an open loop, and only there");
        } else {
            require(operations.isEmpty(), "a trial that was not measured has no operations to show");
        }
    }

    /** A sample of which is not known what went on beside it. */
    public Sample(
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
            Optional<OpenLoop> openLoop,
            OptionalLong diskBytes,
            OptionalDouble clientCpuNanosPerOp,
            OptionalDouble serverCpuNanosPerOp,
            OptionalDouble pagesReadPerOp,
            OptionalDouble allocatedBytesPerOp,
            SortedMap<String, String> unknown) {
        this(
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
                openLoop,
                diskBytes,
                OptionalLong.empty(),
                clientCpuNanosPerOp,
                serverCpuNanosPerOp,
                pagesReadPerOp,
                allocatedBytesPerOp,
                Optional.empty(),
                new TreeMap<>(),
                List.of(),
                Optional.empty(),
                unknown);
    }

    /** A sample of a closed loop, in which pages were not counted. */
    public Sample(
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
        this(
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
                Optional.empty(),
                diskBytes,
                clientCpuNanosPerOp,
                serverCpuNanosPerOp,
                OptionalDouble.empty(),
                allocatedBytesPerOp,
                unknown);
    }

    /**
     * What client and server did in the window beside its operations.
     *
     * @param pagesRead pages that the server's InnoDB read from files, for whomever
     * @param pagesFlushed pages that it wrote to them
     * @param roundTrips how often an SQL node of a cluster waited for data nodes, for whomever; empty where there is none
     * @param collections of garbage in the client
     * @param collectionNs how long they took
     */
    public record Beside(
            OptionalLong pagesRead,
            OptionalLong pagesFlushed,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalLong roundTrips,
            long collections,
            long collectionNs) {

        public Beside {
            roundTrips = roundTrips == null ? OptionalLong.empty() : roundTrips;
            requireAmount("beside.round_trips", roundTrips);
            requireAmount("beside.pages_read", pagesRead);
            requireAmount("beside.pages_flushed", pagesFlushed);
            requireAmount("beside.collections", OptionalLong.of(collections));
            requireAmount("beside.collection_ns", OptionalLong.of(collectionNs));
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
     * @param latency service times: from the actual start
     * @param response response times: from the intended start; empty in a closed loop
     * @param time where the service times went; empty where there was no server, or it was not recorded
     * @param bySize those that worked on values of one size class, over the time spent in them: in their rates workers are added
     *     up, and bytes on the wire and response times are not known; none where all values are of one class, or an operation works
     *     on several
     */
    public record Operations(
            long count,
            double throughputBytesPerSecond,
            double operationsPerSecond,
            Latency latency,
            long applicationBytes,
            OptionalLong wireBytesIn,
            OptionalLong wireBytesOut,
            OptionalLong storedBytes,
            Optional<Latency> response,
            Optional<Spent> time,
            SortedMap<SizeClass, Operations> bySize) {

        /** The same, not told apart by size. */
        public Operations ofAllSizes() {
            return new Operations(
                    count,
                    throughputBytesPerSecond,
                    operationsPerSecond,
                    latency,
                    applicationBytes,
                    wireBytesIn,
                    wireBytesOut,
                    storedBytes,
                    response,
                    time,
                    new TreeMap<>());
        }

        /** Operations that are not told apart by size, and of which it is not known where the time went. */
        public Operations(
                long count,
                double throughputBytesPerSecond,
                double operationsPerSecond,
                Latency latency,
                long applicationBytes,
                OptionalLong wireBytesIn,
                OptionalLong wireBytesOut,
                OptionalLong storedBytes,
                Optional<Latency> response) {
            this(
                    count,
                    throughputBytesPerSecond,
                    operationsPerSecond,
                    latency,
                    applicationBytes,
                    wireBytesIn,
                    wireBytesOut,
                    storedBytes,
                    response,
                    Optional.empty(),
                    new TreeMap<>());
        }

        /** The same of a closed loop. */
        public Operations(
                long count,
                double throughputBytesPerSecond,
                double operationsPerSecond,
                Latency latency,
                long applicationBytes,
                OptionalLong wireBytesIn,
                OptionalLong wireBytesOut,
                OptionalLong storedBytes) {
            this(
                    count,
                    throughputBytesPerSecond,
                    operationsPerSecond,
                    latency,
                    applicationBytes,
                    wireBytesIn,
                    wireBytesOut,
                    storedBytes,
                    Optional.empty());
        }

        public Operations {
            Objects.requireNonNull(latency, "latency");
            Objects.requireNonNull(time, "time");
            require(count >= 1, "an operation type that did not occur has no figures");
            requireAmount("throughput_bytes_per_s", OptionalDouble.of(throughputBytesPerSecond));
            requireAmount("operations_per_s", OptionalDouble.of(operationsPerSecond));
            requireAmount("application_bytes", OptionalLong.of(applicationBytes));
            requireAmount("wire_bytes_in", wireBytesIn);
            requireAmount("wire_bytes_out", wireBytesOut);
            requireAmount("stored_bytes", storedBytes);
            bySize = sorted(bySize);
            long sized = bySize.values().stream().mapToLong(Operations::count).sum();
            require(
                    bySize.isEmpty() || sized == count,
                    "operations by size are " + sized + " together, not the " + count + " that there were");
        }
    }

    /**
     * What an open loop offered, and what became of it. A type of operation is known only when one is started, so this is of all
     * types together.
     *
     * @param ratePerSecond offered on average, as the study has it
     * @param offered arrivals in the window
     * @param started the rest was {@code dropped}
     * @param completed the rest of those started failed
     * @param scheduleLag how late arrivals were started although a thread was free: the lab's own delay
     */
    public record OpenLoop(
            double ratePerSecond, long offered, long started, long completed, long dropped, Latency scheduleLag) {

        public OpenLoop {
            Objects.requireNonNull(scheduleLag, "scheduleLag");
            requireAmount("open_loop.rate_per_s", OptionalDouble.of(ratePerSecond));
            require(
                    completed >= 0 && dropped >= 0 && started + dropped == offered && completed <= started,
                    "of " + offered + " offered, " + started + " started and " + dropped
                            + " dropped do not add up, or more than that were completed: " + completed);
        }

        /** What several processes offered together. */
        public static OpenLoop sum(Collection<OpenLoop> those, Latency scheduleLag) {
            return new OpenLoop(
                    those.stream().mapToDouble(OpenLoop::ratePerSecond).sum(),
                    those.stream().mapToLong(OpenLoop::offered).sum(),
                    those.stream().mapToLong(OpenLoop::started).sum(),
                    those.stream().mapToLong(OpenLoop::completed).sum(),
                    those.stream().mapToLong(OpenLoop::dropped).sum(),
                    scheduleLag);
        }
    }

    /**
     * Where the service time of an operation went, on average, in nanoseconds. The first six add up to its mean.
     *
     * @param waiting from the last byte of a request to the first of its answer, all round trips of the operation together
     * @param transfer in calls of the socket that send, or receive after the first byte
     * @param client between calls of the socket: driver and copying
     * @param decode in the codec; of a write, encoding
     * @param pool for a connection of a pool
     * @param unexplained what is left: pauses before an operation is tried again, and looks at the clock
     * @param link how much of {@code waiting} and {@code transfer} an emulated link has held back what was there; 0 without one
     */
    public record Spent(
            double waiting,
            double transfer,
            double client,
            double decode,
            double pool,
            double unexplained,
            double link) {

        public Spent {
            for (double part : new double[] {waiting, transfer, client, decode, pool, unexplained, link}) {
                requireAmount("time_ns", OptionalDouble.of(part));
            }
        }

        /** Of all parts, as long as the service time. */
        public double total() {
            return waiting + transfer + client + decode + pool + unexplained;
        }

        /** What all of those spent on average; empty where it is not known of all. */
        public static Optional<Spent> mean(List<Operations> those) {
            if (those.isEmpty() || those.stream().anyMatch(its -> its.time.isEmpty())) {
                return Optional.empty();
            }
            return Optional.of(new Spent(
                    mean(those, Spent::waiting),
                    mean(those, Spent::transfer),
                    mean(those, Spent::client),
                    mean(those, Spent::decode),
                    mean(those, Spent::pool),
                    mean(those, Spent::unexplained),
                    mean(those, Spent::link)));
        }

        private static double mean(List<Operations> those, ToDoubleFunction<Spent> part) {
            return those.stream()
                            .mapToDouble(its -> part.applyAsDouble(its.time.orElseThrow()) * its.count)
                            .sum()
                    / those.stream().mapToLong(Operations::count).sum();
        }
    }

    /** Times in nanoseconds, from the merged histogram of all workers. */
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
            OptionalDouble pagesReadPerOp,
            OptionalDouble allocatedBytesPerOp) {
        SortedMap<String, Boolean> isThere = new TreeMap<>();
        isThere.put("warmup", warmUp.isPresent());
        isThere.put("elapsed_ns", elapsedNanos.isPresent());
        isThere.put("disk_bytes", diskBytes.isPresent());
        isThere.put("client_cpu_ns_per_op", clientCpuNanosPerOp.isPresent());
        isThere.put("server_cpu_ns_per_op", serverCpuNanosPerOp.isPresent());
        isThere.put("pages_read_per_op", pagesReadPerOp.isPresent());
        isThere.put("allocated_bytes_per_op", allocatedBytesPerOp.isPresent());
        operations.values().forEach(o -> {
            isThere.merge("wire_bytes_in", o.wireBytesIn().isPresent(), Boolean::logicalAnd);
            isThere.merge("wire_bytes_out", o.wireBytesOut().isPresent(), Boolean::logicalAnd);
            isThere.merge("time_ns", o.time().isPresent(), Boolean::logicalAnd);
            isThere.merge("stored_bytes", o.storedBytes().isPresent(), Boolean::logicalAnd);
        });
        isThere.values().removeIf(there -> there);
        return isThere.keySet();
    }

    private static <K, V> SortedMap<K, V> sorted(SortedMap<K, V> map) {
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
     * What is told for the sample as a whole, disk bytes aside, is known only where there is a single type of operation: it is of
     * all types together, and so also that of {@link #MIX}.
     */
    public OptionalDouble value(Metric metric, String operation) {
        Operations its = operations.get(operation);
        if (its == null) {
            return OptionalDouble.empty();
        }
        boolean isOnlyType = operations.size() == 1 || operation.equals(MIX);
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
            case RESPONSE_P50 -> of(its.response(), Latency::p50);
            case RESPONSE_P99 -> of(its.response(), Latency::p99);
            case RESPONSE_P999 -> of(its.response(), Latency::p999);
            case CPU -> isOnlyType ? clientCpuNanosPerOp : OptionalDouble.empty();
            case SERVER_CPU -> isOnlyType ? serverCpuNanosPerOp : OptionalDouble.empty();
            case PAGES_READ -> isOnlyType ? pagesReadPerOp : OptionalDouble.empty();
            case ROUND_TRIPS ->
                isOnlyType
                        ? beside.map(b -> perOperation(b.roundTrips(), its)).orElse(OptionalDouble.empty())
                        : OptionalDouble.empty();
            case WIRE_IN -> perOperation(its.wireBytesIn(), its);
            case WIRE_OUT -> perOperation(its.wireBytesOut(), its);
            case WAITING -> of(its.time(), Spent::waiting);
            case TRANSFER -> of(its.time(), Spent::transfer);
            case CLIENT -> of(its.time(), Spent::client);
            case DECODE -> of(its.time(), Spent::decode);
            case ALLOCATION -> isOnlyType ? allocatedBytesPerOp : OptionalDouble.empty();
            case COMPRESSION_RATIO ->
                its.storedBytes().orElse(0) > 0
                        ? OptionalDouble.of((double) its.applicationBytes()
                                / its.storedBytes().getAsLong())
                        : OptionalDouble.empty();
            case ELAPSED ->
                elapsedNanos.isPresent() ? OptionalDouble.of(elapsedNanos.getAsLong()) : OptionalDouble.empty();
            case DISK -> diskBytes.isPresent() ? OptionalDouble.of(diskBytes.getAsLong()) : OptionalDouble.empty();
        };
    }

    private static OptionalDouble perOperation(OptionalLong total, Operations its) {
        return total.isPresent() ? OptionalDouble.of((double) total.getAsLong() / its.count()) : OptionalDouble.empty();
    }

    private static <T> OptionalDouble of(Optional<T> figures, ToDoubleFunction<T> figure) {
        return figures.isPresent() ? OptionalDouble.of(figure.applyAsDouble(figures.get())) : OptionalDouble.empty();
    }

    /** The same, for statistics: empty also where it is 0, which has no ratio to other figures. */
    public Optional<Figure> figure(Metric metric, String operation) {
        OptionalDouble value = value(metric, operation);
        return value.orElse(0) > 0
                ? Optional.of(new Figure(block, fork, round, value.getAsDouble()))
                : Optional.empty();
    }

    /** How long it took: the warm-up with the first reading of each row, the window, and what went before each visit. */
    public double seconds() {
        double settling = visits.map(its -> its.count() * (its.settleMs() / 1e3 + Visits.TURN_SECONDS))
                .orElse(0.0);
        return warmUp.map(WarmUp::seconds).orElse(0.0) + elapsedNanos.orElse(0) / 1e9 + settling;
    }

    /**
     * The same, of each visit where there were several and the metric is a rate: the level at which figures are paired and vary. Figures of
     * one visit round of one fork belong together; a trial may have several of them, or none.
     */
    public List<Figure> figures(Metric metric, String operation) {
        boolean isRate = metric == Metric.THROUGHPUT || metric == Metric.OPERATIONS;
        // visits have rates of all types together
        boolean isWhole = operations.size() == 1 || operation.equals(MIX);
        if (visits.isEmpty() || !isRate || !isWhole || !operations.containsKey(operation)) {
            return figure(metric, operation).stream().toList();
        }
        Visits its = visits.get();
        List<Double> rates = metric == Metric.THROUGHPUT ? its.bytesPerS() : its.operationsPerS();
        return IntStream.range(0, its.count())
                .filter(visit -> rates.get(visit) > 0)
                .mapToObj(visit ->
                        new Figure(block, fork, Visits.round(round, its.rounds().get(visit)), rates.get(visit)))
                .toList();
    }

    /** Operations of all types. */
    public long count() {
        return count(operations);
    }

    /** The same of some, by their types. */
    public static long count(SortedMap<String, Operations> operations) {
        return Optional.ofNullable(operations.get(MIX))
                .map(Operations::count)
                .orElseGet(() -> operations.values().stream()
                        .mapToLong(Operations::count)
                        .sum());
    }

    /** The names of the histograms that belong to this sample. */
    public SortedSet<String> histograms() {
        SortedSet<String> names = new TreeSet<>(operations.keySet());
        operations.forEach(
                (operation, its) -> its.bySize().keySet().forEach(size -> names.add(ofSize(operation, size))));
        if (openLoop.isPresent()) {
            operations.keySet().forEach(operation -> names.add(responseOf(operation)));
            names.add(SCHEDULE_LAG);
        }
        return names;
    }

    /**
     * What is known of the values of one size class alone, as a sample of a closed loop; empty where nothing is, or nothing was
     * measured. The histograms of its operations are under the names {@link #ofSize(String, SizeClass)}.
     */
    public Optional<Sample> ofSize(SizeClass size) {
        SortedMap<String, Operations> its = new TreeMap<>();
        operations.forEach((type, all) -> {
            if (all.bySize().containsKey(size)) {
                its.put(type, all.bySize().get(size));
            }
        });
        if (its.isEmpty()) {
            return Optional.empty();
        }
        SortedMap<String, String> others = new TreeMap<>(unknown);
        OptionalDouble none = OptionalDouble.empty();
        missing(warmUp, OptionalLong.empty(), its, OptionalLong.empty(), none, none, none, none)
                .forEach(field -> others.put(field, "only of all sizes together"));
        return Optional.of(new Sample(
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
                OptionalLong.empty(),
                its,
                OptionalLong.empty(),
                none,
                none,
                none,
                others));
    }

    /** The same sample, as a merged run numbers it. */
    public Sample renumbered(int block, int fork) {
        return copy(block, fork, events);
    }

    /** Whether it failed because a JVM that measured it crashed: an accident, not a fault of the method. */
    public boolean isCrashed() {
        return outcome instanceof Outcome.Failed && flags.contains(CRASHED);
    }

    /** This sample as its line in {@code samples.jsonl} has it. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(SampleLine.of(this));
    }

    /** The sample of a line, of this version or a later one of the same schema. */
    public static Sample ofJson(String line) {
        return RunJson.MAPPER.readValue(line, SampleLine.class).toSample();
    }

    /** This sample, with the disk of a table that its own operations have filled; as it is where that is not known. */
    public Sample withDisk(DiskSpace disk) {
        if (disk.allocatedBytes().isEmpty()) {
            return this;
        }
        SortedMap<String, String> others = new TreeMap<>(unknown);
        others.remove("disk_bytes");
        return copy(block, fork, flags, events, disk, others);
    }

    /** This sample, where nobody looked at the disk. */
    public Sample withoutDisk(String reason) {
        SortedMap<String, String> others = new TreeMap<>(unknown);
        others.put("disk_bytes", reason);
        return copy(block, fork, flags, events, DiskSpace.UNKNOWN, others);
    }

    /** This sample, and one more thing that happened meanwhile. */
    public Sample withEvent(String event) {
        List<String> more = new ArrayList<>(events);
        more.add(event);
        return copy(block, fork, more);
    }

    /** This sample with a flag, and the event that tells why. */
    public Sample flagged(String flag, String event) {
        List<String> more = new ArrayList<>(flags);
        more.add(flag);
        List<String> told = new ArrayList<>(events);
        told.add(event);
        return copy(block, fork, more, told, disk(), unknown);
    }

    private Sample copy(int block, int fork, List<String> events) {
        return copy(block, fork, flags, events, disk(), unknown);
    }

    private DiskSpace disk() {
        return new DiskSpace(diskBytes, diskUsedBytes);
    }

    private Sample copy(
            int block,
            int fork,
            List<String> flags,
            List<String> events,
            DiskSpace disk,
            SortedMap<String, String> unknown) {
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
                openLoop,
                disk.allocatedBytes(),
                disk.usedBytes(),
                clientCpuNanosPerOp,
                serverCpuNanosPerOp,
                pagesReadPerOp,
                allocatedBytesPerOp,
                beside,
                pool,
                sqlNodes,
                visits,
                unknown);
    }

    /** A trial that could not be run at all, in the first round of its block. */
    public static Sample notMeasured(Trial trial, int block, Outcome outcome) {
        return notMeasured(trial, block, 0, 0, outcome);
    }

    /** The same in a fork and round of its own, since it was measured in others. */
    public static Sample notMeasured(Trial trial, int block, int fork, int round, Outcome outcome) {
        return notMeasured(trial, block, fork, round, outcome, List.of());
    }

    /** A trial whose figures went with the JVM that measured it. */
    public static Sample crashed(Trial trial, int block, int fork, int round, String reason) {
        return notMeasured(trial, block, fork, round, new Outcome.Failed(reason), List.of(CRASHED));
    }

    private static Sample notMeasured(
            Trial trial, int block, int fork, int round, Outcome outcome, List<String> flags) {
        return new Sample(
                trial.id(),
                block,
                fork,
                round,
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                trial.method(),
                trial.methodLevels(),
                trial.condition(),
                outcome,
                flags,
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
