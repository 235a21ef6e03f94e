package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.mysql.table.Whole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A sample of a user's table: what reports say of all of it. */
class OwnValuesTest {

    private static final Whole TABLE = new Whole(
            1_150_000,
            7_100_000_000L,
            true,
            OptionalLong.of(1_200_000),
            OptionalLong.of(8_800_000_000L),
            Optional.of("json"));

    private static Analysis report(Optional<Whole> whole) {
        return report(whole, new Outcome.Measured());
    }

    private static Analysis report(Optional<Whole> whole, Outcome outcome) {
        Manifest manifest = TestRuns.manifest("plain", "zstd")
                .withDatasets(List.of(new Manifest.MeasuredDataset(
                        "sites",
                        OptionalLong.empty(),
                        1_000,
                        "7d1a",
                        new TreeMap<>(Map.of("min", 400L, "p50", 2_150L, "max", 61_440L, "total", 6_200_000L)),
                        whole)));
        List<Sample> samples = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            samples.add(TestRuns.sample("plain", round / 2, round, outcome, 500 + round));
            samples.add(TestRuns.sample("zstd", round / 2, round, outcome, 800 + round));
        }
        Rankings judge = new Rankings(manifest, (sample, name) -> Optional.empty(), Analysis.USUAL_EQUAL_WITHIN);
        return new Analysis(manifest, samples, Analysis.USUAL_EQUAL_WITHIN, judge.rankings(samples));
    }

    @Test
    void factsSayHowLargeTheWholeIs() {
        assertThat(RunFacts.of(report(Optional.of(TABLE))).get("Values"))
                .isEqualTo(
                        "1,000 values of sites (json), 400 bytes to 60 KB, median 2.1 KB; in all about 1,150,000 values,"
                                + " 6.6 GB; the table has about 8.2 GB of data in about 1,200,000 rows, as the server estimates");
    }

    @Test
    void textAndMarkdownShowEachMethodsSize() {
        for (String format : List.of("table", "markdown")) {
            assertThat(Written.as(report(Optional.of(TABLE)), format))
                    .contains("Your values: about 1,150,000 values, 6.6 GB", "in the column", "read");
        }
    }

    @Test
    void jsonHasTheFigures() {
        JsonNode own = new JsonMapper()
                .readTree(Written.as(report(Optional.of(TABLE)), "json"))
                .get("own_values")
                .get(0);

        assertThat(own.get("dataset").stringValue()).isEqualTo("sites");
        assertThat(own.get("measured").longValue()).isEqualTo(1_000);
        assertThat(own.get("values").longValue()).isEqualTo(1_150_000);
        assertThat(own.get("is_estimated").booleanValue()).isTrue();
        assertThat(own.get("table_bytes").longValue()).isEqualTo(8_800_000_000L);
        assertThat(own.get("column_type").stringValue()).isEqualTo("json");
        JsonNode zstd = own.get("methods").get(0);
        assertThat(zstd.get("method").stringValue()).isEqualTo("zstd");
        assertThat(zstd.get("column_bytes").doubleValue()).isBetween(1.0, 7_100_000_000.0);
        assertThat(zstd.get("read_ns").doubleValue()).isPositive();
    }

    @Test
    void aRunWhoseTrialsAllFailedHasNoTableOfThem() {
        Analysis report = report(Optional.of(TABLE), new Outcome.Failed("no connection"));

        assertThat(Written.as(report, "table")).contains("no connection").doesNotContain("Your values");
        assertThat(new JsonMapper().readTree(Written.as(report, "json")).get("own_values"))
                .isEmpty();
    }

    @Test
    void generatedValuesHaveNone() {
        Analysis report = report(Optional.empty());

        assertThat(RunFacts.of(report)).doesNotContainKey("Values");
        assertThat(Written.as(report, "table")).doesNotContain("Your values");
        assertThat(new JsonMapper().readTree(Written.as(report, "json")).get("own_values"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1 byte",
        "1023, '1,023 bytes'",
        "1024, 1.0 KB",
        "10188, 9.9 KB",
        "10189, 10 KB",
        "1022976, 999 KB",
        "1023488, 1.0 MB",
        "8804682957, 8.2 GB",
        "9223372036854775807, 8192 PB"
    })
    void bytesAreShort(long bytes, String text) {
        assertThat(Figures.bytes(bytes)).isEqualTo(text);
    }
}
