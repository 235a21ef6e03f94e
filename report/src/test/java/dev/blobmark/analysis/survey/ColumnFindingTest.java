package dev.blobmark.analysis.survey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.survey.SampleEncoding;
import dev.blobmark.lab.survey.SurveyedColumn;
import dev.blobmark.lab.survey.SurveyedColumn.ColumnSample;
import dev.blobmark.lab.survey.SurveyedColumn.RangeSums;
import dev.blobmark.lab.survey.ValueKind;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ColumnFindingTest {

    private static RangeSums range(int rows, int values, long bytes, long zstd) {
        Map<String, Long> encoded = new HashMap<>();
        SampleEncoding.CODECS.forEach(codec -> encoded.put(codec, codec.equals("zstd:9") ? zstd : bytes + 10));
        return new RangeSums(rows, values, bytes, encoded);
    }

    private static ColumnFinding finding(
            long tableRows, long tableBytes, String compression, boolean isWhole, List<RangeSums> ranges) {
        int values = ranges.stream().mapToInt(RangeSums::values).sum();
        ColumnSample sample =
                new ColumnSample(isWhole, values, 100, 0, 0, Map.of(), Map.of(ValueKind.TEXT, values), ranges);
        return ColumnFinding.of(new SurveyedColumn(
                        "s",
                        "t",
                        "c",
                        "blob",
                        tableRows,
                        tableBytes,
                        compression,
                        Optional.empty(),
                        Optional.of(sample)))
                .orElseThrow();
    }

    /** Half of the rows have a value of 100 bytes. 25 bytes of it are left. */
    @Test
    void sumsAreProjectedByTheRowsOfTheTable() {
        ColumnFinding finding = finding(1_000_000, 1 << 30, "", false, Collections.nCopies(10, range(8, 4, 400, 100)));

        assertThat(finding.now()).isCloseTo(50e6, within(1.0));
        assertThat(finding.meanBytes()).isEqualTo(100);
        assertThat(finding.codec()).isEqualTo("zstd:9");
        assertThat(finding.ratio().value()).isEqualTo(4);
        assertThat(finding.saving().value()).isCloseTo(37.5e6, within(1.0));
        // all ranges are alike
        assertThat(finding.ratio().interval()).contains(new EstimatedFigure.EstimateInterval(4, 4));
        assertThat(finding.ratios()).containsOnlyKeys(SampleEncoding.CODECS);
        assertThat(finding.isWorthALook()).isTrue();
    }

    @Test
    void aColumnHasNoMoreBytesThanItsTable() {
        List<RangeSums> ranges = Collections.nCopies(10, range(8, 8, 800, 200));

        ColumnFinding overestimated = finding(1_000, 50_000, "", false, ranges);
        assertThat(overestimated.now()).isEqualTo(50_000);
        assertThat(overestimated.saving().value()).isEqualTo(37_500);

        // the rows are right, and their bytes are 100,000 once they are decompressed
        ColumnFinding compressed = finding(1_000, 50_000, "ROW_FORMAT=COMPRESSED", false, ranges);
        assertThat(compressed.now()).isEqualTo(50_000);
        assertThat(compressed.saving().value()).isEqualTo(25_000);
        assertThat(finding(1_000, 20_000, "ROW_FORMAT=COMPRESSED", false, ranges)
                        .saving()
                        .value())
                .isZero();
    }

    @Test
    void whatBecomesLongerSavesNothing() {
        ColumnFinding finding = finding(1_000, 1 << 20, "", false, Collections.nCopies(10, range(8, 8, 800, 808)));

        assertThat(finding.saving().value()).isZero();
        assertThat(finding.ratio().value()).isLessThan(1);
        assertThat(finding.isWorthALook()).isFalse();
    }

    @Test
    void anIntervalNeedsEightRangesOrAllRows() {
        List<RangeSums> seven =
                IntStream.range(0, 7).mapToObj(i -> range(8, 8, 800, 100 + i)).toList();

        assertThat(finding(1_000, 1 << 20, "", false, seven).saving().interval())
                .isEmpty();
        ColumnFinding whole = finding(56, 1 << 20, "", true, seven);
        assertThat(whole.saving().interval())
                .contains(new EstimatedFigure.EstimateInterval(
                        whole.saving().value(), whole.saving().value()));
        assertThat(whole.now()).isEqualTo(5_600);
    }

    /**
     * Ranges of eight rows each that are alike, half of them of another kind. The true ratio is 2 · 800 / (200 + 800).
     * A percentile bootstrap over 50 ranges contains it in somewhat less than 90 % of samples.
     */
    @Test
    void intervalsContainTheTruthAboutAsOftenAsTheySay() {
        Random random = new Random(1);
        int samples = 300;
        int contained = 0;
        for (int i = 0; i < samples; i++) {
            List<RangeSums> ranges = IntStream.range(0, 50)
                    .mapToObj(k -> range(8, 8, 800, random.nextBoolean() ? 200 : 800))
                    .toList();
            EstimatedFigure.EstimateInterval interval = finding(1_000_000, 1L << 40, "", false, ranges)
                    .ratio()
                    .interval()
                    .orElseThrow();
            contained += interval.low() <= 1.6 && 1.6 <= interval.high() ? 1 : 0;
        }
        assertThat((double) contained / samples).isBetween(0.84, 0.95);
    }

    @Test
    void aColumnWithoutASampleHasNoFigures() {
        assertThat(ColumnFinding.of(new SurveyedColumn(
                        "s", "t", "c", "blob", 1, 1, "", Optional.of("the table is empty"), Optional.empty())))
                .isEmpty();
    }

    @Test
    void aDictionaryIsNamedWhereItIsMuchBetter() {
        assertThat(withDictionary(100).betterDictionary()).hasValue(8);
        assertThat(withDictionary(185).betterDictionary()).isEmpty();
        assertThat(withDictionary(185).dictionaryRatio()).isPresent();
    }

    /** A fifth on average, but hardly anything in most ranges. */
    @Test
    void aDictionaryIsNotNamedWhereItsGainIsUnsure() {
        List<RangeSums> ranges = IntStream.range(0, 10)
                .mapToObj(i -> withDictionary(range(8, 8, 800, 200), i == 0 ? 20 : 190))
                .toList();
        ColumnFinding finding = finding(1_000, 1 << 20, "", false, ranges);
        assertThat(finding.dictionaryRatio().orElseThrow())
                .isGreaterThan(1.1 * finding.ratio().value());
        assertThat(finding.dictionaryGainLow().orElseThrow()).isLessThan(0.1);
        assertThat(finding.betterDictionary()).isEmpty();
    }

    private static RangeSums withDictionary(RangeSums plain, long bytes) {
        Map<String, Long> encoded = new HashMap<>(plain.encoded());
        encoded.put(SampleEncoding.DICTIONARY, bytes);
        return new RangeSums(8, 8, 800, encoded);
    }

    private static ColumnFinding withDictionary(long bytes) {
        return finding(
                1_000, 1 << 20, "", false, Collections.nCopies(10, withDictionary(range(8, 8, 800, 200), bytes)));
    }
}
