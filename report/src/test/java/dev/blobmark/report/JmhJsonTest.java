package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Window;
import dev.blobmark.stats.Interval;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** As a program sees it that was made for results of JMH. */
class JmhJsonTest {

    /** A figure has six significant digits. */
    private static final double ROUNDING_PERCENT = 1e-3;

    @TempDir
    private static Path runs;

    private static Analysis golden;

    @BeforeAll
    static void run() throws IOException {
        golden = Analysis.of(GoldenRun.write(runs.resolve("golden")));
    }

    private static List<JsonNode> benchmarks(Analysis report) throws IOException {
        return List.copyOf(new JsonMapper().readTree(Written.as(report, "jmh")).values());
    }

    private static JsonNode benchmark(Analysis report, String name, String method) throws IOException {
        return benchmarks(report).stream()
                .filter(its -> its.get("benchmark").stringValue().equals(name))
                .filter(its -> its.get("params").get("method").stringValue().equals(method))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode only(Manifest manifest, List<Sample> samples) throws IOException {
        List<JsonNode> all = benchmarks(Analysis.of(manifest, samples));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static List<List<Double>> rawData(JsonNode metric) {
        return metric.get("rawData").values().stream()
                .map(fork -> fork.values().stream().map(JsonNode::doubleValue).toList())
                .toList();
    }

    private static Manifest manifest(Metric metric, Schedule schedule) {
        Manifest usual = TestRuns.manifest("plain");
        Study study = usual.study();
        return usual.with(new Study(
                study.name(),
                study.question(),
                study.source(),
                study.profile(),
                metric,
                study.baseline(),
                study.methods(),
                study.conditions(),
                schedule,
                study.claims()));
    }

    private static Schedule schedule(Window window, Duration warmUp) {
        return new Schedule(6, 3, window, warmUp, 42);
    }

    @Test
    void eachMethodOfARankingIsABenchmark() throws IOException {
        assertThat(benchmarks(golden))
                .extracting(
                        its -> its.get("benchmark").stringValue(),
                        its -> its.get("params").get("method").stringValue())
                .containsExactlyElementsOf(golden.rankings().stream()
                        .flatMap(ranking -> ranking.rows().stream()
                                .map(row -> tuple("blobmark.blob_fetch." + ranking.operation(), row.method())))
                        .toList());
        assertThat(benchmarks(golden))
                .allSatisfy(its ->
                        assertThat(its.get("params").get("size").stringValue()).isEqualTo("64KB"));
    }

    @Test
    void rawDataAreTheRoundsByFork() throws IOException {
        JsonNode zstd = benchmark(golden, "blobmark.blob_fetch.fetch", "zstd");
        List<Sample> samples = golden.samples().stream()
                .filter(s -> s.method().equals("zstd") && s.operations().containsKey("fetch"))
                .toList();
        List<List<Double>> forks = rawData(zstd.get("primaryMetric"));

        // fork 1 has lost a round to a crash
        assertThat(forks).extracting(List::size).containsExactly(2, 1, 2, 2, 2);
        for (int fork = 0; fork < forks.size(); fork++) {
            int number = fork;
            List<Double> expected = samples.stream()
                    .filter(s -> s.fork() == number)
                    .map(s -> s.operations().get("fetch").throughputBytesPerSecond() / 1e6)
                    .toList();
            assertThat(expected).hasSameSizeAs(forks.get(fork));
            for (int i = 0; i < expected.size(); i++) {
                assertThat(forks.get(fork).get(i)).isCloseTo(expected.get(i), withinPercentage(ROUNDING_PERCENT));
            }
        }
        assertThat(zstd.get("forks").intValue()).isEqualTo(5);
        assertThat(zstd.get("measurementIterations").intValue()).isEqualTo(2);
        assertThat(zstd.get("threads").intValue()).isEqualTo(1);
        assertThat(zstd.get("mode").stringValue()).isEqualTo("thrpt");
        assertThat(zstd.get("primaryMetric").get("scoreUnit").stringValue()).isEqualTo("MB/s");
    }

    @Test
    void theScoreIsTheMeanWithItsInterval() throws IOException {
        var mean = golden.rankings()
                .get(0)
                .find("lz4hc-12")
                .orElseThrow()
                .headline()
                .mean()
                .orElseThrow();
        Interval.Range range = (Interval.Range) mean.interval();
        JsonNode primary =
                benchmark(golden, "blobmark.blob_fetch.fetch", "lz4hc-12").get("primaryMetric");

        assertThat(primary.get("score").doubleValue())
                .isCloseTo(mean.ratio() / 1e6, withinPercentage(ROUNDING_PERCENT));
        assertThat(primary.get("scoreConfidence").get(0).doubleValue())
                .isCloseTo(range.low() / 1e6, withinPercentage(ROUNDING_PERCENT));
        assertThat(primary.get("scoreConfidence").get(1).doubleValue())
                .isCloseTo(range.high() / 1e6, withinPercentage(ROUNDING_PERCENT));
        assertThat(primary.get("scoreError").doubleValue())
                .isCloseTo((range.high() - mean.ratio()) / 1e6, withinPercentage(ROUNDING_PERCENT))
                .isGreaterThan((mean.ratio() - range.low()) / 1e6);
    }

    /** The figures of a golden file of JMH's own, and what JMH says of them there. */
    @Test
    void percentilesOfTheRoundsAreAsJmhEstimatesThem() throws IOException {
        double[][] forks = {
            {942, 384}, {351, 781}, {397, 555}, {582, 580}, {644}, {655, 87, 499}, {121, 826},
        };
        JsonNode percentiles = only(TestRuns.manifest("plain"), TestRuns.samples("plain", forks))
                .get("primaryMetric")
                .get("scorePercentiles");

        assertThat(percentiles.propertyNames())
                .containsExactly("0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999", "100.0");
        assertThat(percentiles.values())
                .extracting(JsonNode::doubleValue)
                .containsExactly(87.0, 567.5, 884.0, 942.0, 942.0, 942.0, 942.0, 942.0, 942.0, 942.0);
    }

    @Test
    void withoutAnIntervalTheErrorIsNoNumber() throws IOException {
        JsonNode primary = only(TestRuns.manifest("plain"), TestRuns.samples("plain", new double[] {100}))
                .get("primaryMetric");

        assertThat(primary.get("score").doubleValue()).isEqualTo(100);
        assertThat(primary.get("scoreError").stringValue()).isEqualTo("NaN");
        assertThat(primary.get("scoreConfidence").values())
                .extracting(JsonNode::stringValue)
                .containsExactly("NaN", "NaN");
        assertThat(rawData(primary)).containsExactly(List.of(100.0));
    }

    @Test
    void timesAreInMicrosecondsAnOperation() throws IOException {
        Window window = new Window.Time(Duration.ofSeconds(2));
        JsonNode plain = only(
                manifest(Metric.MEAN, schedule(window, Duration.ofSeconds(1))),
                TestRuns.samples("plain", new double[] {65.536, 131.072}));

        assertThat(plain.get("mode").stringValue()).isEqualTo("avgt");
        assertThat(plain.get("measurementTime").stringValue()).isEqualTo("2 s");
        assertThat(plain.get("warmupIterations").intValue()).isEqualTo(1);
        assertThat(plain.get("warmupTime").stringValue()).isEqualTo("1 s");
        assertThat(plain.get("primaryMetric").get("scoreUnit").stringValue()).isEqualTo("us/op");
        assertThat(rawData(plain.get("primaryMetric"))).containsExactly(List.of(1000.0, 500.0));
        assertThat(plain.get("primaryMetric").get("score").doubleValue())
                .isCloseTo(Math.sqrt(1000.0 * 500), withinPercentage(ROUNDING_PERCENT));
    }

    @Test
    void aWindowOfOperationsHasNoTime() throws IOException {
        JsonNode plain = only(
                manifest(Metric.ELAPSED, schedule(new Window.Count(1000), Duration.ZERO)),
                TestRuns.samples("plain", new double[] {100}));

        assertThat(plain.get("measurementTime").stringValue()).isEqualTo("single-shot");
        assertThat(plain.get("warmupIterations").intValue()).isZero();
        assertThat(plain.get("primaryMetric").get("score").doubleValue()).isEqualTo(200);
        assertThat(plain.get("primaryMetric").get("scoreUnit").stringValue()).isEqualTo("ms");
    }

    @Test
    void percentilesOfOperationsCpuAndAllocationAreSecondary() throws IOException {
        JsonNode others =
                benchmark(golden, "blobmark.blob_fetch.fetch", "lz4hc-12").get("secondaryMetrics");
        var row = golden.rankings().get(0).find("lz4hc-12").orElseThrow();

        assertThat(others.propertyNames())
                .containsSubsequence("p50", "p99", "cpu", "server-cpu", "wire-in", "waiting", "gc.alloc.rate.norm")
                .doesNotContain("throughput", "disk", "elapsed");
        assertThat(others.get("p99").get("score").doubleValue())
                .isCloseTo(row.percentiles().get(Metric.P99).value() / 1e3, withinPercentage(ROUNDING_PERCENT));
        assertThat(others.get("p99").get("scoreError").isNumber()).isTrue();
        assertThat(others.get("p99").get("scoreUnit").stringValue()).isEqualTo("us/op");
        assertThat(rawData(others.get("p99"))).hasSize(5).allMatch(fork -> fork.size() == 2);
        assertThat(others.get("cpu").get("score").doubleValue()).isEqualTo(70.6365);
        assertThat(others.get("cpu").get("scoreError").stringValue()).isEqualTo("NaN");
        assertThat(others.get("gc.alloc.rate.norm").get("score").doubleValue()).isEqualTo(90201.2);
        assertThat(others.get("gc.alloc.rate.norm").get("scoreUnit").stringValue())
                .isEqualTo("B/op");
    }

    @Test
    void whatIsNotKnownIsNotThere() throws IOException {
        assertThat(benchmark(golden, "blobmark.blob_fetch.decode", "zstd")
                        .get("secondaryMetrics")
                        .propertyNames())
                .containsExactly("p50", "p99");

        List<Sample> samples = TestRuns.samples("plain", new double[] {100});
        JsonNode known = only(TestRuns.manifest("plain"), samples);
        assertThat(known.get("secondaryMetrics").propertyNames())
                .containsExactly("cpu", "server-cpu", "wire-in", "wire-out", "gc.alloc.rate.norm");
        assertThat(known.get("secondaryMetrics")
                        .get("gc.alloc.rate.norm")
                        .get("score")
                        .doubleValue())
                .isZero();
        assertThat(known.get("jdkVersion").stringValue()).isEqualTo("17.0.15");
        assertThat(known.get("vmVersion").stringValue()).isEqualTo("17.0.15+6");
        assertThat(known.get("jvmArgs").get(0).stringValue()).isEqualTo("-Xmx1g");

        JsonNode unknown = only(TestRuns.manifest("plain").with(TestRuns.machine(Map.of())), samples);
        assertThat(unknown.has("jdkVersion") || unknown.has("vmName") || unknown.has("vmVersion"))
                .isFalse();
        assertThat(unknown.get("jvmArgs")).isEmpty();
    }

    @Test
    void nothingMeasuredIsNoBenchmark() throws IOException {
        assertThat(benchmarks(Analysis.of(golden.manifest(), List.of()))).isEmpty();
    }
}
