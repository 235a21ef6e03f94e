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
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
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
 * What one trial gave in one round of one fork: a line of {@code samples.jsonl}, whose fields are these components. What is
 * not known is empty, and the remarks say why, by the field's name in the file; a measured sample without such a reason is
 * refused.
 *
 * @param position where it stands in its run
 * @param remarks what is to be said about the figures
 * @param warmUp empty where the trial never began
 * @param operations by operation type, a lower-case word; empty where the outcome is not a measurement
 * @param openLoop what was offered; empty in a closed loop
 * @param resources what the window took, all types of operations together
 * @param disk what the table takes on disk
 * @param visits the figures of each visit, where it was measured in short windows in turns with others; empty where there
 *     was one
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
        Optional<Visits> visits) {

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

    /** The field of the disk, under which remarks say why it is not known. */
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
        operations = Amounts.sorted(operations);
        operations.keySet().forEach(type -> require(type.matches("[a-z][a-z0-9-]*"), "operation type '" + type + "'"));
        requireAmount("disk.allocated_bytes", disk.allocatedBytes());
        requireAmount("disk.used_bytes", disk.usedBytes());
        if (outcome.isMeasurement()) {
            require(!operations.isEmpty(), "a trial that was measured has operations");
            Set<String> missing = missing(warmUp, operations, resources, disk);
            missing.removeAll(remarks.unknown().keySet());
            require(missing.isEmpty(), "no reason under 'unknown' for what is missing: " + missing);
            boolean isOpen = openLoop.isPresent();
            require(
                    operations.values().stream().allMatch(o -> o.response().isPresent() == isOpen),
                    "there are response times in an open loop, and only there");
        } else {
            require(operations.isEmpty(), "a trial that was not measured has no operations");
        }
    }

    /** The fields, as named in the file, of which a measured sample with such figures has to say why they are missing. */
    static Set<String> missing(
            Optional<WarmUp> warmUp, SortedMap<String, Operations> operations, Resources resources, DiskSpace disk) {
        SortedMap<String, Boolean> isThere = new TreeMap<>();
        isThere.put("warmup", warmUp.isPresent());
        isThere.put("elapsed_ns", resources.elapsedNanos().isPresent());
        isThere.put("client_cpu_ns_per_op", resources.clientCpuNanosPerOp().isPresent());
        isThere.put("server_cpu_ns_per_op", resources.serverCpuNanosPerOp().isPresent());
        isThere.put("pages_read_per_op", resources.pagesReadPerOp().isPresent());
        isThere.put("allocated_bytes_per_op", resources.allocatedBytesPerOp().isPresent());
        isThere.put(DISK, disk.allocatedBytes().isPresent());
        operations.values().forEach(o -> {
            isThere.merge("wire_in", o.bytes().wireIn().isPresent(), Boolean::logicalAnd);
            isThere.merge("wire_out", o.bytes().wireOut().isPresent(), Boolean::logicalAnd);
            isThere.merge("stored", o.bytes().stored().isPresent(), Boolean::logicalAnd);
            isThere.merge("time_ns", o.time().isPresent(), Boolean::logicalAnd);
        });
        isThere.values().removeIf(there -> there);
        return isThere.keySet();
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

    /** What the operations of one type gave; empty where they did not occur. */
    public Optional<Measured> measured(String operation) {
        return Optional.ofNullable(operations.get(operation))
                .map(of -> new Measured(of, resources, disk, operations.size() == 1 || operation.equals(MIX)));
    }

    /** The same, by a metric; empty where they did not occur, or where the figure is not known of them. */
    public OptionalDouble value(Metric metric, String operation) {
        return measured(operation).map(metric::of).orElse(OptionalDouble.empty());
    }

    /** The same, for statistics: empty also where it is 0, which has no ratio to other figures. */
    public Optional<Figure> figure(Metric metric, String operation) {
        OptionalDouble value = value(metric, operation);
        return value.orElse(0) > 0
                ? Optional.of(new Figure(block(), fork(), round(), value.getAsDouble()))
                : Optional.empty();
    }

    /** How long it took: the warm-up with the first reading of each row, the window, and what went before each visit. */
    public double seconds() {
        double settling = visits.map(all -> all.count() * (all.settleMs() / 1e3 + Visits.TURN_SECONDS))
                .orElse(0.0);
        return warmUp.map(WarmUp::seconds).orElse(0.0)
                + resources.elapsedNanos().orElse(0) / 1e9
                + settling;
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
        Visits ofSample = visits.get();
        List<Double> rates = metric == Metric.THROUGHPUT ? ofSample.bytesPerS() : ofSample.operationsPerS();
        return IntStream.range(0, ofSample.count())
                .filter(visit -> rates.get(visit) > 0)
                .mapToObj(visit -> new Figure(
                        block(), fork(), Visits.round(round(), ofSample.rounds().get(visit)), rates.get(visit)))
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
        operations.forEach((operation, measured) ->
                measured.bySize().keySet().forEach(size -> names.add(ofSize(operation, size))));
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
                .forEach(field -> reasons.put(field, "only of all sizes together"));
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

    /** Whether it failed because a JVM that measured it crashed: an accident, not a fault of the method. */
    public boolean isCrashed() {
        return outcome instanceof Outcome.Failed && flags().contains(CRASHED);
    }

    /** This sample as its line in {@code samples.jsonl} has it. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    /** The sample of a line. */
    public static Sample ofJson(String line) {
        return RunJson.MAPPER.readValue(line, Sample.class);
    }

    /** The same sample, as a merged run numbers it. */
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
                visits);
    }

    /** This sample, with the disk of a table that its own operations have filled; as it is where that is not known. */
    public Sample withDisk(DiskSpace disk) {
        if (disk.allocatedBytes().isEmpty()) {
            return this;
        }
        SortedMap<String, String> reasons = new TreeMap<>(unknown());
        reasons.remove(DISK);
        return with(remarks.withUnknown(reasons), disk);
    }

    /** This sample without its disk. */
    public Sample withoutDisk(String reason) {
        SortedMap<String, String> reasons = new TreeMap<>(unknown());
        reasons.put(DISK, reason);
        return with(remarks.withUnknown(reasons), DiskSpace.UNKNOWN);
    }

    /** This sample with one more event. */
    public Sample withEvent(String event) {
        return with(remarks.withEvent(event), disk);
    }

    /** This sample with a flag, and the event that says why. */
    public Sample flagged(String flag, String event) {
        return with(remarks.withFlag(flag).withEvent(event), disk);
    }

    private Sample with(Remarks remarks, DiskSpace disk) {
        return new Sample(trial, position, outcome, remarks, warmUp, operations, openLoop, resources, disk, visits);
    }

    /** A trial that could not be run at all, in the first round of its block. */
    public static Sample notMeasured(Trial trial, int block, Outcome outcome) {
        return notMeasured(trial, block, 0, 0, outcome);
    }

    /** The same in a fork and round of its own, since it was measured in others. */
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

    /** A trial whose figures went with the JVM that measured it. */
    public static Sample crashed(Trial trial, int block, int fork, int round, String reason) {
        Sample failed = notMeasured(trial, block, fork, round, new Outcome.Failed(reason));
        return failed.with(failed.remarks.withFlag(CRASHED), DiskSpace.UNKNOWN);
    }
}
