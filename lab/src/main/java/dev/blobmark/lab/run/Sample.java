package dev.blobmark.lab.run;

import static dev.blobmark.lab.measurement.Amounts.require;
import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.blobmark.lab.measurement.Amounts;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Measured;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Figure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The result of one trial in one round of one fork: a line of {@code samples.jsonl}, whose fields are these components.
 * Unknown figures are empty, and the remarks state the reason under the field's name in the file. A measured sample
 * without such a reason is refused.
 *
 * @param position in the run
 * @param remarks on the figures
 * @param warmUp empty if the trial was not started
 * @param operations by operation type, a lower-case word; empty if the outcome is not a measurement
 * @param openLoop the offered load; empty in a closed loop
 * @param resources used in the window by operations of all types together
 * @param disk space of the table
 * @param visits the figures of each visit; empty if the window was in one piece
 * @param skew how closely together the processes measured; empty if there was one
 */
public record Sample(
        Trial trial,
        Position position,
        Outcome outcome,
        Remarks remarks,
        @JsonProperty("warmup") Optional<WarmUp> warmUp,
        SortedMap<String, Operations> operations,
        Optional<OpenLoop> openLoop,
        Resources resources,
        DiskSpace disk,
        Optional<Visits> visits,
        Optional<Skew> skew) {

    /** Of one process. */
    public Sample(
            Trial trial,
            Position position,
            Outcome outcome,
            Remarks remarks,
            Optional<WarmUp> warmUp,
            SortedMap<String, Operations> operations,
            Optional<OpenLoop> openLoop,
            Resources resources,
            DiskSpace disk,
            Optional<Visits> visits) {
        this(
                trial,
                position,
                outcome,
                remarks,
                warmUp,
                operations,
                openLoop,
                resources,
                disk,
                visits,
                Optional.empty());
    }

    /** The operation type that stands for all types together, if they compete for one window. */
    public static final String MIX = "mix";

    /** The flag of a trial that failed because a measuring JVM crashed, which is not attributed to the method. */
    public static final String CRASHED = "crashed";

    /** The flag of a trial whose processes did not measure at the same time. An event states the difference. */
    public static final String APART = "windows apart";

    /**
     * The flag of a sample whose rate was limited by the processes that measured, or by their hosts, and not by the
     * server. An event states the reason.
     */
    public static final String CLIENT_LIMITED = "limited by clients";

    /**
     * The flag of a sample of several processes that claim more operations than the server received statements. An
     * event states both.
     */
    public static final String MISCOUNTED = "counts differ";

    /** The flag of a sample during which others exceeded the load limits, or the load was not known. See the event. */
    public static final String DISTURBED = "disturbed";

    /** The flag of a sample whose rate jumped between two levels. An event states the levels. */
    public static final String BIMODAL = "bimodal";

    /** The flag of a sample in or before whose window a node of the cluster was lost. An event names the node. */
    public static final String DEGRADED = "degraded";

    /**
     * The flag of a sample over an emulated link that this machine does not sustain. An event states the difference.
     */
    public static final String LINK_NOT_SUSTAINED = "link not sustained";

    /** The flag of a sample whose visits were faster or slower at their beginning. An event states the difference. */
    public static final String UNSETTLED = "not settled";

    /**
     * The flag of a sample that did another mix of operations than it was asked for, beyond chance. An event states
     * both. It takes part in no verdict.
     */
    public static final String OTHER_MIX = "other mix";

    /** The name of the histogram of schedule lags. */
    public static final String SCHEDULE_LAG = "schedule.lag";

    /** The name of the histogram of an operation type's response times. That of service times has the type's name. */
    public static String responseOf(String operation) {
        return operation + ".response";
    }

    /** The name of the histogram of an operation type's service times with values of one size class. */
    public static String ofSize(String operation, SizeClass size) {
        return operation + "." + size;
    }

    /** The field name for {@link Remarks#unknown} of the disk space. */
    private static final String DISK = "disk";

    public Sample {
        Objects.requireNonNull(trial, "trial");
        Objects.requireNonNull(position, "position");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(remarks, "remarks");
        Objects.requireNonNull(warmUp, "warmup");
        Objects.requireNonNull(openLoop, "open_loop");
        Objects.requireNonNull(resources, "resources");
        Objects.requireNonNull(visits, "visits");
        Objects.requireNonNull(skew, "skew");
        operations = Amounts.sorted(operations);
        operations
                .keySet()
                .forEach(type -> require(
                        type.matches("[a-z][a-z0-9-]*"), "operation type '" + type + "' is not a lower-case word"));
        requireAmount("disk.allocated_bytes", disk.allocatedBytes());
        requireAmount("disk.used_bytes", disk.usedBytes());
        if (outcome.isMeasurement()) {
            require(!operations.isEmpty(), "operations: there must be one if the trial was measured");
            Set<String> missing = missing(warmUp, operations, resources, disk);
            missing.removeAll(remarks.unknown().keySet());
            require(missing.isEmpty(), "unknown: there is no reason for the missing " + missing);
            boolean isOpen = openLoop.isPresent();
            require(
                    operations.values().stream().allMatch(o -> o.response().isPresent() == isOpen),
                    "operations: there must be response times in an open loop, and only there");
        } else {
            require(operations.isEmpty(), "operations: there must be none if the trial was not measured");
        }
    }

    /** The names in the file of missing fields for which a measured sample must state a reason. */
    static Set<String> missing(
            Optional<WarmUp> warmUp, SortedMap<String, Operations> operations, Resources resources, DiskSpace disk) {
        SortedMap<String, Boolean> isPresent = new TreeMap<>();
        isPresent.put("warmup", warmUp.isPresent());
        isPresent.put("elapsed_ns", resources.elapsedNanos().isPresent());
        isPresent.put("client_cpu_ns_per_op", resources.clientCpuNanosPerOp().isPresent());
        isPresent.put("server_cpu_ns_per_op", resources.serverCpuNanosPerOp().isPresent());
        isPresent.put("pages_read_per_op", resources.pagesReadPerOp().isPresent());
        isPresent.put("allocated_bytes_per_op", resources.allocatedBytesPerOp().isPresent());
        isPresent.put(DISK, disk.allocatedBytes().isPresent());
        operations.values().forEach(o -> {
            isPresent.merge("wire_in", o.bytes().wireIn().isPresent(), Boolean::logicalAnd);
            isPresent.merge("wire_out", o.bytes().wireOut().isPresent(), Boolean::logicalAnd);
            isPresent.merge("stored", o.bytes().stored().isPresent(), Boolean::logicalAnd);
            isPresent.merge("time_ns", o.time().isPresent(), Boolean::logicalAnd);
        });
        isPresent.values().removeIf(present -> present);
        return isPresent.keySet();
    }

    public int block() {
        return position.block();
    }

    public int fork() {
        return position.fork();
    }

    public int round() {
        return position.round();
    }

    /** The id of the trial's method. */
    public String method() {
        return trial.method();
    }

    public Levels condition() {
        return trial.condition();
    }

    /** All levels of the trial. */
    public Levels levels() {
        return trial.levels();
    }

    public List<String> flags() {
        return remarks.flags();
    }

    public List<String> events() {
        return remarks.events();
    }

    public SortedMap<String, String> unknown() {
        return remarks.unknown();
    }

    /** The results of operations of one type; empty if there were none. */
    public Optional<Measured> measured(String operation) {
        return Optional.ofNullable(operations.get(operation))
                .map(of -> new Measured(of, resources, disk, operations.size() == 1 || operation.equals(MIX)));
    }

    /** A figure of operations of one type; empty if there were none, or the figure is not known. */
    public OptionalDouble value(Metric metric, String operation) {
        return measured(operation).map(metric::of).orElse(OptionalDouble.empty());
    }

    /** The same for statistics. Also empty if the figure is 0, because a ratio to it is not defined. */
    public Optional<Figure> figure(Metric metric, String operation) {
        OptionalDouble value = value(metric, operation);
        return value.orElse(0) > 0
                ? Optional.of(new Figure(block(), fork(), round(), value.getAsDouble()))
                : Optional.empty();
    }

    /** The duration: the warm-up with the first reading of each row, the window, and the settling time of visits. */
    public double seconds() {
        double settling = visits.map(all -> all.count() * (all.settleMs() / 1e3 + Visits.TURN_SECONDS))
                .orElse(0.0);
        return warmUp.map(WarmUp::seconds).orElse(0.0)
                + resources.elapsedNanos().orElse(0) / 1e9
                + settling;
    }

    /**
     * The figures for statistics: one per visit if the metric is a rate and there were visits, else one per sample.
     * Figures of the same round of visits and the same fork are paired. A trial may have several in a round, or none.
     */
    public List<Figure> figures(Metric metric, String operation) {
        boolean isRate = metric == Metric.THROUGHPUT || metric == Metric.OPERATIONS;
        // a visit has only the rate of all types together
        boolean isWhole = operations.size() == 1 || operation.equals(MIX);
        if (visits.isEmpty() || !isRate || !isWhole || !operations.containsKey(operation)) {
            return figure(metric, operation).stream().toList();
        }
        Visits ofSample = visits.get();
        List<Double> rates = metric == Metric.THROUGHPUT ? ofSample.bytesPerS() : ofSample.operationsPerS();
        return IntStream.range(0, ofSample.count())
                .filter(visit -> rates.get(visit) > 0)
                .mapToObj(visit -> new Figure(
                        block(), fork(), Visits.round(round(), ofSample.rounds().get(visit)), rates.get(visit)))
                .toList();
    }

    /** The number of operations of all types. */
    public long count() {
        return count(operations);
    }

    /** The number of operations of each type, without all types together. */
    public SortedMap<String, Long> counts() {
        SortedMap<String, Long> counts = new TreeMap<>();
        operations.forEach((type, of) -> counts.put(type, of.count()));
        counts.remove(MIX);
        return counts;
    }

    /** The number of operations, by type. */
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
        operations.forEach((operation, measured) ->
                measured.bySize().keySet().forEach(size -> names.add(ofSize(operation, size))));
        if (openLoop.isPresent()) {
            operations.keySet().forEach(operation -> names.add(responseOf(operation)));
            names.add(SCHEDULE_LAG);
        }
        return names;
    }

    /**
     * The figures of values of one size class, as a sample of a closed loop; empty if there are none. The names of its
     * histograms are {@link #ofSize(String, SizeClass)}.
     */
    public Optional<Sample> ofSize(SizeClass size) {
        SortedMap<String, Operations> ofSize = new TreeMap<>();
        operations.forEach((type, all) -> {
            if (all.bySize().containsKey(size)) {
                ofSize.put(type, all.bySize().get(size));
            }
        });
        if (ofSize.isEmpty()) {
            return Optional.empty();
        }
        SortedMap<String, String> reasons = new TreeMap<>(unknown());
        missing(warmUp, ofSize, Resources.NONE, DiskSpace.UNKNOWN)
                .forEach(field -> reasons.put(field, "known only for all sizes together"));
        return Optional.of(new Sample(
                trial,
                position,
                outcome,
                remarks.withUnknown(reasons),
                warmUp,
                ofSize,
                Optional.empty(),
                Resources.NONE,
                DiskSpace.UNKNOWN,
                Optional.empty()));
    }

    /** See {@link #CRASHED}. */
    public boolean isCrashed() {
        return outcome instanceof Outcome.Failed && flags().contains(CRASHED);
    }

    /** The same trial without figures, for a reason that is not attributed to the method. */
    public Sample failed(String reason) {
        return crashed(trial, block(), fork(), round(), reason);
    }

    /** The line of {@code samples.jsonl}. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    /** Reads a line of {@code samples.jsonl}. */
    public static Sample ofJson(String line) {
        return RunJson.MAPPER.readValue(line, Sample.class);
    }

    /** The same sample with the numbers of a merged run. */
    public Sample renumbered(int block, int fork) {
        return new Sample(
                trial,
                new Position(block, fork, round(), position.startedAt()),
                outcome,
                remarks,
                warmUp,
                operations,
                openLoop,
                resources,
                disk,
                visits,
                skew);
    }

    /**
     * The same sample with the disk space of a table that its operations have filled; unchanged if that is not known.
     */
    public Sample withDisk(DiskSpace disk) {
        if (disk.allocatedBytes().isEmpty()) {
            return this;
        }
        SortedMap<String, String> reasons = new TreeMap<>(unknown());
        reasons.remove(DISK);
        return with(remarks.withUnknown(reasons), disk);
    }

    /** The same sample without the disk space. */
    public Sample withoutDisk(String reason) {
        SortedMap<String, String> reasons = new TreeMap<>(unknown());
        reasons.put(DISK, reason);
        return with(remarks.withUnknown(reasons), DiskSpace.UNKNOWN);
    }

    /** The same sample with the times of the table's pages. */
    public Sample with(PageTimes pages) {
        return with(remarks, disk.with(pages));
    }

    public Sample withEvent(String event) {
        return with(remarks.withEvent(event), disk);
    }

    /** The same sample with a flag, and an event that states the reason. */
    public Sample flagged(String flag, String event) {
        return with(remarks.withFlag(flag).withEvent(event), disk);
    }

    private Sample with(Remarks remarks, DiskSpace disk) {
        return new Sample(
                trial, position, outcome, remarks, warmUp, operations, openLoop, resources, disk, visits, skew);
    }

    /** The sample of a trial that cannot be measured in its block. */
    public static Sample notMeasured(Trial trial, int block, Outcome outcome) {
        return notMeasured(trial, block, 0, 0, outcome);
    }

    /** The sample of a trial that was not measured in one round. */
    public static Sample notMeasured(Trial trial, int block, int fork, int round, Outcome outcome) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        return new Sample(
                trial,
                new Position(block, fork, round, now),
                outcome,
                Remarks.NONE,
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                Resources.NONE,
                DiskSpace.UNKNOWN,
                Optional.empty());
    }

    /** The sample of a trial whose JVM crashed. */
    public static Sample crashed(Trial trial, int block, int fork, int round, String reason) {
        Sample failed = notMeasured(trial, block, fork, round, new Outcome.Failed(reason));
        return failed.with(failed.remarks.withFlag(CRASHED), DiskSpace.UNKNOWN);
    }
}
