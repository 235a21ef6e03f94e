package dev.blobmark.lab.plan;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoreCosts;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Batch;
import dev.blobmark.lab.workload.Commit;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.stats.SteadyState;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * The expected duration of the parts of a run, for the estimate before it and the progress during it. Codecs are probed
 * on this machine with a value of each dataset. The times of servers were observed on two cores of a 2020s server.
 */
public final class CostModel {

    /** Creating the system tables and starting the server. */
    public static final double SERVER_START_SECONDS = 3.5;

    /** An orderly restart of the server. */
    private static final double SERVER_RESTART_SECONDS = 1.5;

    /** Filling a table and scanning it until the server has inflated pages for a second. */
    private static final double PAGE_TIMES_SECONDS = 8;

    /** Starting a JVM, and the run-in of its first trials. */
    public static final double FORK_SECONDS = 3;

    private static final double TABLE_SECONDS = 0.1;
    private static final double CONNECT_SECONDS = 0.03;
    private static final double ROUND_TRIP_SECONDS = 100e-6;
    private static final double FETCH_BYTES_PER_SECOND = 500e6;
    private static final double WRITE_BYTES_PER_SECOND = 100e6;
    private static final double COMMIT_SECONDS = 300e-6;

    /** The speed-up by one more processor. Two processors may be threads of one core. */
    private static final double PARALLEL_GAIN = 0.5;

    /** Time of a visit besides its window: it settles, and its workers are woken. */
    private static final double VISIT_SECONDS = 0.005 + Visits.TURN_SECONDS;

    /** Visits per visit that counts. Visits in which the JVM compiles do not count. */
    private static final double REPEATED = 1.3;

    /** Time per visited trial in a fresh JVM for loading classes, and for visits until its code is compiled. */
    private static final double CODE_SECONDS = 0.4;

    /** Warm-up of a visited trial, alone and in turns with others, in units of the longest warm-up. */
    private static final double VISITED_WARM_UP_SHARE = 1;

    /** Time until a trial is steady, in units of the longest warm-up. */
    private static final double WARM_UP_SHARE = 0.7;

    /** The codec of InnoDB and UNCOMPRESS(): zlib at its default level. */
    private static final Codec SERVER_CODEC = StoredCodec.FACTOR.parse("mysql");

    /** The longest value that is probed, because some encoders need a second per megabyte. */
    private static final int MAX_PROBED_BYTES = 64 << 10;

    /**
     * Limit of the values whose files of encoded values are looked up. Files are named after a digest of all values, so
     * the values must be generated first. Beyond the limit, values are assumed not to be encoded yet.
     */
    private static final long MAX_LOOKED_UP_BYTES = 1L << 30;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Schedule schedule;
    private final Set<Trial> visited;
    private final Function<ValuesSource, Values> opening;
    private final Map<ValuesSource, Values> values = new HashMap<>();
    private final Map<Encoding, Probe> probes = new HashMap<>();
    private final Set<ValuesSource> lookedUp = new HashSet<>();
    private long lookedUpBytes;

