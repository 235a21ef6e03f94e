package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole run in a process of its own, seen from outside: its output, its run directory, its children. */
class RunIT {

    static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: throughput
            baseline: plain
            methods:
              plain: {codec: none}
              packed: {codec: "zstd:3"}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, link: loopback, tls: off, threads: 1}
            schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 100ms, seed: 1}
            """;

    static final int FEW_ROWS = 100;

    /** The same, with less to load, and to read before a window. */
    static final String SMALL = STUDY.replace("size: 4KB", "size: 4KB, rows: " + FEW_ROWS);

    @TempDir
    private static Path directory;

    private static BlobmarkProcess run;
    private static int exitCode;
    private static RunDirectory left;

    /** {@code taskset -c 0}. */
    private static final int TASKSET_WORDS = 3;

    /** Command lines of all processes below the run, as they were seen while it ran. */
    private static final Set<List<String>> CHILDREN = new LinkedHashSet<>();

    @BeforeAll
    static void run() throws Exception {
        Files.writeString(directory.resolve("tiny.yaml"), STUDY);
        run = BlobmarkProcess.startAsItIs(directory, "run", "--details", "tiny.yaml");
        run.await("it has printed its report", () -> {
            run.descendants().forEach(child -> CHILDREN.add(commandLine(child)));
            return !run.out().isEmpty();
        });
        exitCode = run.exitCode();
        try (Stream<Path> runs = Files.list(directory.resolve("runs"))) {
            left = RunDirectory.open(runs.findFirst().orElseThrow());
        }
    }

    /** What pins a process becomes it: it may be seen before that, and is no other command. */
    private static List<String> commandLine(ProcessHandle process) {
        List<String> words = wordsOf(process);
        return words.size() > TASKSET_WORDS && words.get(0).endsWith("taskset")
                ? words.subList(TASKSET_WORDS, words.size())
                : words;
    }

    /** Java itself tells no arguments where they take more than a page, as a class path may. */
    private static List<String> wordsOf(ProcessHandle process) {
        Path cmdline = Path.of("/proc", Long.toString(process.pid()), "cmdline");
        if (Files.exists(cmdline)) {
            try {
                return List.of(Files.readString(cmdline).split("\0"));
            } catch (IOException ended) {
                return List.of();
            }
        }
        List<String> words = new ArrayList<>();
        process.info().command().ifPresent(words::add);
        process.info().arguments().ifPresent(arguments -> words.addAll(List.of(arguments)));
        return words;
    }

    @AfterAll
    static void end() {
        run.close();
    }

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\n]]");

    @Test
    void standardOutputIsTheReportInUtf8WhateverTheLocale() {
        assertThat(exitCode).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith("Does it run?\n")
                .contains(
                        "MariaDB 11.4",
                        "Samples  4 of 4 planned",
                        "to base",
                        "÷",
                        "[2 rounds in one fork; variance between forks is not",
                        "--control")
                .contains("packed", "plain")
                .doesNotContainPattern(CONTROL);
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void standardErrorSaysWhatIsRunAndHowFarItIs() {
        // a busy machine is warned of, between the first line of progress and the next
        List<String> lines =
                run.err().lines().filter(line -> !line.startsWith("warning: ")).toList();

        assertThat(run.err().lines().filter(line -> line.startsWith("warning: ")))
                .hasSizeLessThanOrEqualTo(3);
        assertThat(run.err()).doesNotContainPattern(CONTROL);
        assertThat(lines.get(0)).isEqualTo("tiny: Does it run?");
        assertThat(lines.get(1))
                .isEqualTo("  2 trials × 2 rounds in 1 fork; warm-up up to 100 ms, window 50 ms, seed 1");
        assertThat(lines.get(2)).matches("  about \\d+ s: \\d+ s to prepare, \\d+ s to measure; \\d+ MB on disk");
        assertThat(lines.get(3)).matches("  0 %, \\d+ s left: starting the server");
        List<String> progress = lines.subList(3, lines.size() - 2);
        assertThat(progress)
                .hasSizeBetween(4, 11)
                .allSatisfy(line -> assertThat(line).matches(" {0,2}\\d+ %, \\d+ s left: .+"))
                .anyMatch(line -> line.contains("left: measuring p"));
        assertThat(progress.stream()
                        .map(line -> Integer.valueOf(line.substring(0, 3).strip())))
                .isSorted();
        String named = "runs/\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-tiny";
        assertThat(lines.get(lines.size() - 2)).matches("Run directory: " + named);
        assertThat(lines.get(lines.size() - 1)).matches("Report:        " + named + "/report\\.html");
    }

    @Test
    void theRunDirectoryIsComplete() throws Exception {
        Manifest manifest = left.manifest();
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(manifest.plan().samples()).isEqualTo(4);
        assertThat(manifest.stores()).hasSize(2);
        assertThat(manifest.datasets()).hasSize(1);

        List<Sample> samples = left.samples();
        assertThat(samples).extracting(Sample::method).containsExactlyInAnyOrder("plain", "plain", "packed", "packed");
        assertThat(samples)
                .allSatisfy(sample -> assertThat(left.histogram(sample, "fetch"))
                        .hasValueSatisfying(latency -> assertThat(latency.getTotalCount())
                                .isEqualTo(sample.operations().get("fetch").count())));
        assertThat(files(left.path()))
                .containsExactlyInAnyOrder(
                        ".lock", "manifest.json", "samples.jsonl", "latency/fork-0.hlog", "report.html");
    }

    private static List<String> files(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .toList();
        }
    }

    @Test
    void nothingElseIsLeft() {
        BlobmarkProcess.assertNothingLeft();
    }

    @Test
    void aReportCanBeMadeAgainInEveryForm() throws Exception {
        Invocation table = Invocation.of("report", "--details", left.path().toString());
        assertThat(table.out()).isEqualTo(run.out());

        Invocation markdown =
                Invocation.of("report", "--format", "markdown", left.path().toString());
        assertThat(markdown.out())
                .startsWith("# Does it run?\n")
                .contains("packed | ")
                .doesNotContain("\u001b");

        Invocation csv = Invocation.of("report", left.path().toString(), "--format=csv");
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(csv.out())) {
            List<NamedCsvRecord> all = rows.stream().toList();
            assertThat(all).hasSize(4).allSatisfy(row -> {
                assertThat(row.getField("study")).isEqualTo("tiny");
                assertThat(row.getField("operation")).isEqualTo("fetch");
                assertThat(Double.parseDouble(row.getField("operations_per_s"))).isPositive();
            });
        }
        Invocation json = Invocation.of("report", "--format=json", left.path().toString(), "--equal-within", "99%");
        assertThat(json.out())
                .startsWith("{\n")
                .contains("\"study\" : \"tiny\"", "\"equal_within\" : 0.99", "\"noise_floor\" : null");
        assertThat(List.of(table, markdown, csv, json)).allSatisfy(report -> {
            assertThat(report.exitCode()).isZero();
            assertThat(report.err()).isEmpty();
        });
    }

    @Test
    void theMeasuringJvmIsStartedWithFlagsClassPathAndMainClassAlone() {
        List<List<String>> forks = CHILDREN.stream()
                .filter(words -> words.contains(ForkMain.class.getName()))
                .toList();

        assertThat(forks)
                .singleElement()
                .satisfies(words -> assertThat(words.subList(1, words.size()))
                        .element(1)
                        .asString()
                        .startsWith("-Djava.io.tmpdir="))
                .satisfies(words -> assertThat(
                                words.stream().skip(1).filter(word -> !word.startsWith("-Djava.io.tmpdir=")))
                        .containsExactly(
                                "-XX:+DisplayVMOutputToStderr",
                                "-XX:-UsePerfData",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xms1024m",
                                "-Xmx1024m",
                                "-XX:+AlwaysPreTouch",
                                "-XX:+AlwaysActAsServerClassMachine",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ForkMain.class.getName()));
    }

    @Test
    void noPasswordIsAmongTheArgumentsOfTheServer() {
        List<List<String>> servers = CHILDREN.stream()
                .filter(words -> words.stream().anyMatch(word -> word.startsWith("--port=")))
                .toList();

        assertThat(servers).singleElement().satisfies(words -> {
            assertThat(words).hasSize(4).endsWith("--init-file=/dev/stdin");
            assertThat(words.get(1))
                    .matches("--defaults-file=\\Q" + BlobmarkProcess.CACHE + "\\E/servers/[-0-9a-f]+/server\\.cnf");
            assertThat(words.get(2)).matches("--port=\\d+");
        });
    }

    @Test
    void theManifestTellsNoSecretAndNoHome() throws Exception {
        String text = Files.readString(left.path().resolve("manifest.json"));

        assertThat(left.manifest().servers().get("mysql").variables())
                .hasSizeGreaterThan(100)
                .allSatisfy((name, value) -> assertThat(name).doesNotMatch("(.*_)?(pwd|password|secret|token|auth)"))
                .doesNotContainKeys("basedir", "datadir", "hostname", "port", "socket", "server_uid");
        assertThat(text).doesNotContain(BlobmarkProcess.HOME.toString(), System.getProperty("user.home") + "/");
        assertThat(Files.readString(left.path().resolve("samples.jsonl")))
                .doesNotContain(BlobmarkProcess.HOME.toString(), "password");
    }

    @Test
    void whatIfForecastsOtherLinks() {
        Invocation slow = Invocation.of("whatif", left.path().toString(), "--link=10mbit", "--size=4KB", "--threads=1");

        assertThat(slow.exitCode()).as(slow.err()).isZero();
        assertThat(slow.out())
                .startsWith("fetch: 4 KB, sites, ")
                .contains("over 10mbit by forecast\n", "measured here", "Nothing was measured for this.")
                // one fork does not show how much forks differ
                .containsPattern("(?m)^ packed +[0-9.,]+ +one fork +[0-9.,]+$")
                .containsPattern("(packed|plain) (would be|stays) the fastest");
        // 4 KB take 3.3 ms on this link, and the encoded ones less; a busy machine may have measured any times without
        // it
        Forecast plain = forecast(slow.out(), "plain");
        Forecast packed = forecast(slow.out(), "packed");
        assertThat(plain.added()).isGreaterThan(3_000);
        assertThat(packed.added()).isLessThan(0.8 * plain.added());
        assertThat(slow.out()).containsPattern((packed.there < plain.there ? "packed" : "plain") + " (would be|stays)");
    }

    /** Microseconds over the other link, and as measured. */
    private record Forecast(double there, double here) {
        double added() {
            return there - here;
        }
    }

    private static Forecast forecast(String out, String method) {
        Matcher row = Pattern.compile("(?m)^ " + method + " +([0-9.,]+) +one fork +([0-9.,]+)$")
                .matcher(out);
        assertThat(row.find()).as(out).isTrue();
        return new Forecast(
                Double.parseDouble(row.group(1).replace(",", "")),
                Double.parseDouble(row.group(2).replace(",", "")));
    }

    @Test
    void whatIfIsRefusedBeyondWhatTheRunMeasured() throws Exception {
        assertNotForecast("the forecast reaches from 1mbit to 40gbit, not to 64kbit", "--link=64kbit");
        assertNotForecast("the run measured threads 1, not 8; a forecast for others needs an advice", "--threads=8");
        assertNotForecast("the run measured size 4KB, not 64KB", "--link=10mbit", "--size=64KB");
        assertNotForecast("--link: ", "--link=fast");
        assertNotForecast("say what is different: add --link, --threads or --size");
    }

    private static void assertNotForecast(String message, String... options) {
        Invocation refused =
                Invocation.of(Stream.concat(Stream.of("whatif", left.path().toString()), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).startsWith("blobmark: ").contains(message);
        assertThat(refused.out()).isEmpty();
    }
}
