package dev.blobmark.lab.run;

import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** Samples and a manifest to write and read. */
final class Samples {

    static final Instant START = Instant.parse("2026-11-21T10:15:00Z");

    private Samples() {}

    /** A sample of which every field is known but one. */
    static Sample measured(int round) {
        return new Sample(
                new Trial(
                        "codec=zstd:3,size=64KB",
                        "zstd",
                        Levels.of(Map.of("codec", "zstd:3", "layout", "dynamic")),
                        Levels.of(Map.of("workload", "fetch", "size", "64KB"))),
                new Position(0, round % 2, round, START.plusSeconds(90)),
                new Outcome.Measured(),
                new Remarks(
                        List.of("bimodal"),
                        List.of("server paused"),
                        new TreeMap<>(Map.of("1213", 2L)),
                        new TreeMap<>(Map.of("pages_read_per_op", "not InnoDB"))),
                Optional.of(new WarmUp(0.5, true)),
                new TreeMap<>(Map.of(
                        "fetch",
                        new Operations(
                                2_000,
                                6.5536e8,
                                10_000.5,
                                Latency.of(latencies(round)),
                                new Operations.ByteCounts(
                                        131_072_000,
                                        OptionalLong.of(33_000_000),
                                        OptionalLong.of(64_000),
                                        OptionalLong.of(32_768_000)),
                                Optional.empty(),
                                Optional.of(SPENT),
                                new TreeMap<>()))),
                Optional.empty(),
                new Resources(
                        OptionalLong.of(200_123_456),
                        OptionalDouble.of(81_250.25),
                        OptionalDouble.of(40_000),
                        OptionalDouble.empty(),
                        OptionalDouble.of(0),
                        Optional.of(new Resources.ServerCounters(
                                OptionalLong.empty(), OptionalLong.of(12), OptionalLong.of(4_000), 3, 4_000_000)),
                        new TreeMap<>(Map.of("connections", "4")),
                        List.of(5_000.5, 5_000.0)),
                new DiskSpace(
                        OptionalLong.of(9_437_184),
                        OptionalLong.of(8_388_608),
                        Optional.of(new PageTimes(50_702, 3_509.5, 495.25, 56_315, 17_833.5, 76.0))),
                Optional.of(new Visits(
                        5,
                        List.of(0, 0, 1),
                        List.of(9_800.0, 10_100.0, 9_900.0),
                        List.of(6.4e8, 6.6e8, 6.5e8),
                        List.of(0.001, 0.002))));
    }

    private static final TimeSpent SPENT = new TimeSpent(61_000.5, 20_000, 12_000, 6_000, 500, 250, 40_000);

    private static TimeSpent spent(SplittableRandom random) {
        return new TimeSpent(
                random.nextDouble(),
                random.nextDouble() * 1e10,
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble());
    }

    /** The same with values of two sizes, of which half of the operations each were. */
    static Sample ofTwoSizes(int round) {
        Sample plain = measured(round);
        Operations fetch = plain.operations().get("fetch");
        Operations half = new Operations(
                1_000,
                6e8,
                9_000,
                fetch.latency(),
                new Operations.ByteCounts(
                        65_536_000, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(16_384_000)));
        SortedMap<SizeClass, Operations> bySize =
                new TreeMap<>(Map.of(SizeClass.TO_1KB, half, SizeClass.TO_16MB, half));
        return new Sample(
                plain.trial(),
                new Position(
                        plain.block(),
                        plain.fork(),
                        plain.round(),
                        plain.position().startedAt()),
                plain.outcome(),
                new Remarks(plain.flags(), plain.events(), plain.remarks().errors(), plain.unknown()),
                plain.warmUp(),
                new TreeMap<>(Map.of(
                        "fetch",
                        new Operations(
                                fetch.count(),
                                fetch.throughputBytesPerSecond(),
                                fetch.operationsPerSecond(),
                                fetch.latency(),
                                new Operations.ByteCounts(
                                        fetch.applicationBytes(),
                                        fetch.wireBytesIn(),
                                        fetch.wireBytesOut(),
                                        fetch.storedBytes()),
                                Optional.empty(),
                                fetch.time(),
                                bySize))),
                Optional.empty(),
                Resources.of(
                        plain.resources().elapsedNanos(),
                        plain.resources().clientCpuNanosPerOp(),
                        plain.resources().serverCpuNanosPerOp(),
                        plain.resources().allocatedBytesPerOp()),
                plain.disk(),
                Optional.empty());
    }

