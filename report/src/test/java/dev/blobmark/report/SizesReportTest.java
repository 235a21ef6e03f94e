package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Values of two sizes: plain is faster with small ones, zstd with large ones and, as bytes count, with all. */
class SizesReportTest {

    private static final Manifest MANIFEST = TestRuns.manifest("plain", "zstd");

    private final Analysis report = report();

    private static Analysis report() {
        List<Sample> samples = new ArrayList<>();
        for (int fork = 0; fork < 3; fork++) {
            for (int round = 2 * fork; round < 2 * fork + 2; round++) {
                double noise = 1 + round / 1e3;
                samples.add(sample("plain", fork, round, 500 * noise, 100 * noise, 600));
                samples.add(sample("zstd", fork, round, 700, 50, 900));
            }
        }
        Rankings judge = new Rankings(
                MANIFEST,
                (sample, name) -> switch (name) {
                    case "fetch", "fetch.64KB-256KB" -> Optional.of(histogram(300_000));
                    case "fetch.0-1KB" -> Optional.of(histogram(20_000));
                    default -> Optional.empty();
                },
                Analysis.USUAL_EQUAL_WITHIN);
        return new Analysis(MANIFEST, samples, Analysis.USUAL_EQUAL_WITHIN, judge.rankings(samples));
    }

    private static Histogram histogram(long nanos) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(nanos, 1_000);
        return histogram;
    }

    /** Of 1,000 operations 750 are on values of 512 bytes, the rest on those of 255.5 KB: together 65,536,000 bytes. */
    private static Sample sample(String method, int fork, int round, double all, double small, double large) {
        Sample plain = TestRuns.sample(method, fork, round, new Outcome.Measured(), all);
        Operations fetch = plain.operations().get("fetch");
        Operations sized = new Operations(
                fetch.count(),
                fetch.throughputBytesPerSecond(),
                fetch.operationsPerSecond(),
                fetch.latency(),
                new Operations.ByteCounts(
                        fetch.applicationBytes(), fetch.wireBytesIn(), fetch.wireBytesOut(), fetch.storedBytes()),
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of(
                        SizeClass.TO_1KB, ofSize(fetch, 750, 384_000, small),
                        SizeClass.TO_256KB, ofSize(fetch, 250, 65_152_000, large))));
        return new Sample(
                plain.trial(),
                new Position(0, fork, round, plain.position().startedAt()),
                plain.outcome(),
                new Remarks(List.of(), List.of(), plain.remarks().errors(), plain.unknown()),
                plain.warmUp(),
                new TreeMap<>(Map.of("fetch", sized)),
                Optional.empty(),
                Resources.of(
                        plain.resources().elapsedNanos(),
                        plain.resources().clientCpuNanosPerOp(),
                        plain.resources().serverCpuNanosPerOp(),
                        plain.resources().allocatedBytesPerOp()),
                plain.disk(),
                Optional.empty());
    }

    private static Operations ofSize(Operations fetch, long count, long bytes, double megabytesPerSecond) {
        return new Operations(
                count,
                megabytesPerSecond * 1e6,
                megabytesPerSecond * 1e6 * count / bytes,
                fetch.latency(),
                new Operations.ByteCounts(
                        bytes, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(bytes / 2)));
    }

    @Test
    void eachClassIsRankedAsAllValuesAre() {
        assertThat(report.rankings()).hasSize(3);
        Ranking all = report.rankings().get(0);
        Ranking small = report.rankings().get(1);
        Ranking large = report.rankings().get(2);

        assertThat(all.sizes()).isEmpty();
        assertThat(all.best().orElseThrow().method()).isEqualTo("zstd");
        assertThat(small.sizes()).hasValue(new Ranking.SizeShare(SizeClass.TO_1KB, 0.75, 384.0 / 65_536));
        assertThat(small.best().orElseThrow().method()).isEqualTo("plain");
        assertThat(small.rivals()).isEmpty();
        assertThat(small.rows().get(0).percentiles().values())
                .allSatisfy(p -> assertThat(p.value()).isBetween(19_990.0, 20_020.0));
        assertThat(large.best().orElseThrow().method()).isEqualTo("zstd");
        assertThat(large.find("zstd").orElseThrow().median(Metric.COMPRESSION_RATIO))
                .hasValue(2);
        assertThat(large.find("zstd").orElseThrow().median(Metric.CPU)).isEmpty();
    }

    @Test
    void aTableTellsTheSharesAndTheAnswersTheFastestOfEach() throws Exception {
        assertThat(Written.as(report, "table"))
                .contains("\nfetch of values of less than 1 KB: 75 % of the operations, 1 % of the bytes\n")
                .contains("\nfetch of values of 64 KB to 256 KB: 25 % of the operations, 99 % of the bytes\n")
                .containsPattern("\nAt 64 KB, zstd is read back fastest: 1\\.397 ×")
                .containsPattern(
                        "\nAt 64 KB, values of less than 1 KB, plain, the baseline, is read back fastest; next is zstd")
                .containsPattern("\nAt 64 KB, values of 64 KB to 256 KB, zstd is read back fastest: 1\\.50 ×");
        assertThat(Written.as(report, "markdown")).contains("\n## fetch of values of less than 1 KB: 75 %");
    }

    @Test
    void jsonAndCsvHaveThemToo() throws Exception {
        assertThat(Written.as(report, "json"))
                .contains("\"low_bytes\" : 65536,", "\"high_bytes\" : 262144,", "\"share_of_operations\" : 0.25,");
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(Written.as(report, "csv"))) {
            List<NamedCsvRecord> all = rows.stream().toList();
            assertThat(all).hasSize(3 * 12);
            assertThat(all.subList(0, 3))
                    .extracting(row -> row.getField("values"))
                    .containsExactly("", "0-1KB", "64KB-256KB");
            assertThat(all.subList(0, 3))
                    .extracting(row -> row.getField("count"))
                    .containsExactly("1000", "750", "250");
            assertThat(all.get(1).getField("disk_bytes")).isEmpty();
        }
    }

    @Test
    void prometheusTellsThemApartAndJmhLeavesThemOut() throws Exception {
        assertThat(Written.as(report, "prometheus")
                        .lines()
                        .filter(line -> line.startsWith("blobmark_operations_per_second")))
                .hasSize(6)
                .filteredOn(line -> line.contains(",values=\""))
                .hasSize(4)
                .filteredOn(line -> line.contains("method=\"zstd\",operation=\"fetch\",values=\"64KB-256KB\","))
                .hasSize(1);
        assertThat(new JsonMapper().readTree(Written.as(report, "jmh")))
                .extracting(its ->
                        its.get("primaryMetric").get("rawData").get(0).get(1).doubleValue())
                .containsExactly(700.0, 500.5);
    }
}
