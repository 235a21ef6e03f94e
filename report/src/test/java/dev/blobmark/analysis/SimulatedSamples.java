package dev.blobmark.analysis;

import static java.util.stream.Collectors.averagingDouble;
import static java.util.stream.Collectors.groupingBy;

import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Samples of a trial with a given figure, in the forks and rounds of a schedule. They have the operation types of the
 * trial's workload, and only those figures that a run can measure of such a trial. All other figures are constant, so a
 * claim that is graded by another figure or operation finds no difference.
 *
 * @param metric the figure that is given
 * @param operation the operation type that has it; empty for all types
 * @param latencyNanos all percentiles of the service time, if the metric is none of them
 */
record SimulatedSamples(Metric metric, Optional<String> operation, Schedule schedule, OptionalDouble latencyNanos) {

    /** Standard deviation of the logarithms of the figures of one trial. */
    private static final double NOISE = 0.005;

    /** The number of operations of a window. Totals of a window are rounded to whole numbers. */
    private static final long COUNT = 1_000_000;

    /** The constant that figures have which are not given. */
    private static final long OTHER = 1;

    private static final long LONGEST = 1L << 60;

    private static final long APPLICATION_BYTES = 1_000_000_000_000_000L;

    /** The metrics of a latency, in its order. */
    private static final List<Metric> SERVICE =
            List.of(Metric.P50, Metric.P90, Metric.P95, Metric.P99, Metric.P999, Metric.MAX);

