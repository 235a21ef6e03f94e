package dev.blobmark.report;

import static dev.blobmark.analysis.TestRuns.run;
import static dev.blobmark.analysis.TestRuns.sample;
import static dev.blobmark.analysis.TestRuns.samples;
import static dev.blobmark.analysis.TestRuns.times;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.ComparedRun;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Limit;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.Progress;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Seals what a comparison looks like, of trials that became slower, faster, neither, and of some that cannot be
 * compared.
 */
class ComparisonFormatTest {

    private static final double[][] PLAIN = {{100, 101}, {99, 100}, {100, 102}};
    private static final double[][] ZSTD = {{130, 132}, {126, 131}, {133, 129}};
    private static final double[][] NOISY = {{60, 75}, {82, 58}, {70, 91}};

    private static final Comparison COMPARISON = comparison();

    private static final Format<Comparison> TABLE =
            Formats.OF_COMPARISON.find("table").orElseThrow();

    private static List<Format<Comparison>> formats() {
        return Formats.OF_COMPARISON.all();
    }

    private static Comparison comparison() {
        List<Sample> unsteady = new ArrayList<>(samples("brotli", ZSTD));
        unsteady.set(2, sample("brotli", 1, 2, new Outcome.Unsteady("still rising"), 126));
        ComparedRun base = run(
                samples("plain", PLAIN),
                samples("zstd", ZSTD),
                samples("lz4", ZSTD),
                samples("gzip", NOISY),
                samples("brotli", ZSTD),
                samples("snappy", ZSTD),
                samples("zlib", ZSTD));
        ComparedRun later = run(
                samples("plain", times(0.9, PLAIN)),
                samples("zstd", times(0.8, ZSTD)),
                samples("lz4", times(1.1, ZSTD)),
                samples("gzip", times(0.85, NOISY)),
                unsteady,
                List.of(sample(
                        "snappy",
                        0,
                        0,
                        new Outcome.Failed("the value of key 7 has 65535 bytes\ninstead of 65536 | `so`"),
                        1)),
                samples("deflate", ZSTD));
        Manifest usual = later.manifest();
        Manifest moved = new Manifest(
                        usual.schema(),
                        Program.of("0.2.0"),
                        Progress.startedAt(TestRuns.START.plusSeconds(86_400)),
                        usual.study(),
                        usual.plan(),
                        usual.machine(),
                        usual.servers(),
                        usual.datasets(),
                        usual.stores(),
                        usual.sources())
                .with(
                        "mysql",
                        TestRuns.server(
                                "11.4.7-MariaDB", Map.of("innodb_buffer_pool_size", "268435456", "port", "46085")))
                .ended(Manifest.State.INTERRUPTED, TestRuns.START.plusSeconds(86_460));
        return Comparison.of(
                List.of(base),
                List.of(new ComparedRun(moved, later.trials())),
                new Comparison.Options(
                        Optional.empty(),
                        false,
                        List.of(
                                Limit.parse("throughput < -5%"),
                                Limit.parse("p99 > +30%"),
                                Limit.parse("disk > +1%"))));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void isAsInTheGoldenFile(Format<Comparison> format) throws IOException {
        if (Boolean.getBoolean("blobmark.golden")) { // -Dblobmark.golden=true writes the files again, for review
            Files.writeString(
                    Path.of("src/test/resources/dev/blobmark/report/comparison." + format.word()),
                    written(COMPARISON, format, Style.PLAIN));
        }
        assertThat(written(COMPARISON, format, Style.PLAIN))
                .isEqualTo(Files.readString(resource("comparison." + format.word())));
    }

    @Test
    void aTerminalOf100ColumnsIsWideEnough() throws IOException {
        assertThat(written(COMPARISON, TABLE, Style.PLAIN).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    }

    @Test
    void coloursChangeNothingButColours() throws IOException {
        String coloured = written(COMPARISON, TABLE, Style.ANSI);

        assertThat(coloured).contains("\u001b[1m", "\u001b[31m", "\u001b[33m");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", "").replaceAll("(?m) +$", ""))
                .isEqualTo(written(COMPARISON, TABLE, Style.PLAIN));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void nothingInCommonIsSaidToo(Format<Comparison> format) throws IOException {
        Comparison nothing = Comparison.of(
                List.of(run(samples("plain", PLAIN))),
                List.of(run(samples("plain", PLAIN))),
                new Comparison.Options(Optional.empty(), false, List.of(Limit.parse("p99 > +5%"))));

        String text = written(nothing, format, Style.PLAIN);
        if (format.word().equals("json")) {
            assertThat(text).contains("\"comparisons\" : [ ]");
        } else {
            assertThat(text)
                    .contains("throughput: nothing could be compared.", "not judged, as nothing could be compared");
        }
    }

    private static List<Sample> of(String method, String dataset, String size) {
        return samples(method, ZSTD).stream()
                .map(sample -> Sample.ofJson(sample.toJson()
                        .replace("\"sites\"", '"' + dataset + '"')
                        .replace("\"64KB\"", '"' + size + '"')
                        .replaceFirst("\"id\":\"", "\"id\":\"" + dataset + size)))
                .toList();
    }

    @Test
    void whatIsNotComparedIsNamedTogether() throws IOException {
        List<List<Sample>> base = new ArrayList<>(List.of(samples("plain", PLAIN)));
        for (String method : List.of("zstd", "lz4", "gzip")) {
            for (String size : List.of("1KB", "4KB", "16KB", "64KB", "256KB", "1MB")) {
                base.add(of(method, "random:2", size));
                if (!size.equals("64KB")) {
                    base.add(of(method, "sites", size));
                }
            }
        }
        base.add(of("brotli", "random:2", "1KB"));
        base.add(of("brotli", "random:2", "4KB"));
        Comparison comparison = Comparison.of(
                List.of(run(base.toArray(List[]::new))),
                List.of(run(samples("plain", PLAIN))),
                new Comparison.Options(Optional.empty(), false, List.of()));
        assertThat(comparison.incomparable()).hasSize(35);

        assertThat(written(comparison, TABLE, Style.PLAIN)).contains("""

                Not compared
                 – only in base: zstd, lz4 and gzip (fetch: 1 KB, 4 KB, 16 KB, 64 KB or 2 more, random:2 or sites,
                   in 11 combinations); brotli (fetch: 1 KB or 4 KB, random:2)
                """);
    }

    private static String written(Comparison comparison, Format<Comparison> format, Style style) throws IOException {
        StringBuilder text = new StringBuilder();
        format.write(comparison, style, text);
        return text.toString();
    }

    private static Path resource(String name) {
        try {
            return Path.of(ComparisonFormatTest.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Two products differ in a hundred variables, and what decides must not be buried among them. */
    @Test
    void manyServerVariablesAreCounted() {
        List<Comparison.RunDifference> all = new ArrayList<>();
        all.add(new Comparison.RunDifference("server mysql storage=tmpfs", Set.of("A 1"), Set.of("B 2")));
        for (int i = 0; i < 20; i++) {
            all.add(new Comparison.RunDifference("server mysql storage=tmpfs variable_" + i, Set.of("1"), Set.of("2")));
        }
        assertThat(ComparisonDocument.differences(all)).hasSize(21);
        all.add(new Comparison.RunDifference("server mysql storage=tmpfs sync_binlog", Set.of("0"), Set.of("1")));

        assertThat(ComparisonDocument.differences(all))
                .containsExactly(
                        "server mysql storage=tmpfs: A 1 → B 2",
                        "server mysql storage=tmpfs sync_binlog: 0 → 1",
                        "20 other server variables: --format json names them");
    }
}
