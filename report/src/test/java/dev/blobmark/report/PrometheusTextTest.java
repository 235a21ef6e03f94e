package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.stats.Interval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As Prometheus reads it. */
class PrometheusTextTest {

    /** A figure has six significant digits. */
    private static final double ROUNDING_PERCENT = 1e-3;

    @TempDir
    private static Path runs;

    private static Analysis golden;

    @BeforeAll
    static void run() throws IOException {
        golden = Analysis.of(GoldenRun.write(runs.resolve("golden")));
    }

    /** A line with a figure. */
    private record Point(Map<String, String> labels, double value) {

        boolean has(String... labels) {
            for (int i = 0; i < labels.length; i += 2) {
                if (!labels[i + 1].equals(this.labels.get(labels[i]))) {
                    return false;
                }
            }
            return true;
        }
    }

    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final Pattern HEAD =
            Pattern.compile("# HELP (" + NAME + ") [^\\\\\n]+\n# TYPE (" + NAME + ") gauge\n");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"");
    private static final Pattern LINE =
            Pattern.compile("(" + NAME + ")\\{(" + LABEL + "(?:," + LABEL + ")*)} ([0-9]+(?:\\.[0-9]+)?)\n");

    /**
     * The points by the name of their family. The text must consist of families, each with its help, its type, and all
     * of its points. No two points of a family have the same labels.
     */
    static Map<String, List<Point>> parse(String text) {
        Map<String, List<Point>> families = new LinkedHashMap<>();
        int at = 0;
        while (at < text.length()) {
            Matcher head = HEAD.matcher(text).region(at, text.length());
            assertThat(head.lookingAt()).as("a head at: %s", rest(text, at)).isTrue();
            String name = head.group(1);
            assertThat(head.group(2)).isEqualTo(name);
            assertThat(families).doesNotContainKey(name);
            at = head.end();
            List<Point> points = new ArrayList<>();
            while (at < text.length() && text.charAt(at) != '#') {
                Matcher line = LINE.matcher(text).region(at, text.length());
                assertThat(line.lookingAt())
                        .as("a point at: %s", rest(text, at))
                        .isTrue();
                assertThat(line.group(1)).isEqualTo(name);
                points.add(new Point(labels(line.group(2)), Double.parseDouble(line.group(line.groupCount()))));
                at = line.end();
            }
            assertThat(points).isNotEmpty().extracting(Point::labels).doesNotHaveDuplicates();
            families.put(name, points);
        }
        return families;
    }

    private static String rest(String text, int at) {
        return text.substring(at, Math.min(text.length(), at + 200));
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        Matcher label = LABEL.matcher(text);
        while (label.find()) {
            String value = Pattern.compile("\\\\(.)")
                    .matcher(label.group(2))
                    .replaceAll(escaped ->
                            Matcher.quoteReplacement(escaped.group(1).equals("n") ? "\n" : escaped.group(1)));
            assertThat(labels.put(label.group(1), value)).as(label.group(1)).isNull();
        }
        return labels;
    }

    private static Map<String, List<Point>> families(Analysis report) throws IOException {
        return parse(Written.as(report, "prometheus"));
    }

    private static Point point(String family, String... labels) throws IOException {
        List<Point> those = families(golden).get(family).stream()
                .filter(point -> point.has(labels))
                .toList();
        assertThat(those).hasSize(1);
        return those.get(0);
    }

    private static final String[] FETCH = {"method", "lz4hc-12", "operation", "fetch"};

    @Test
    void figuresAreThoseOfTheRanking() throws IOException {
        Ranking ranking = golden.rankings().get(0);
        Ranking.Row row = ranking.find("lz4hc-12").orElseThrow();
        Judgement judgement = row.toBaseline().orElseThrow();
        Interval.Range range = judgement.range().orElseThrow();

        Map<String, Double> expected = Map.of(
                "blobmark_throughput_bytes_per_second",
                row.value().median(),
                "blobmark_operations_per_second",
                row.median(Metric.OPERATIONS).orElseThrow(),
                "blobmark_effect_ratio",
                judgement.effect().ratio(),
                "blobmark_effect_ratio_low",
                range.low(),
                "blobmark_effect_ratio_high",
                range.high(),
                "blobmark_compression_ratio",
                2.71,
                "blobmark_client_cpu_seconds_per_operation",
                70_636.5e-9,
                "blobmark_server_cpu_seconds_per_operation",
                34_300.7e-9,
                "blobmark_allocated_bytes_per_operation",
                90_201.2);
        for (Map.Entry<String, Double> each : expected.entrySet()) {
            assertThat(point(each.getKey(), FETCH).value())
                    .as(each.getKey())
                    .isCloseTo(each.getValue(), withinPercentage(ROUNDING_PERCENT));
        }
        assertThat(point("blobmark_disk_bytes", FETCH).value()).isEqualTo(14_274_560);
        assertThat(point("blobmark_noise_floor_ratio", "operation", "fetch").value())
                .isCloseTo(ranking.margin().noiseFloor(), withinPercentage(ROUNDING_PERCENT));
        assertThat(point("blobmark_effect_ratio", FETCH).labels())
                .containsEntry("metric", "throughput")
                .containsEntry("baseline", "uncompressed");
    }

    @Test
    void latenciesAreInSeconds() throws IOException {
        Ranking.Row row = golden.rankings().get(0).find("lz4hc-12").orElseThrow();
        List<Point> latencies = families(golden).get("blobmark_latency_seconds").stream()
                .filter(point -> point.has(FETCH))
                .toList();

        assertThat(latencies)
                .extracting(point -> point.labels().get("quantile"))
                .containsExactly("0.5", "0.95", "0.99", "0.999", "1");
        assertThat(latencies.get(2).value())
                .isCloseTo(row.percentiles().get(Metric.P99).value() / 1e9, withinPercentage(ROUNDING_PERCENT));
        assertThat(latencies.get(4).value())
                .isCloseTo(row.latencies().longest().orElseThrow().nanos() / 1e9, withinPercentage(ROUNDING_PERCENT));
    }

    @Test
    void labelsTellStudyServerMethodOperationAndCondition() throws IOException {
        assertThat(point("blobmark_disk_bytes", FETCH).labels())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "study", "blob-fetch",
                        "server", "MariaDB 11.4.5",
                        "method", "lz4hc-12",
                        "operation", "fetch",
                        "dataset", "sites",
                        "link", "loopback",
                        "size", "64KB",
                        "threads", "1",
                        "tls", "off",
                        "workload", "fetch"));
    }

    @Test
    void samplesAreCountedByTheirOutcome() throws IOException {
        List<Point> samples = families(golden).get("blobmark_samples");

        assertThat(samples.stream().mapToDouble(Point::value).sum())
                .isEqualTo(golden.samples().size());
        assertThat(samples.stream().filter(point -> point.has("workload", "fetch")))
                .extracting(
                        point -> point.labels().get("method"),
                        point -> point.labels().get("outcome"),
                        Point::value)
                .contains(
                        tuple("zstd", "measured", 9.0),
                        tuple("zstd", "failed", 1.0),
                        tuple("brotli-11", "unsteady", 2.0),
                        tuple("compressed-table", "failed", 10.0),
                        tuple("page-zlib", "unavailable", 10.0));
    }

    @Test
    void whatIsNotKnownIsNotThere() throws IOException {
        Map<String, List<Point>> families = families(golden);
        for (String family : List.of(
                "blobmark_disk_bytes",
                "blobmark_client_cpu_seconds_per_operation",
                "blobmark_server_cpu_seconds_per_operation",
                "blobmark_allocated_bytes_per_operation")) {
            assertThat(families.get(family))
                    .as("of codecs alone")
                    .isNotEmpty()
                    .noneMatch(point -> point.has("operation", "decode"));
        }
        assertThat(families.get("blobmark_throughput_bytes_per_second").stream()
                        .filter(point -> point.has("operation", "decode")))
                .isNotEmpty()
                .noneMatch(point -> point.labels().containsKey("server"));
        assertThat(families.get("blobmark_effect_ratio"))
                .as("of the baseline itself")
                .noneMatch(point -> point.has("method", "uncompressed"));
        assertThat(families).doesNotContainKey("blobmark_response_seconds");

        // one round, without histograms: neither intervals nor percentiles; that nothing is allocated is known
        Map<String, List<Point>> little = families(Analysis.of(
                TestRuns.manifest("plain", "zstd"),
                List.of(
                        TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100),
                        TestRuns.sample("zstd", 0, 0, new Outcome.Measured(), 150))));
        assertThat(little.get("blobmark_effect_ratio")).extracting(Point::value).containsExactly(1.5);
        assertThat(little)
                .doesNotContainKeys(
                        "blobmark_effect_ratio_low", "blobmark_effect_ratio_high", "blobmark_noise_floor_ratio");
        assertThat(little.get("blobmark_latency_seconds"))
                .allMatch(point -> point.has("quantile", "1"))
                .hasSize(2);
        assertThat(little.get("blobmark_allocated_bytes_per_operation"))
                .extracting(Point::value)
                .containsExactly(0.0, 0.0);
    }

    @Test
    void aRunTellsHowItStands() throws IOException {
        assertThat(point("blobmark_run_finished").value()).isEqualTo(1);
        assertThat(point("blobmark_run_started_timestamp_seconds").value())
                .isEqualTo(Instant.parse("2026-11-21T10:15:00Z").getEpochSecond());
        assertThat(point("blobmark_run_ended_timestamp_seconds").value())
                .isEqualTo(Instant.parse("2026-11-21T10:16:21Z").getEpochSecond());
        assertThat(point("blobmark_run_planned_samples").value()).isEqualTo(120);

        Manifest killed = golden.manifest().resumed(Instant.EPOCH, Program.of("0.1.0"));
        Map<String, List<Point>> families = families(Analysis.of(killed, List.of()));
        assertThat(families)
                .containsOnlyKeys(
                        "blobmark_run_finished",
                        "blobmark_run_started_timestamp_seconds",
                        "blobmark_run_planned_samples");
        assertThat(families.get("blobmark_run_finished"))
                .extracting(Point::value)
                .containsExactly(0.0);
    }

    @Test
    void aMethodMayHaveAnyName() throws IOException {
        String name = "a\"b\\c\nd,e=\"f\"}\\n";
        List<Sample> samples = renamed("plain", name);
        String text = Written.as(Analysis.of(TestRuns.manifest("plain"), samples), "prometheus");

        assertThat(text).contains("method=\"a\\\"b\\\\c\\nd,e=\\\"f\\\"}\\\\n\"");
        assertThat(parse(text).get("blobmark_throughput_bytes_per_second"))
                .singleElement()
                .satisfies(point -> {
                    assertThat(point.labels()).containsEntry("method", name);
                    assertThat(point.value()).isEqualTo(1e8);
                });
    }

    private static List<Sample> renamed(String method, String name) {
        String json = name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return changed("\"method\":\"" + method + "\"", "\"method\":\"" + json + "\"");
    }

    private static List<Sample> changed(String was, String is) {
        String line =
                TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100).toJson();
        assertThat(line).contains(was);
        return List.of(Sample.ofJson(line.replace(was, is)));
    }

    /** Variables of a server are factors, with a dot in their names. */
    @Test
    void aFactorBecomesTheNameOfALabel() throws IOException {
        List<Sample> samples = changed(
                "\"dataset\":\"sites\"",
                "\"dataset\":\"sites\",\"server-cpu\":\"0.5\",\"server.cpu\":\"x\",\"method\":\"y\",\"9\":\"z\"");
        assertThat(parse(Written.as(Analysis.of(TestRuns.manifest("plain"), samples), "prometheus"))
                        .get("blobmark_operations_per_second"))
                .singleElement()
                .satisfies(point -> assertThat(point.labels())
                        .containsEntry("method", "plain")
                        .containsEntry("method_", "y")
                        .containsEntry("server_cpu", "0.5")
                        .containsEntry("server_cpu_", "x")
                        .containsEntry("_", "z"));
    }

    @Test
    void everyFamilyIsInTheDocuments() throws IOException {
        String documents = Files.readString(Path.of("../docs/report.md"));
        List<String> ofMetrics =
                Stream.of(Metric.values()).map(PrometheusText::name).toList();
        assertThat(families(golden).keySet())
                .hasSizeGreaterThan(25)
                .contains("blobmark_client_cpu_seconds_per_operation", "blobmark_throughput_bytes_per_second")
                .filteredOn(family -> !ofMetrics.contains(family))
                .allSatisfy(family -> assertThat(documents).contains("`" + family + "`"));
    }
}