    /** The same from an open loop that offered more than could be done. */
    static Sample saturated(int round) {
        Sample closed = measured(round);
        Operations fetch = closed.operations().get("fetch");
        return new Sample(
                new Trial(
                        "codec=zstd:3,rate=poisson:20000,size=64KB",
                        closed.method(),
                        closed.trial().methodLevels(),
                        closed.condition().with("rate", "poisson:20000")),
                new Position(
                        closed.block(),
                        closed.fork(),
                        closed.round(),
                        closed.position().startedAt()),
                new Outcome.Saturated("completed 10,000 of 20,000 offered per second"),
                new Remarks(closed.flags(), closed.events(), closed.remarks().errors(), new TreeMap<>()),
                closed.warmUp(),
                new TreeMap<>(Map.of(
                        "fetch",
                        new Operations(
                                fetch.count(),
                                fetch.throughputBytesPerSecond(),
                                fetch.operationsPerSecond(),
                                fetch.latency(),
                                new Operations.ByteCounts(
                                        fetch.applicationBytes(),
                                        fetch.wireBytesIn(),
                                        fetch.wireBytesOut(),
                                        fetch.storedBytes()),
                                Optional.of(Latency.of(latencies(1_000_000))),
                                fetch.time(),
                                new TreeMap<>()))),
                Optional.of(new OpenLoop(20_000, 4_000, 2_001, 2_000, 1_999, Latency.of(latencies(0)))),
                new Resources(
                        closed.resources().elapsedNanos(),
                        closed.resources().clientCpuNanosPerOp(),
                        closed.resources().serverCpuNanosPerOp(),
                        OptionalDouble.of(0.25),
                        closed.resources().allocatedBytesPerOp(),
                        Optional.empty(),
                        new TreeMap<>(),
                        List.of()),
                closed.disk(),
                Optional.empty(),
                Optional.of(new Skew(2, 0.25, 1.5, 0.99, OptionalDouble.of(0.125))));
    }

    static Sample failed(int round) {
        return new Sample(
                new Trial(
                        "layout=compressed:16,size=64KB",
                        "compressed-16",
                        Levels.of(Map.of("layout", "compressed:16")),
                        Levels.of(Map.of("workload", "fetch", "size", "64KB"))),
                new Position(0, 0, round, START),
                new Outcome.Failed("KEY_BLOCK_SIZE=16 was ignored\nby the server"),
                new Remarks(List.of(), List.of(), new TreeMap<>(), new TreeMap<>()),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                Resources.of(
                        OptionalLong.empty(), OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty()),
                new DiskSpace(OptionalLong.empty(), OptionalLong.empty()),
                Optional.empty());
    }