    /** The same of a response time, which has no metric for some. */
    private static final List<Optional<Metric>> RESPONSE = List.of(
            Optional.of(Metric.RESPONSE_P50),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Metric.RESPONSE_P99),
            Optional.of(Metric.RESPONSE_P999),
            Optional.empty());

    private static final int NONE = -1;

    private static final Remarks UNKNOWN = Remarks.unknown(Stream.of(
                    "disk",
                    "client_cpu_ns_per_op",
                    "server_cpu_ns_per_op",
                    "pages_read_per_op",
                    "time_ns",
                    "allocated_bytes_per_op",
                    "wire_in",
                    "wire_out",
                    "stored")
            .collect(Collectors.toMap(field -> field, field -> "not simulated", (a, b) -> a, TreeMap::new)));

    /**
     * One sample for each round. The noise of a trial depends on its id alone. Its mean over the forks is 0, so that
     * trials with equal figures have a ratio of exactly 1.
     *
     * @param block number of the trial's block
     * @param figure in the unit of the metric
     */
    List<Sample> of(Trial trial, int block, double figure) {
        record Round(int fork, int round, double noise) {}

        Random random = new Random(trial.id().hashCode());
        List<Round> rounds = new ArrayList<>();
        for (int fork = 0; fork < schedule.forks(); fork++) {
            for (int round : schedule.roundsOf(fork)) {
                rounds.add(new Round(fork, round, NOISE * random.nextGaussian()));
            }
        }
        double mean = rounds.stream().collect(groupingBy(Round::fork, averagingDouble(Round::noise))).values().stream()
                .mapToDouble(ofFork -> ofFork)
                .average()
                .orElseThrow();
        return rounds.stream()
                .map(at -> sample(
                        trial,
                        new Position(block, at.fork, at.round, Instant.EPOCH),
                        figure * Math.exp(at.noise - mean)))
                .toList();
    }

    private Sample sample(Trial trial, Position position, double value) {
        Design design = trial.design();
        boolean isOpen = design.get(Load.FACTOR) instanceof Load.Open;
        OptionalDouble figure = isKnown(trial) ? OptionalDouble.of(value) : OptionalDouble.empty();
        TreeMap<String, Operations> operations = new TreeMap<>();
        for (String type : types(design.get(Workload.FACTOR))) {
            boolean isIts = operation.map(type::equals).orElse(true);
            operations.put(type, operations(isIts ? figure : OptionalDouble.empty(), isOpen));
        }
        return new Sample(
                trial,
                position,
                new Outcome.Measured(),
                UNKNOWN,
                Optional.of(new WarmUp(0, true)),
                operations,
                isOpen ? Optional.of(new OpenLoop(1, COUNT, COUNT, COUNT, 0, latency(NONE, figure))) : Optional.empty(),
                new Resources(
                        OptionalLong.of(Math.round(its(Metric.ELAPSED, figure).orElse(OTHER))),
                        its(Metric.CPU, figure),
                        its(Metric.SERVER_CPU, figure),
                        its(Metric.PAGES_READ, figure),
                        its(Metric.ALLOCATION, figure),
                        Optional.of(new Resources.ServerCounters(
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                whole(its(Metric.ROUND_TRIPS, figure), COUNT),
                                0,
                                0)),
                        new TreeMap<>(),
                        List.of()),
                new DiskSpace(
                        whole(its(Metric.DISK, figure), 1), whole(its(Metric.DISK_USED, figure), 1), pages(figure)),
                Optional.empty());
    }

    /** A ratio is given by the time for reading. */
    private Optional<PageTimes> pages(OptionalDouble figure) {
        double ratio = its(Metric.READ_TO_INFLATE, figure).orElse(OTHER);
        double inflate = its(Metric.PAGE_INFLATE, figure).orElse(OTHER);
        double read = its(Metric.PAGE_READ, figure).orElse(ratio * inflate);
        return figure.isPresent() ? Optional.of(new PageTimes(1, read, 0, 1, inflate, 0)) : Optional.empty();
    }

    /** @param figure empty for operations that do not have it */
    private Operations operations(OptionalDouble figure, boolean isOpen) {
        OptionalDouble ratio = its(Metric.COMPRESSION_RATIO, figure);
        return new Operations(
                COUNT,
                its(Metric.THROUGHPUT, figure).orElse(OTHER),
                its(Metric.OPERATIONS, figure).orElse(OTHER),
                latency(SERVICE.indexOf(metric), figure),
                new Operations.ByteCounts(
                        APPLICATION_BYTES,
                        whole(its(Metric.WIRE_IN, figure), COUNT),
                        whole(its(Metric.WIRE_OUT, figure), COUNT),
                        ratio.isPresent()
                                ? OptionalLong.of(Math.round(APPLICATION_BYTES / ratio.getAsDouble()))
                                : OptionalLong.empty()),
                isOpen ? Optional.of(latency(RESPONSE.indexOf(Optional.of(metric)), figure)) : Optional.empty(),
                Optional.of(new TimeSpent(
                        its(Metric.WAITING, figure).orElse(OTHER),
                        its(Metric.TRANSFER, figure).orElse(OTHER),
                        its(Metric.CLIENT, figure).orElse(OTHER),
                        its(Metric.DECODE, figure).orElse(OTHER),
                        its(Metric.POOL, figure).orElse(OTHER),
                        OTHER,
                        OTHER)),
                new TreeMap<>());
    }

    /** @param at which of p50, p90, p95, p99, p99.9 and the maximum has the figure, from 0 */
    private Latency latency(int at, OptionalDouble figure) {
        long[] nanos = new long[SERVICE.size()];
        Arrays.setAll(
                nanos,
                i -> i < at
                        ? OTHER
                        : i == at && figure.isPresent()
                                ? Math.round(figure.getAsDouble())
                                : at == NONE ? Math.round(latencyNanos.orElse(LONGEST)) : LONGEST);
        return new Latency(
                its(Metric.MEAN, figure).orElse(OTHER), nanos[0], nanos[1], nanos[2], nanos[3], nanos[4], nanos[5]);
    }

    /** The figure, if it is that of the given metric. */
    private OptionalDouble its(Metric of, OptionalDouble figure) {
        return of == metric ? figure : OptionalDouble.empty();
    }

    private static OptionalLong whole(OptionalDouble figure, long times) {
        return figure.isPresent() ? OptionalLong.of(Math.round(figure.getAsDouble() * times)) : OptionalLong.empty();
    }

    private static List<String> types(Workload workload) {
        List<String> types = new ArrayList<>(workload.operationTypes());
        if (types.size() > 1 && !workload.timesTypesSeparately()) {
            types.add(Sample.MIX);
        }
        return types;
    }

    /** Whether a run can measure the metric of such a trial, so that it depends on the trial. */
    private boolean isKnown(Trial trial) {
        Design design = trial.design();
        Workload workload = design.get(Workload.FACTOR);
        boolean isStored = workload.usesTable();
        boolean isInCluster = isStored && design.get(Layout.FACTOR).isClustered();
        boolean isInMySql = isStored && !isInCluster && design.get(StoreKinds.FACTOR) == StoreKinds.MYSQL;
        return switch (metric) {
            case SERVER_CPU, WIRE_IN, WIRE_OUT, WAITING, TRANSFER, CLIENT, DECODE, POOL -> isStored;
            case PAGES_READ, DISK_USED -> isInMySql;
            case DISK -> isStored && !isInCluster && design.get(StoreKinds.FACTOR) != StoreKinds.REDIS;
            case PAGE_READ, PAGE_INFLATE, READ_TO_INFLATE ->
                isInMySql
                        && design.get(Layout.FACTOR).hasCompressedBlocks()
                        && trial.levels().find("server.performance_schema").equals(Optional.of("ON"));
            case ROUND_TRIPS -> isInCluster;
            case COMPRESSION_RATIO -> !workload.holdsKeys();
            case RESPONSE_P50, RESPONSE_P99, RESPONSE_P999 -> design.get(Load.FACTOR) instanceof Load.Open;
            // a window of a given time takes that time with any method
            case ELAPSED ->
                workload.window(
                                design,
                                schedule.window(),
                                design.get(Rows.FACTOR).orElse(1))
                        instanceof Window.Count;
            default -> true;
        };
    }
}
