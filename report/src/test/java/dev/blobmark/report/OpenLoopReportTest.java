package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The run of the golden files, as if one of its samples were from an open loop. */
class OpenLoopReportTest {

    private static Path run() throws URISyntaxException {
        return Path.of(OpenLoopReportTest.class.getResource("run").toURI());
    }

    private static String written(String form, String rate, String outcome) throws Exception {
        String line = Files.readAllLines(run().resolve("first-round.jsonl")).stream()
                .filter(sample -> sample.contains("\"method\":\"zstd\"") && sample.contains("\"fetch\":{"))
                .findFirst()
                .orElseThrow()
                .replace("\"threads\":\"1\"", "\"threads\":\"1\",\"rate\":\"" + rate + "\"")
                .replace("\"outcome\":{\"word\":\"measured\",\"reason\":\"\"}", outcome)
                .replaceFirst(
                        "\"response_ns\":null",
                        "\"response_ns\":{\"mean\":2e5,\"p50\":150000,\"p90\":2000000,\"p95\":3000000,"
                                + "\"p99\":40000000,\"p999\":195000000,\"max\":200000000}")
                .replace(
                        "\"open_loop\":null",
                        "\"open_loop\":{\"rate_per_s\":2000,\"offered\":400,\"started\":300,\"completed\":300,"
                                + "\"dropped\":100,\"schedule_lag_ns\":{\"mean\":5e3,\"p50\":4000,\"p90\":5000,"
                                + "\"p95\":6000,\"p99\":7000,\"p999\":8000,\"max\":9000}}");
        Manifest manifest = RunDirectory.open(run()).manifest();
        List<Sample> samples = List.of(Sample.ofJson(line));
        Rankings judge = new Rankings(
                manifest,
                (sample, name) -> Optional.of(name)
                        .filter(Sample.responseOf("fetch")::equals)
                        .map(response -> responses()),
                Analysis.USUAL_EQUAL_WITHIN);
        return Written.as(new Analysis(manifest, samples, Analysis.USUAL_EQUAL_WITHIN, judge.rankings(samples)), form);
    }

    /** In nanoseconds: half of them fast, and a pause. */
    private static Histogram responses() {
        Histogram responses = new Histogram(3);
        responses.recordValueWithCount(150_000, 9_000);
        responses.recordValueWithCount(40_000_000, 980);
        responses.recordValueWithCount(195_000_000, 20);
        return responses;
    }

    @Test
    void responseTimesAndARateThatWasNotReachedAreNoted() throws Exception {
        String table = written(
                "table",
                "constant:2000",
                "\"outcome\":{\"word\":\"saturated\",\"reason\":\"completed 1,500 of 2,000\"}");

        assertThat(table)
                .contains("2,000 offered per second")
                .doesNotContain("Poisson")
                .contains("response time of zstd, from the intended start: p50 150 µs, p99 40.0 ms, p99.9 195 ms")
                .contains(" ! rate not reached: zstd in 1 of 1 round: completed 1,500 of 2,000");
    }

    @Test
    void aClosedLoopIsNotMentioned() throws Exception {
        assertThat(written("table", "closed", "\"outcome\":{\"word\":\"measured\",\"reason\":\"\"}"))
                .doesNotContain("closed", "rate not reached");
    }

    @Test
    void allOfItIsInTheCsv() throws Exception {
        String text = written("csv", "poisson:2000", "\"outcome\":{\"word\":\"measured\",\"reason\":\"\"}");
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(text)) {
            assertThat(rows.stream()).singleElement().satisfies(row -> {
                assertThat(row.getField("factor.rate")).isEqualTo("poisson:2000");
                assertThat(row.getField("response_p999_ns")).isEqualTo("195000000");
                assertThat(row.getField("offered")).isEqualTo("400");
                assertThat(row.getField("dropped")).isEqualTo("100");
                assertThat(row.getField("schedule_lag_p99_ns")).isEqualTo("7000");
            });
        }
    }

    @Test
    void responseTimesAreInTheFormsForOtherPrograms() throws Exception {
        String measured = "\"outcome\":{\"word\":\"measured\",\"reason\":\"\"}";
        assertThat(written("prometheus", "poisson:2000", measured))
                .containsPattern(
                        "\nblobmark_response_seconds\\{.*rate=\"poisson:2000\".*quantile=\"0\\.5\"} 0\\.000150\\d*\n")
                .containsPattern("\nblobmark_response_seconds\\{.*quantile=\"0\\.999\"} 0\\.195\\d*\n");
        JsonNode jmh = new JsonMapper().readTree(written("jmh", "poisson:2000", measured));
        JsonNode p99 = jmh.get(0).get("secondaryMetrics").get("response-p99");
        assertThat(p99.get("score").doubleValue()).isBetween(40_000.0, 40_040.0);
        assertThat(p99.get("rawData").get(0).get(0).doubleValue()).isEqualTo(40_000);
    }
}
