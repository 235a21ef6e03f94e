package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.measurement.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A metric is one constant: it is in all that is written of a run without being named there. */
class MetricTest {

    private static final Path STUDY_FILE = Path.of("..", "docs", "study-file.md");

    @TempDir
    Path directory;

    @Test
    void eachIsDocumentedWithItsField() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| `([a-z0-9_]+)` \\|")
                .matcher(Files.readString(STUDY_FILE))
                .results()
                .forEach(row -> documented.put(row.group(1), row.group(2)));

        assertThat(documented)
                .containsAllEntriesOf(
                        Stream.of(Metric.values()).collect(Collectors.toMap(Metric::word, Metric::field)));
    }

    @Test
    void eachIsAColumnOfTheCsvAndAChoiceOnThePage() throws IOException {
        PageRun page = PageRun.of(Analysis.of(GoldenRun.write(directory.resolve("run")), 0.02));

        for (Metric metric : Metric.values()) {
            assertThat(page.data().rows().columns()).containsKey(metric.field());
            assertThat(page.data().metrics())
                    .extracting(PageRun.MetricForm::column)
                    .contains(metric.field());
        }
    }

    @Test
    void whatIsKnownOfAMethodIsInTheJsonAndInPrometheusText() throws IOException {
        Analysis report = Analysis.of(GoldenRun.write(directory.resolve("run")), 0.02);
        StringBuilder prometheus = new StringBuilder();
        PrometheusText.write(report, prometheus);

        Ranking.Row row = report.rankings().get(0).rows().get(0);
        assertThat(JsonRankings.form(report)
                        .rankings()
                        .get(0)
                        .methods()
                        .get(0)
                        .figures()
                        .keySet())
                .containsExactlyElementsOf(
                        row.figures().keySet().stream().map(Metric::field).toList());
        assertThat(row.figures().keySet())
                .contains(Metric.THROUGHPUT, Metric.CPU, Metric.COMPRESSION_RATIO, Metric.WAITING);
        assertThat(prometheus)
                .contains("blobmark_client_cpu_seconds_per_operation{", "blobmark_waiting_seconds_per_operation{");
    }
}
