package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Host;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.Progress;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Runs made of figures: those of a method are written by fork and round, in MB/s. */
public final class TestRuns {

    public static final Instant START = Instant.parse("2026-11-21T10:15:00Z");

    private static final Map<String, Long> DISK = Map.of("plain", 40L << 20, "zstd", 12L << 20);

    private TestRuns() {}

    public static Manifest manifest(String... methods) {
        return new Manifest(
                        1,
                        new Program("0.1.0", "7f3c2a1", List.of("run thumbs --quick")),
                        Progress.startedAt(START),
                        new Study(
                                "thumbs",
                                "Which codec suits thumbnails?",
                                "",
                                "quick",
                                Metric.THROUGHPUT,
                                "plain",
                                Stream.of(methods)
                                        .map(id -> new Method(id, Levels.of(Map.of("codec", id))))
                                        .toList(),
                                List.of(new ConditionBlock(new TreeMap<>(Map.of(
                                        "workload", List.of("fetch"),
                                        "dataset", List.of("sites"),
                                        "link", List.of("loopback"),
                                        "size", List.of("64KB"))))),
                                new Schedule(6, 3, new Window.Time(Duration.ofMillis(200)), Duration.ofSeconds(1), 42),
                                List.of()),
                        new Manifest.PlannedSamples(
                                Stream.of(methods).map(TestRuns::trial).toList(), 1, 6L * methods.length),
                        machine(Map.of("default", new Machine.MeasuringJvm("Debian", "17.0.15+6", List.of("-Xmx1g")))),
                        new TreeMap<>(),
                        List.of(),
                        List.of(),
                        List.of())
                .with("mysql", server("11.4.5-MariaDB", Map.of("innodb_buffer_pool_size", "1073741824")))
                .with(dataset("7d1a54127b222502"))
                .ended(Manifest.State.FINISHED, START.plusSeconds(60));
    }

    public static Machine machine(Map<String, Machine.MeasuringJvm> jvms) {
        return new Machine(
                new Host("Linux", "6.1.0", "amd64", Optional.of("AMD EPYC"), 2, OptionalLong.of(8L << 30)),
                new TreeMap<>(jvms),
                new TreeMap<>(Map.of("codec zstd", "zstd-jni 1.5.7-28")),
                Machine.Quiet.NONE,
                new TreeMap<>());
    }

    public static Manifest.MeasuredServer server(String version, Map<String, String> variables) {
        return new Manifest.MeasuredServer(
                "embedded", "MariaDB", version, "mariadb.org binary distribution", new TreeMap<>(variables));
    }

    public static Manifest.MeasuredDataset dataset(String digest) {
        return new Manifest.MeasuredDataset("sites", OptionalLong.of(65536), 512, digest, new TreeMap<>());
    }

    public static String trial(String method) {
        return "codec=" + method + ",dataset=sites,size=64KB";
    }

    /** A run of these samples, with the methods that they are of. */
    public static ComparedRun run(List<?>... samples) {
        List<Sample> all = Arrays.stream(samples)
                .flatMap(List::stream)
                .map(Sample.class::cast)
                .toList();
        return ComparedRun.of(
                manifest(Stream.concat(Stream.of("plain"), all.stream().map(Sample::method))
                        .distinct()
                        .toArray(String[]::new)),
                all);
    }

    /** @param figures MB/s by fork, and in it by round */
    public static List<Sample> samples(String method, double[]... figures) {
        List<Sample> samples = new ArrayList<>();
        for (int fork = 0; fork < figures.length; fork++) {
            for (double figure : figures[fork]) {
                samples.add(sample(method, fork, samples.size(), new Outcome.Measured(), figure));
            }
        }
        return samples;
    }

    public static double[][] times(double factor, double[]... figures) {
        return Stream.of(figures)
                .map(fork -> Arrays.stream(fork).map(x -> x * factor).toArray())
                .toArray(double[][]::new);
    }

    /** A value is 64 KB, so that its latency follows from the throughput; nothing is allocated. */
    public static Sample sample(String method, int fork, int round, Outcome outcome, double megabytesPerSecond) {
        double perSecond = megabytesPerSecond * 1e6 / 65536;
        long nanos = Math.round(1e9 / perSecond);
        Operations fetch = new Operations(
                1000,
                megabytesPerSecond * 1e6,
                perSecond,
                new Latency(nanos, nanos, 2 * nanos, 3 * nanos, 4 * nanos, 5 * nanos, 6 * nanos),
                new Operations.ByteCounts(
                        65_536_000, OptionalLong.of(0), OptionalLong.of(0), OptionalLong.of(65_536_000)));
        return new Sample(
                new Trial(
                        trial(method),
                        method,
                        Levels.of(Map.of("codec", method)),
                        Levels.of(Map.of("workload", "fetch", "dataset", "sites", "size", "64KB"))),
                new Position(0, fork, round, START.plusSeconds(round)),
                outcome,
                new Remarks(
                        List.of(),
                        List.of(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("pages_read_per_op", "-", "time_ns", "-"))),
                Optional.of(new WarmUp(0.5, true)),
                outcome.isMeasurement() ? new TreeMap<>(Map.of("fetch", fetch)) : new TreeMap<>(),
                Optional.empty(),
                Resources.of(
                        OptionalLong.of(200_000_000),
                        OptionalDouble.of(nanos / 2.0),
                        OptionalDouble.of(nanos / 4.0),
                        OptionalDouble.of(0)),
                new DiskSpace(OptionalLong.of(DISK.getOrDefault(method, 20L << 20)), OptionalLong.empty()),
                Optional.empty());
    }
}
