package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.LatencyLogs;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Style;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Percentile;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Seals what a report looks like, on a run with methods of every outcome. */
class ReportFormatTest {

    @TempDir
    private static Path runs;

    private static Path directory;

    private static Analysis report;

    @BeforeAll
    static void run() throws IOException {
        directory = runs.resolve("golden");
        report = Analysis.of(GoldenRun.write(directory));
    }

    private static List<Format<Analysis>> formats() {
        return Formats.OF_REPORT.all().stream()
                .filter(format -> format != Formats.HTML && format != Formats.TABLE)
                .toList();
    }

    /** But for the page, most of which is a library: PageTest looks at it as a browser does. */
    @ParameterizedTest
    @MethodSource("formats")
    void isAsInTheGoldenFile(Format<Analysis> format) throws IOException {
        if (Boolean.getBoolean("blobmark.golden")) { // -Dblobmark.golden=true writes the files again, for review
            Files.writeString(
                    Path.of("src/test/resources/dev/blobmark/report/report." + format.word()),
                    Written.as(report, format, Style.PLAIN));
        }
        assertThat(Written.as(report, format, Style.PLAIN))
                .isEqualTo(Files.readString(resource("report." + format.word())));
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80, 100, 160, 240})
    void noLineIsWiderThanTheTerminal(int columns) throws IOException {
        isAsInTheGoldenFile(Formats.TABLE, "table." + columns, columns);
        isAsInTheGoldenFile(Formats.DETAILS, "details." + columns, columns);
        for (Format<Analysis> format : List.of(Formats.TABLE, Formats.DETAILS)) {
            String bars = Written.as(report, format, new Style(columns, true, true));
            assertThat(bars.replaceAll("\u001b\\[\\d+m", "").lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
        }
    }

    private static void isAsInTheGoldenFile(Format<Analysis> format, String name, int columns) throws IOException {
        String text = Written.as(report, format, new Style(columns, false, false));
        if (Boolean.getBoolean("blobmark.golden")) {
            Files.writeString(Path.of("src/test/resources/dev/blobmark/report/report." + name), text);
        }
        assertThat(text).isEqualTo(Files.readString(Path.of("src/test/resources/dev/blobmark/report/report." + name)));
        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
    }

    @Test
    void theAnswerStandsAboveTheHintOfMore() {
        String text = Written.as(report, Formats.TABLE, Style.PLAIN);
        assertThat(text)
                .endsWith("lz4hc-12 is fastest.\n--details shows more; 'report RUN --format links' forecasts other"
                        + " networks.\n");
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(45).anyMatch(line -> line.contains("▲ faster"));
        assertThat(Written.as(report, Formats.TABLE, new Style(100, true, true)))
                .contains("█")
                .containsPattern("\u001b\\[32m *▲");
        assertThat(Written.as(report, Formats.TABLE, Style.ANSI)).doesNotContain("█");
    }

    @Test
    void coloursChangeNothingButColours() throws IOException {
        String coloured = Written.as(report, Formats.DETAILS, Style.ANSI);
        assertThat(coloured).contains("\u001b[1m", "\u001b[31m", "\u001b[33m");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", "").replaceAll("(?m) +$", ""))
                .isEqualTo(Written.as(report, "table"));
    }

    @Test
    void everyFormSaysWhereTheFiguresComeFrom() throws IOException {
        for (String format : List.of("table", "markdown")) {
            assertThat(Written.as(report, format))
                    .contains(
                            "MariaDB 11.4.5, embedded: a stand-in, not MySQL",
                            "loopback",
                            "Xeon",
                            "10 rounds, 5 forks");
        }
    }

    /** What a histogram of all rounds gives, and no mean or median of the rounds' percentiles could. */
    @Test
    void percentilesAreThoseOfAllOperationsTogether() {
        List<Sample> zstd = report.samples().stream()
                .filter(s -> s.method().equals("zstd") && s.operations().containsKey("fetch"))
                .toList();
        LatencyLogs logs = RunDirectory.open(directory).latencies();
        Histogram all = new Histogram(3);
        zstd.forEach(sample -> all.add(logs.find(sample, "fetch").orElseThrow()));
        assertThat(all.getTotalCount())
                .isEqualTo(zstd.stream()
                        .mapToLong(s -> s.operations().get("fetch").count())
                        .sum());

        Percentile p99 = row("fetch", "zstd").percentiles().get(Metric.P99);
        assertThat(p99.value()).isEqualTo(all.getValueAtPercentile(99));
        assertThat(p99.interval()).isInstanceOfSatisfying(Interval.Range.class, range -> {
            assertThat(range.unit()).isEqualTo(Unit.FORK);
            assertThat(range.contains(p99.value())).isTrue();
        });
        assertThat(row("encode", "brotli-11").percentiles().get(Metric.P99).interval())
                .isInstanceOf(Interval.None.class);
    }

    @Test
    void eachMethodHasItsFate() {
        assertThat(row("fetch", "zstd").doubts().crashed()).hasSize(1);
        assertThat(row("fetch", "zstd").doubts().flags().get("bimodal").rounds())
                .isEqualTo(2);
        assertThat(row("fetch", "brotli-11").doubts().unsteady()).hasSize(2);
        assertThat(row("decode", "lz4hc-12").headline().levels()).hasValueSatisfying(levels -> {
            assertThat(levels.levels().high() / levels.levels().low()).isBetween(1.7, 2.1);
            assertThat(levels.levels().highShare()).isEqualTo(0.7);
        });
        assertThat(report.rankings().get(0).unranked())
                .extracting(Ranking.Unranked::method)
                .containsExactly("compressed-table", "page-zlib");
    }

    private static Ranking.Row row(String operation, String method) {
        return report.rankings().stream()
                .filter(ranking -> ranking.operation().equals(operation))
                .flatMap(ranking -> ranking.find(method).stream())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aPercentileThatRanksHasItsIntervalBesideIt() throws IOException {
        Analysis ranked = changed("by-p99", "\"metric\" : \"throughput\"", "\"metric\" : \"p99\"");
        Ranking fetch = ranked.rankings().get(0);
        assertThat(fetch.metric()).isEqualTo(Metric.P99);
        List<Column> columns = RankingTable.columns(fetch);
        assertThat(columns)
                .extracting(Column::head)
                .startsWith("method", "p99", "interval", "to base", "verdict")
                .doesNotContain("range");
        assertThat(columns.get(2).cells()).allMatch(cell -> cell.matches("\\(\\d+–\\d+\\)"));
        assertThat(Written.as(ranked, "table").lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void aWiderMarginCallsMoreEqual() {
        Analysis wide = Analysis.of(RunDirectory.open(directory), 0.05);
        assertThat(wide.rankings().get(0).controlJudgement().orElseThrow().verdict())
                .isEqualTo(new Verdict.Equal(0.05));
        assertThatIllegalArgumentException().isThrownBy(() -> Analysis.of(RunDirectory.open(directory), 1));
    }

    @Test
    void withoutAControlALineSaysHowToGetOne() throws IOException {
        Analysis without = changed("without-control", "\"control\" : \"on\",", "");
        for (String format : List.of("table", "markdown")) {
            assertThat(Written.as(without, format).replaceAll("\\s+", " "))
                    .contains("Noise floor unknown: 'blobmark run' with --control adds a twin")
                    .doesNotContain("noise floor ±");
            assertThat(Written.as(report, format)).contains("noise floor ±").doesNotContain("Noise floor unknown");
        }
        JsonNode json = new JsonMapper().readTree(Written.as(without, "json"));
        assertThat(json.get("control").isNull()).isTrue();
        assertThat(json.get("rankings").get(0).get("noise_floor").isNull()).isTrue();
        assertThat(json.get("rankings").get(0).get("equal_within").doubleValue())
                .isEqualTo(0.02);
    }

    /** The golden run with another manifest. */
    private static Analysis changed(String name, String was, String is) throws IOException {
        RunDirectory run = GoldenRun.write(runs.resolve(name));
        Path manifest = run.path().resolve("manifest.json");
        String text = Files.readString(manifest);
        assertThat(text).contains(was);
        Files.writeString(manifest, text.replace(was, is));
        return Analysis.of(run);
    }

    @Test
    void whatAMethodIsCalledBreaksNoTable() throws IOException {
        String name = "uncompressed@driver=connector-j,statement=server";
        String table = Written.as(renamed("brotli-11", name), "table");
        assertThat(table.lines()).allMatch(line -> line.length() <= 100);
        assertThat(table.lines().filter(line -> line.contains(name + " ")))
                .anyMatch(line -> line.matches(".* × \\(.*\\) +slower .*"));

        String markdown = Written.as(renamed("brotli-11", "a|b_c*"), "markdown");
        assertThat(markdown).contains("| \\~ a\\|b\\_c\\* | ").doesNotContain("a|b");
    }

    private static Analysis renamed(String method, String name) {
        return Analysis.of(
                report.manifest(),
                report.samples().stream()
                        .map(s -> Sample.ofJson(
                                s.toJson().replace("\"method\":\"" + method + "\"", "\"method\":\"" + name + "\"")))
                        .toList());
    }

    /** As a program sees it that knows nothing but docs/report.md. */
    @Test
    void jsonTellsWhatTheTableShows() throws IOException {
        JsonNode json = new JsonMapper().readTree(Written.as(report, "json"));
        assertThat(json.get("schema").intValue()).isEqualTo(1);
        JsonNode fetch = json.get("rankings").get(0);
        assertThat(fetch.get("answer").stringValue())
                .isEqualTo(Answer.all(report).get(0));
        assertThat(fetch.get("best").stringValue()).isEqualTo("lz4hc-12");
        assertThat(fetch.get("unranked").get(0).get("outcome").stringValue()).isEqualTo("failed");
        JsonNode best = fetch.get("methods").get(0);
        assertThat(best.get("verdict").get("word").stringValue()).isEqualTo("faster");
        JsonNode toBaseline = best.get("to_baseline");
        assertThat(toBaseline.get("value").doubleValue())
                .isCloseTo(
                        row("fetch", "lz4hc-12")
                                .toBaseline()
                                .orElseThrow()
                                .effect()
                                .ratio(),
                        within(1e-5));
        assertThat(toBaseline.get("interval").get("unit").stringValue()).isEqualTo("fork");
        assertThat(toBaseline.get("interval").get("comparisons").intValue()).isEqualTo(4);
    }

    /** Of two forks that differ by much, among twenty methods. */
    @Test
    void anIntervalThatIsWiderThanNumbersGoIsNone() throws IOException {
        List<String> methods = Stream.concat(
                        Stream.of("plain"), IntStream.range(0, 20).mapToObj(n -> "method-" + n))
                .toList();
        List<Sample> samples = methods.stream()
                .flatMap(method ->
                        TestRuns.samples(method, new double[] {100}, new double[] {method.equals("plain") ? 100 : 1e9})
                                .stream())
                .toList();
        Analysis wide = Analysis.of(TestRuns.manifest(methods.toArray(String[]::new)), samples);

        JsonNode toBaseline = new JsonMapper()
                .readTree(Written.as(wide, "json"))
                .get("rankings")
                .get(0)
                .get("methods")
                .get(0)
                .get("to_baseline");

        assertThat(toBaseline.get("interval").isNull()).isTrue();
        assertThat(toBaseline.get("no_interval").stringValue()).isEqualTo("too wide for a number");
    }

    @Test
    void csvHasOneRowForEachSampleAndOperation() throws IOException {
        try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(Written.as(report, "csv"))) {
            List<NamedCsvRecord> rows = csv.stream().toList();
            int expected = report.samples().stream()
                    .mapToInt(s -> Math.max(1, s.operations().size()))
                    .sum();
            assertThat(rows).hasSize(expected);
            NamedCsvRecord failed = rows.stream()
                    .filter(row -> row.getField("outcome").equals("failed"))
                    .findFirst()
                    .orElseThrow();
            assertThat(failed.getField("reason")).contains("\"InnoDB: ", "\n");
            assertThat(failed.getField("factor.layout")).isEqualTo("compressed");
            assertThat(failed.getField("server_version")).isEqualTo("11.4.5-MariaDB");
            assertThat(failed.getField("throughput_bytes_per_s")).isEmpty();
            NamedCsvRecord decode = rows.stream()
                    .filter(row -> row.getField("operation").equals("decode"))
                    .findFirst()
                    .orElseThrow();
            assertThat(decode.getField("server_product")).isEmpty();
        }
    }

    @Test
    void everyColumnOfTheCsvIsInTheDocuments() throws IOException {
        String documents = Files.readString(Path.of("../docs/report.md"))
                + Files.readString(Path.of("../docs/run-directory.md"))
                + Files.readString(Path.of("../docs/study-file.md"));
        String header = Written.as(report, "csv").lines().findFirst().orElseThrow();
        assertThat(header.split(","))
                .hasSizeGreaterThan(60)
                .allSatisfy(column -> assertThat(documents)
                        .contains("`"
                                + column.replaceFirst("^factor\\..*", "factor.NAME")
                                        .replaceFirst("^schedule_lag_.*", "schedule_lag_ns")
                                + "`"));
    }

    @Test
    void aRunThatIsNotWholeSaysSo() throws IOException {
        Manifest killed = report.manifest().resumed(Instant.EPOCH, Program.of("0.1.0"));
        List<Sample> some = report.samples().subList(0, 7);
        assertThat(Written.as(Analysis.of(killed, some), "table"))
                .contains(
                        "7 of 120 planned, 1 round, 1 fork, windows of 200 ms; the run is still going or was",
                        "killed");
        for (Format<Analysis> format : Formats.OF_REPORT.all()) {
            assertThat(Written.as(Analysis.of(killed, List.of()), format, Style.PLAIN))
                    .isNotNull();
        }
        assertThat(Written.as(Analysis.of(killed, List.of()), "table")).contains("No trial has been measured yet.");
    }

    @Test
    void whatWasDoneAndSeenAgainstNoiseIsAmongTheFacts() throws IOException {
        Manifest quiet = report.manifest()
                .with(new Machine.Quiet(
                        Pin.parse("client=1-3,server=0"),
                        Optional.of(CpuList.parse("0-3")),
                        List.of(new Finding(
                                "governor", "powersave", Finding.Level.WARNING, "It follows the load.", "cpupower"))));
        assertThat(Written.as(Analysis.of(quiet, report.samples()), "table"))
                .contains(
                        "\nPinned   client to cores 1-3, server to core 0\n",
                        "\nAwake    cores 0-3 kept out of idle by SCHED_IDLE spinners\n",
                        "\nNoise    governor: powersave\n");
        assertThat(Written.as(report, "table")).doesNotContain("Pinned", "Awake", "Noise");
    }

    @Test
    void anAddressedServerIsNamedByItsOwnWords() throws IOException {
        Manifest mysql = report.manifest()
                .with(
                        "mysql",
                        new Manifest.MeasuredServer(
                                "address", "MySQL", "9.7.4", "MySQL Community Server - GPL", new TreeMap<>()));
        assertThat(Written.as(Analysis.of(mysql, report.samples()), "table"))
                .contains("MySQL 9.7.4 (MySQL Community Server - GPL)")
                .doesNotContain("stand-in");
    }

    /** Programs read the level as it is in the samples; people read what it is. */
    @Test
    void theLinkToAServerOnAnotherHostIsCalledDirect() throws IOException {
        Manifest remote = report.manifest()
                .with(
                        "mysql",
                        new Manifest.MeasuredServer(
                                "remote", "MySQL", "9.7.4", "MySQL Community Server - GPL", new TreeMap<>()));
        Analysis run = Analysis.of(remote, report.samples());
        for (Format<Analysis> format : List.of(Formats.TABLE, Formats.DETAILS)) {
            assertThat(Written.as(run, format, Style.PLAIN))
                    .contains("direct, 1 thread")
                    .doesNotContain("loopback");
        }
        for (String word : List.of("markdown", "latency", "links")) {
            assertThat(Written.as(run, word)).contains("direct").doesNotContain("loopback");
        }
        StringBuilder page = new StringBuilder();
        Page.of(run).write(page);
        assertThat(page.toString().split("<script")[0]).contains("direct").doesNotContain("loopback");
        for (String word : List.of("csv", "json", "jmh", "prometheus")) {
            assertThat(Written.as(run, word)).contains("loopback");
        }
    }

    @Test
    void thePageExplainsItsTermsWhereTheyFirstStand() throws IOException {
        StringBuilder page = new StringBuilder();
        Page.of(report).write(page);
        String body = page.substring(page.indexOf("<body"));
        String text = body.substring(0, body.indexOf("<script")).replaceAll("<[^>]+>", "\n");
        assertThat(text.substring(text.indexOf("baseline"))).startsWith("baseline that all are compared with.");
        assertThat(text.substring(text.indexOf("noise floor")))
                .startsWith("noise floor ± 1.8 %: the control, a twin of uncompressed, lies within that");
        assertThat(text.substring(0, text.indexOf("tier: methods that share a letter are tied.")))
                .as("until then it is the head of a column")
                .containsOnlyOnce("tier");
    }

    static Path resource(String name) {
        try {
            return Path.of(ReportFormatTest.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
