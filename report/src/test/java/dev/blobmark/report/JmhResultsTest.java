package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.Visible;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * On a file that JMH 1.37 wrote: two benchmarks of codecs, with three codecs and two sizes, two forks of four
 * iterations.
 */
class JmhResultsTest {

    @TempDir
    private Path directory;

    private static PageRun read() throws URISyntaxException {
        return JmhResults.read(
                Path.of(JmhResultsTest.class.getResource("jmh-result.json").toURI()));
    }

    @Test
    void benchmarksAreMethodsAndParametersTheCondition() throws Exception {
        PageRun page = read();

        assertThat(page.report().rankings()).hasSize(6).allSatisfy(ranking -> {
            assertThat(ranking.subject().condition().byFactor()).containsOnlyKeys("codec", "size", "threads");
            assertThat(ranking.subject().operation()).isEqualTo("thrpt, ops/s");
            assertThat(ranking.methods())
                    .extracting(JsonRankings.MethodForm::method)
                    .containsExactlyInAnyOrder("decode", "encode");
            assertThat(ranking.methods().get(0).headline().figure())
                    .isGreaterThanOrEqualTo(ranking.methods().get(1).headline().figure());
        });
        assertThat(page.data().rows().length()).isEqualTo(12 * 2 * 4);
        assertThat(page.data().metrics())
                .extracting(PageRun.MetricForm::name)
                .contains("score", "gc.alloc.rate.norm, B/op");
    }

    /** Its score is the mean of the raw data, as JMH has computed both. */
    @Test
    void scoresAreThoseOfTheRawData() throws Exception {
        PageRun page = read();
        PackedRows.Numbers scores =
                (PackedRows.Numbers) page.data().rows().columns().get("score");
        double first = scores.numbers().subList(0, 8).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow();

        assertThat(page.report().rankings().stream()
                        .flatMap(ranking -> ranking.methods().stream())
                        .mapToDouble(method -> method.headline().figure())
                        .boxed())
                .anySatisfy(score -> assertThat(score).isCloseTo(first, within(1e-6 * first)));
    }

    /** What we give to viewers of JMH's results can be read as such. */
    @Test
    void readsWhatTheFormatOfThatNameWrites() throws IOException {
        Analysis report = Analysis.of(GoldenRun.write(directory.resolve("golden")));
        Path file = Files.writeString(directory.resolve("result.json"), Written.as(report, "jmh"));

        PageRun page = JmhResults.read(file);

        assertThat(page.report().rankings().size())
                .isGreaterThanOrEqualTo(report.rankings().size());
        assertThat(page.data().rows().length()).isGreaterThan(report.samples().size() / 2);
    }

    @Test
    void itsTextsHaveNothingThatATerminalWouldObey() throws IOException {
        String hostile = "\\u001b]0;owned\\u0007\\u202e";
        Path file = Files.writeString(directory.resolve("foreign.json"), """
                [{"benchmark": "a.b%1$s", "mode": "thrpt%1$s", "vmName": "vm%1$s", "params": {"n": "p%1$s"},
                  "primaryMetric": {"score": 1, "scoreUnit": "ops/s%1$s", "rawData": [[1, 2]]},
                  "secondaryMetrics": {"gc": {"score": 1, "scoreUnit": "B%1$s"}}}]
                """.formatted(hostile));
        StringBuilder page = new StringBuilder();
        Page.read(List.of(file), 0.02).write(page);
        PageRun run = JmhResults.read(file);

        assertThat(run.toString())
                .contains("owned")
                .matches(text -> text.chars().noneMatch(Visible::isHidden));
        assertThat(page.chars().noneMatch(Visible::isHidden)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {                                                          | this is not JSON
                    {}                                                         | this is not a list of benchmarks
                    []                                                         | this is not a list of benchmarks
                    [{"mode": "thrpt", "primaryMetric": {"score": 1}}]         | it has no 'benchmark'
                    [{"benchmark": "a.b", "primaryMetric": {"score": 1}}]      | it has no 'mode'
                    [{"benchmark": "a.b", "mode": "thrpt"}]                    | it has no score
                    [{"benchmark": "a.b", "mode": "thrpt", "threads": [1], "primaryMetric": {"score": 1}}] | entry 1: 'threads' is a list and should be a text or a number
                    [{"benchmark": "a.b", "mode": "thrpt", "params": {"n": {}}, "primaryMetric": {"score": 1}}] | entry 1: 'params.n' is an object
                    [{"benchmark": "a.b", "mode": "thrpt", "primaryMetric": {"score": 1, "scoreUnit": []}}] | entry 1: 'primaryMetric.scoreUnit' is a list
                    [{"benchmark": ["a"], "mode": "thrpt"}]                    | entry 1: it has no 'benchmark'
                    """)
    void whatIsNoResultIsRefusedWithTheReasonAndTheMend(String text, String reason) throws IOException {
        Path file = Files.writeString(directory.resolve("broken.json"), text);

        assertThatThrownBy(() -> Page.read(List.of(file), 0.02))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("broken.json")
                .hasMessageContaining(reason)
                .hasMessageContaining("-rf json");
    }
}