    /** @param opening returns the values of a source */
    public CostModel(Schedule schedule, List<Trial> trials, Function<ValuesSource, Values> opening) {
        this.schedule = schedule;
        this.opening = opening;
        visited =
                VisitGroups.of(schedule, trials).stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** The cost of a codec on a dataset: nanoseconds per application byte, and stored bytes per application byte. */
    private record Probe(double encodeNanos, double decodeNanos, double stored) {}

    private Values values(ValuesSource source) {
        return values.computeIfAbsent(source, opening);
    }

    private Probe probe(ValuesSource source, Codec codec) {
        // one probe for all sizes between two powers of two, because they hardly differ
        int size = Integer.highestOneBit(Math.min(source.size(), MAX_PROBED_BYTES));
        ValuesSource probed = new ValuesSource(source.dataset(), size, 0);
        return probes.computeIfAbsent(new Encoding(probed, codec), key -> {
            byte[] value = values(probed).get(0);
            return probe(Arrays.copyOf(value, Math.min(value.length, MAX_PROBED_BYTES)), codec);
        });
    }

    private static Probe probe(byte[] value, Codec ofStudy) {
        Codec codec = StoredCodec.withoutDictionary(ofStudy);
        byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
        byte[] decoded = new byte[value.length];
        int length = codec.encode(value, 0, value.length, encoded, 0);
        long start = cpuNanos();
        codec.encode(value, 0, value.length, encoded, 0);
        long middle = cpuNanos();
        codec.decode(encoded, 0, length, decoded, 0, decoded.length);
        long end = cpuNanos();
        double bytes = Math.max(1, value.length);
        return new Probe((middle - start) / bytes, (end - middle) / bytes, length / bytes);
    }

    /** With the time of a clock, one pause while others run would count for all values. */
    private static long cpuNanos() {
        return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }

    /** Seconds to encode all values on all cores, or to read them if there is a file of encoded values. */
    public double encoding(Encoding encoding, Path directory) {
        Values values = values(encoding.source());
        if (isEncoded(encoding, values, directory)) {
            return values.totalLength() / 2e9;
        }
        Probe probe = probe(encoding.source(), encoding.codec());
        int inParallel = Math.min(values.count(), Runtime.getRuntime().availableProcessors());
        return values.totalLength()
                * (probe.encodeNanos + probe.decodeNanos)
                / 1e9
                / (1 + PARALLEL_GAIN * (inParallel - 1));
    }

    private boolean isEncoded(Encoding encoding, Values values, Path directory) {
        if (!Files.exists(directory)) {
            return false;
        }
        if (!lookedUp.contains(encoding.source())) {
            if (lookedUpBytes + values.totalLength() > MAX_LOOKED_UP_BYTES) {
                return false;
            }
            lookedUp.add(encoding.source());
            lookedUpBytes += values.totalLength();
        }
        return Files.exists(EncodedValues.file(values, encoding.codec(), directory));
    }

    /** Seconds to create, load and read back a table. */
    public double loading(StoreDesign store) {
        ValuesSource source = store.source();
        StoreCosts costs = store.costs();
        if (store.isSet()) {
            return costs.tableSeconds() + values(source).count() * costs.keySeconds();
        }
        double stored = storedBytes(store);
        double server = isCompressed(store) ? stored * deflateNanos(source) / 1e9 : 0;
        return costs.tableSeconds()
                + stored / costs.loadBytesPerSecond()
                + stored / costs.readBackBytesPerSecond()
                + server;
    }

    public long applicationBytes(StoreDesign store) {
        return values(store.source()).totalLength();
    }

    /** Expected stored bytes of a table. */
    double storedBytes(StoreDesign store) {
        ValuesSource source = store.source();
        return values(source).totalLength() * probe(source, store.encoding().codec()).stored;
    }

    /** Expected bytes on disk of a table. InnoDB is assumed to compress like the codec {@code mysql}. */
    double diskBytes(StoreDesign store) {
        ValuesSource source = store.source();
        StoreCosts costs = store.costs();
        if (store.isSet()) {
            return values(source).count() * costs.keyDiskBytes() + costs.emptyDiskBytes();
        }
        double shrunk = isCompressed(store) ? Math.min(1, probe(source, SERVER_CODEC).stored) : 1;
        return storedBytes(store) * Math.max(shrunk, 0.5) * 1.1 + costs.emptyDiskBytes();
    }

    /** What is loaded for blocks. The tables of a block are dropped before the next block is loaded. */
    public LoadVolume loadVolume(List<Block> blocks) {
        long application = 0;
        long largest = 0;
        double stored = 0;
        double largestDisk = 0;
        long longest = 0;
        for (Block block : blocks) {
            long ofBlock = 0;
            double disk = 0;
            for (Trial trial : block.trials()) {
                // UNCOMPRESS() returns NULL for a value that is longer than a packet
                if (StoreDesign.isUsedBy(trial) && trial.design().get(Decode.FACTOR) == Decode.SERVER) {
                    longest = Math.max(
                            longest, values(ValuesSource.of(trial.design())).maxLength());
                }
            }
            for (StoreDesign store : block.usedStores()) {
                Encoding encoding = store.encoding();
                ofBlock += values(encoding.source()).totalLength();
                disk += diskBytes(store);
                stored += storedBytes(store);
                if (encoding.isRaw()) {
                    longest = Math.max(longest, values(encoding.source()).maxLength());
                }
            }
            application += ofBlock;
            largest = Math.max(largest, ofBlock);
            largestDisk = Math.max(largestDisk, disk);
        }
        boolean isWrittenTo =
                blocks.stream().flatMap(block -> block.trials().stream()).anyMatch(StoreDesign::isOwnedBy);
        return new LoadVolume(application, largest, (long) stored, (long) largestDisk, longest, isWrittenTo);
    }

    /**
     * The length of the longest encoded value; empty if no value can exceed a number of bytes. Otherwise, the values
     * are encoded into the files that loading uses.
     *
     * @param encoded receives the application bytes encoded since its last call
     */
    public OptionalLong longestStored(Encoding encoding, long bytes, Path directory, LongConsumer encoded)
            throws IOException {
        Codec codec = encoding.codec();
        return mayExceed(encoding, bytes)
                ? OptionalLong.of(EncodedValues.of(values(encoding.source()), codec, directory, encoded)
                        .maxStoredLength())
                : OptionalLong.empty();
    }

    /** Whether an encoded value may be longer than this, according to the codec's bound. */
    public boolean mayExceed(Encoding encoding, long bytes) {
        return encoding.codec().maxEncodedLength(values(encoding.source()).maxLength()) > bytes;
    }

    private static boolean isCompressed(StoreDesign store) {
        return store.design().get(Layout.FACTOR).isCompressed()
                || store.design().get(Column.FACTOR).isCompressed();
    }

    private double deflateNanos(ValuesSource source) {
        return probe(source, SERVER_CODEC).encodeNanos;
    }

    /** Whether a trial is measured in visits. */
    public boolean isVisited(Trial trial) {
        return visited.contains(trial);
    }

    /**
     * Seconds of one trial in one fork.
     *
     * @param visits how often it is visited in each round of visits
     * @param rounds number of rounds of the fork
     */
    public double measuring(Trial trial, int visits, int rounds) {
        boolean staysOpen = isVisited(trial) && !StoreDesign.isOwnedBy(trial);
        return (staysOpen ? 1 : rounds) * opening(trial) + rounds * windows(trial, visits);
    }

    /** Seconds before the window, including the creation of a table for this trial alone. */
    public double opening(Trial trial) {
        Design design = trial.design();
        Workload workload = design.get(Workload.FACTOR);
        double operation = operation(trial, workload);
        int rows = values(ValuesSource.of(design)).count();
        double sweep = 0;
        if (StoreDesign.isUsedBy(trial)) {
            sweep = CONNECT_SECONDS
                    + (Block.isCold(trial) ? SERVER_RESTART_SECONDS : operation * workload.sweep(design, rows))
                    + (workload.start() == Workload.InitialTable.LOADED ? loading(StoreDesign.of(trial)) : 0)
                    + (workload.start() == Workload.InitialTable.EMPTY ? 2 * TABLE_SECONDS : 0);
        }
        if (isVisited(trial)) {
            return sweep + CODE_SECONDS + VISITED_WARM_UP_SHARE * seconds(schedule.warmUp());
        }
        Duration warmUp = schedule.visits().isPresent() ? SteadyState.warmUp(schedule.warmUp()) : schedule.warmUp();
        return sweep + WARM_UP_SHARE * seconds(warmUp);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    /** Seconds of the window, or of all visits of a round, and for the times of the table's pages. */
    public double windows(Trial trial, int visits) {
        return window(trial, visits) + (timesPages(trial) ? PAGE_TIMES_SECONDS : 0);
    }

    private static boolean timesPages(Trial trial) {
        return StoreDesign.isUsedBy(trial)
                && !StoreDesign.isOwnedBy(trial)
                && trial.design().get(Layout.FACTOR).hasCompressedBlocks()
                && trial.levels().find("server.performance_schema").equals(Optional.of("ON"));
    }

    private double window(Trial trial, int visits) {
        Design design = trial.design();
        Workload workload = design.get(Workload.FACTOR);
        int rows = values(ValuesSource.of(design)).count();
        if (workload.window(design, schedule.window(), rows) instanceof Window.Count count) {
            return count.operations()
                    * (design.get(Load.FACTOR) instanceof Load.Open open
                            ? 1.0 / open.perSecond()
                            : operation(trial, workload));
        }
        double window = ((Window.Time) schedule.window()).length().toNanos() / 1e9;
        if (!isVisited(trial)) {
            return window;
        }
        // a visit ends with the operation that is under way
        double rest = VISIT_SECONDS + operation(trial, workload);
        return visits * REPEATED * (window + schedule.visits().orElseThrow().count() * rest);
    }

    private double operation(Trial trial, Workload workload) {
        Design design = trial.design();
        ValuesSource source = ValuesSource.of(design);
        Probe probe = probe(source, design.get(StoredCodec.FACTOR));
        double bytes = values(source).totalLength() / (double) values(source).count();
        if (!StoreDesign.isUsedBy(trial)) {
            return bytes * probe.decodeNanos / 1e9;
        }
        boolean isCompressed = design.get(Layout.FACTOR).hasCompressedBlocks()
                || design.get(Column.FACTOR).isCompressed();
        boolean inflates = isCompressed || design.get(Decode.FACTOR) == Decode.SERVER;
        if (StoreDesign.isOwnedBy(trial)) {
            double deflating = isCompressed ? probe.stored * deflateNanos(source) : 0;
            return ROUND_TRIP_SECONDS
                    + onLink(design, design.get(Link.FACTOR).up(), design.get(Batch.FACTOR) * bytes * probe.stored)
                    + COMMIT_SECONDS / design.get(Commit.FACTOR).operations()
                    + design.get(Batch.FACTOR)
                            * bytes
                            * ((probe.encodeNanos + deflating) / 1e9 + 1 / WRITE_BYTES_PER_SECOND);
        }
        int count = values(source).count();
        int rowsPerOperation = workload.readsAll() ? count : design.get(Batch.FACTOR);
        double sent = rowsPerOperation * bytes * (inflates ? 1 : probe.stored);
        return ROUND_TRIP_SECONDS
                + onLink(design, design.get(Link.FACTOR).down(), sent)
                + rowsPerOperation
                        * bytes
                        * (probe.decodeNanos / 1e9 + 1 / FETCH_BYTES_PER_SECOND + (inflates ? 1 / 300e6 : 0));
    }

    /** Seconds that an emulated link adds to an operation. All threads share its bandwidth. */
    private static double onLink(Design design, OptionalDouble bytesPerSecond, double bytes) {
        return seconds(design.get(Link.FACTOR).roundTrip())
                + (bytesPerSecond.isPresent() ? design.get(Threads.FACTOR) * bytes / bytesPerSecond.getAsDouble() : 0);
    }
}