    /** 100, 200, … 100,000 ns and a little more each round, so that rounds can be told apart. */
    static Histogram latencies(int round) {
        Histogram histogram = new Histogram(3);
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(i * 100L + round);
        }
        return histogram;
    }

    /** The histograms of {@link #saturated}. */
    static Map<String, Histogram> fetchAndResponse(int round) {
        return Map.of("fetch", latencies(round), "fetch.response", latencies(1_000_000), "schedule.lag", latencies(0));
    }

    static Map<String, Histogram> fetch(int round) {
        return Map.of("fetch", latencies(round));
    }

    static Manifest manifest() {
        Study study = new Study(
                "blob-fetch",
                "Which way is fastest?",
                "",
                "quick",
                Metric.THROUGHPUT,
                "uncompressed",
                List.of(
                        new Method("uncompressed", Levels.of(Map.of("codec", "none"))),
                        new Method("zstd", Levels.of(Map.of("codec", "zstd:3")))),
                List.of(
                        new ConditionBlock(new TreeMap<>(Map.of(
                                "size",
                                List.of("4KB", "64KB"),
                                "workload",
                                List.of("fetch"),
                                "link",
                                List.of("loopback")))),
                        new ConditionBlock(
                                new TreeMap<>(Map.of("size", List.of("1MB"), "workload", List.of("scan"))),
                                List.of("uncompressed"),
                                List.of())),
                new Schedule(
                        3,
                        1,
                        new Window.Time(Duration.ofMillis(200)),
                        Duration.ofMillis(1500),
                        42,
                        Optional.of(Duration.ofMillis(25)),
                        Optional.of(new Schedule.UntilPrecise(0.01, Optional.of(Duration.ofMinutes(10)))),
                        Optional.empty()),
                List.of(
                        new Claim(
                                "zstd-is-faster",
                                "zstd is read back 1.1 to 1.5 times as fast",
                                "somebody",
                                Metric.P50,
                                Optional.of("fetch"),
                                Optional.empty(),
                                new Claim.Greater(
                                        Selection.of(Map.of("method", List.of("uncompressed"))),
                                        Selection.of(Map.of("method", List.of("zstd"))),
                                        new Claim.Bounds(1.1, 1.5)),
                                Selection.of(Map.of("size", List.of(">= 4KB"), "dataset", List.of("random:*"))),
                                Optional.empty(),
                                Claim.Holds.MOSTLY),
                        new Claim(
                                "its-lead-grows",
                                "its lead grows with size",
                                "",
                                Metric.THROUGHPUT,
                                Optional.empty(),
                                Optional.of(new Claim.ClaimedEffect(
                                        Selection.of(Map.of("method", List.of("zstd"))),
                                        Selection.of(Map.of("method", List.of("uncompressed"))))),
                                new Claim.Ordered(List.of(
                                        Selection.of(Map.of("size", List.of("4KB"))),
                                        Selection.of(Map.of("size", List.of("64KB"))))),
                                Selection.ALL,
                                Optional.empty(),
                                Claim.Holds.ON_AVERAGE),
                        new Claim(
                                "zstd-costs-little",
                                "zstd takes 3 to 9 µs more",
                                "",
                                Metric.P50,
                                Optional.empty(),
                                Optional.empty(),
                                new Claim.Apart(
                                        Selection.of(Map.of("method", List.of("zstd"))),
                                        Selection.of(Map.of("method", List.of("uncompressed"))),
                                        3_000,
                                        9_000),
                                Selection.ALL,
                                Optional.empty(),
                                Claim.Holds.EACH),
                        new Claim(
                                "zstd-halves",
                                "zstd halves the values at least",
                                "",
                                Metric.COMPRESSION_RATIO,
                                Optional.empty(),
                                Optional.empty(),
                                new Claim.Ratio(
                                        Selection.of(Map.of("method", List.of("zstd"))),
                                        new Claim.Bounds(2, Double.POSITIVE_INFINITY)),
                                Selection.ALL,
                                Optional.empty(),
                                Claim.Holds.EACH),
                        new Claim(
                                "disk-is-equal",
                                "both take the same disk",
                                "",
                                Metric.DISK,
                                Optional.empty(),
                                Optional.empty(),
                                new Claim.Within(
                                        Selection.of(Map.of("method", List.of("zstd"))),
                                        Selection.of(Map.of("method", List.of("uncompressed"))),
                                        new Claim.Bounds(0.95, 1.05)),
                                Selection.ALL,
                                Optional.of(new Claim.Given(
                                        Selection.of(Map.of("method", List.of("uncompressed"))), Metric.P95, 0, 15e6)),
                                Claim.Holds.SOMETIMES)));
        return new Manifest(
                        1,
                        new Program("0.1.0", "7f3c2a1", List.of("run thumbs --quick", "run --resume RUN")),
                        new Progress(
                                Manifest.State.RUNNING,
                                START,
                                Optional.empty(),
                                List.of(START.plusSeconds(3600)),
                                List.of(
                                        new Manifest.ConditionPrecision(
                                                Levels.of(Map.of("size", "4KB")),
                                                17,
                                                OptionalDouble.of(0.0093),
                                                true,
                                                ""),
                                        new Manifest.ConditionPrecision(
                                                Levels.of(Map.of("size", "64KB")),
                                                12,
                                                OptionalDouble.empty(),
                                                false,
                                                "the budget of 10m is used up"))),
                        study,
                        new Manifest.PlannedSamples(List.of("codec=zstd:3,size=4KB", "size=4KB"), 1, 6),
                        machine(),
                        new TreeMap<>(),
                        List.of(),
                        List.of(),
                        List.of())
                .with(
                        "mysql",
                        new Manifest.MeasuredServer(
                                "embedded",
                                "MariaDB",
                                "11.4.5-MariaDB",
                                "mariadb.org binary distribution",
                                new TreeMap<>(Map.of("innodb_buffer_pool_size", "268435456"))))
                .with(new Manifest.MeasuredDataset(
                        "sites",
                        OptionalLong.of(65536),
                        488,
                        "e3b0c442",
                        new TreeMap<>(Map.of("min", 65536L, "max", 65536L))))
                .with(new LoadedStore(
                        "mysql",
                        Levels.of(Map.of("codec", "zstd:3", "layout", "dynamic", "size", "64KB")),
                        "t1",
                        "CREATE TABLE t1 (id INT PRIMARY KEY, data MEDIUMBLOB NOT NULL) ROW_FORMAT=DYNAMIC",
                        new TreeMap<>(Map.of("row_format", "Dynamic")),
                        new LoadedStore.LoadedContent(488, 31_981_568, 7_995_392, OptionalDouble.of(2.5e8)),
                        new DiskSpace(OptionalLong.of(9_437_184), OptionalLong.of(8_388_608)),
                        Placement.UNKNOWN));
    }

    static Machine machine() {
        return new Machine(
                new Host("Linux", "6.1.0", "amd64", Optional.empty(), 2, OptionalLong.of(8L << 30)),
                new TreeMap<>(Map.of("default", new Machine.MeasuringJvm("Debian", "17.0.15+6", List.of("-Xmx2g")))),
                new TreeMap<>(Map.of("zstd-jni", "1.5.7-28")),
                new Machine.Quiet(
                        Pin.parse("client=1-3,server=0"),
                        Optional.of(CpuList.parse("0-3")),
                        List.of(new Finding(
                                "governor",
                                "powersave",
                                Finding.Level.WARNING,
                                "The clock follows the load.",
                                "cpupower"))),
                new TreeMap<>(Map.of("1gbit", new Machine.MeasuredLink(1.24e8, 352_000, 2.5e9, 31_000, true))),
                List.of(new Machine.MeasuringHost(
                        new Host(
                                "Linux", "6.12.0", "aarch64", Optional.of("Neoverse"), 64, OptionalLong.of(256L << 30)),
                        "Debian 25.0.1+8",
                        OptionalLong.of(25_000_000_000L))));
    }

    /** Any sample that the rules admit, odd characters and empty fields included. */
    static Sample random(SplittableRandom random) {
        boolean isMeasured = random.nextInt(4) > 0;
        Outcome outcome = isMeasured
                ? switch (random.nextInt(3)) {
                    case 0 -> new Outcome.Measured();
                    case 1 -> new Outcome.Unsteady(word(random));
                    default -> new Outcome.Saturated(word(random));
                }
                : random.nextBoolean() ? new Outcome.Failed(word(random)) : new Outcome.Unavailable(word(random));
        boolean isOpen = isMeasured && random.nextBoolean();
        SortedMap<String, Operations> operations = new TreeMap<>();
        for (int i = isMeasured ? 1 + random.nextInt(3) : 0; i > 0; i--) {
            Histogram histogram = new Histogram(3);
            for (int n = 1 + random.nextInt(50); n > 0; n--) {
                histogram.recordValue(random.nextLong(1L << random.nextInt(1, 40)));
            }
            operations.put(
                    "op-" + i,
                    new Operations(
                            histogram.getTotalCount(),
                            random.nextDouble() * 1e10,
                            random.nextDouble(),
                            Latency.of(histogram),
                            new Operations.ByteCounts(
                                    random.nextLong(Long.MAX_VALUE),
                                    maybeLong(random),
                                    maybeLong(random),
                                    maybeLong(random)),
                            isOpen ? Optional.of(Latency.of(histogram)) : Optional.empty(),
                            random.nextBoolean() ? Optional.empty() : Optional.of(spent(random)),
                            new TreeMap<>()));
        }
        Optional<WarmUp> warmUp = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(new WarmUp(random.nextDouble(), random.nextBoolean()));
        OptionalLong elapsed = maybeLong(random);
        OptionalLong allocatedOnDisk = maybeLong(random);
        OptionalDouble clientCpu = maybeDouble(random);
        OptionalDouble serverCpu = maybeDouble(random);
        OptionalDouble pagesRead = maybeDouble(random);
        OptionalDouble allocated = maybeDouble(random);
        SortedMap<String, String> unknown = map(random, () -> word(random));
        Resources resources = new Resources(
                elapsed, clientCpu, serverCpu, pagesRead, allocated, Optional.empty(), new TreeMap<>(), List.of());
        DiskSpace disk = new DiskSpace(allocatedOnDisk, OptionalLong.empty());
        new TreeSet<>(Sample.missing(warmUp, operations, resources, disk))
                .forEach(field -> unknown.put(field, word(random)));
        return new Sample(
                new Trial(
                        word(random),
                        word(random),
                        new Levels(map(random, () -> word(random))),
                        new Levels(map(random, () -> word(random)))),
                new Position(
                        random.nextInt(9),
                        random.nextInt(9),
                        random.nextInt(9),
                        Instant.ofEpochSecond(random.nextLong(1L << 33), random.nextInt(1_000_000_000))),
                outcome,
                new Remarks(
                        List.of(word(random)),
                        List.of(word(random), word(random)),
                        map(random, () -> random.nextLong()),
                        unknown),
                warmUp,
                operations,
                isOpen
                        ? Optional.of(
                                new OpenLoop(random.nextDouble() * 1e6, 1_000, 900, 899, 100, Latency.of(latencies(1))))
                        : Optional.empty(),
                resources,
                disk,
                Optional.empty(),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new Skew(
                                random.nextInt(2, 256),
                                random.nextDouble(),
                                random.nextDouble(),
                                random.nextDouble(),
                                maybeDouble(random))));
    }

    private static <V> SortedMap<String, V> map(SplittableRandom random, Supplier<V> value) {
        SortedMap<String, V> map = new TreeMap<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            map.put(word(random), value.get());
        }
        return map;
    }

    private static String word(SplittableRandom random) {
        String alphabet = "az09=,:\"\\\n\r\t\u2028é漢\0 ";
        StringBuilder word = new StringBuilder("w");
        for (int n = random.nextInt(8); n > 0; n--) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return Visible.of(word.toString()); // as it is read back
    }

    private static OptionalLong maybeLong(SplittableRandom random) {
        return random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextLong(Long.MAX_VALUE));
    }

    private static OptionalDouble maybeDouble(SplittableRandom random) {
        return random.nextBoolean()
                ? OptionalDouble.empty()
                : OptionalDouble.of(random.nextDouble() * Math.pow(10, random.nextInt(-20, 20)));
    }
}
