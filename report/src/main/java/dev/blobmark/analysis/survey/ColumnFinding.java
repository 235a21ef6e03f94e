package dev.blobmark.analysis.survey;

import dev.blobmark.lab.survey.SampleEncoding;
import dev.blobmark.lab.survey.SurveyedColumn;
import dev.blobmark.lab.survey.SurveyedColumn.ColumnSample;
import dev.blobmark.lab.survey.SurveyedColumn.RangeSums;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * What compressing a column would save. Sums over the sample are projected by the server's estimate of the table's
 * rows. If that gives more bytes than the table has, the rows are overestimated, and the table's bytes are used.
 *
 * <p>Intervals are of 90 %, by a percentile bootstrap over the ranges of the key, because neighbouring rows resemble
 * each other (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13). They do not include the
 * uncertainty of the server's estimate of rows.
 *
 * @param now bytes of the column
 * @param meanBytes of a value
 * @param codec that makes the column smallest
 * @param ratio of the bytes now to those with the codec
 * @param saving bytes, at least 0
 * @param ratios by codec
 * @param dictionaryRatio with zstd and a dictionary; empty where none was tried
 * @param dictionaryGainLow the lower end of the 95 % interval of what the dictionary saves of the bytes with the best
 *     codec without one; empty where the sample does not show it
 */
public record ColumnFinding(
        SurveyedColumn column,
        double now,
        double meanBytes,
        String codec,
        EstimatedFigure ratio,
        EstimatedFigure saving,
        Map<String, Double> ratios,
        OptionalDouble dictionaryRatio,
        OptionalDouble dictionaryGainLow) {

    /** With fewer ranges, the bootstrap's intervals are much too narrow. */
    private static final int MIN_RANGES = 8;

    private static final int RESAMPLES = 2_000;
    private static final double TAIL = 0.05;
    private static final long SEED = 1;

    /** What is compressed by less than this is not worth it. */
    private static final double MIN_SHARE = 0.1;

    /** A dictionary is worth its trouble if it surely makes the column this much smaller. */
    private static final double MIN_DICTIONARY_GAIN = 0.1;

    /** Of the resamples, for the lower end of an interval of 95 %. */
    private static final double DICTIONARY_TAIL = 0.025;

    /** The largest saving first; equal ones by name. */
    public static final Comparator<ColumnFinding> BY_SAVING = Comparator.comparingDouble(
                    (ColumnFinding finding) -> finding.saving.value())
            .reversed()
            .thenComparing(finding -> finding.column.name());

    /** Empty if the column has no sample. */
    public static Optional<ColumnFinding> of(SurveyedColumn column) {
        return column.sample().map(sample -> of(column, sample));
    }

    private static ColumnFinding of(SurveyedColumn column, ColumnSample sample) {
        List<RangeSums> ranges = sample.ranges();
        Map<String, Double> ratios = new LinkedHashMap<>();
        double bytes = sum(ranges, RangeSums::bytes);
        SampleEncoding.CODECS.forEach(codec -> ratios.put(codec, bytes / sum(ranges, encoded(codec))));
        String best = ratios.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        boolean hasDictionary =
                ranges.stream().allMatch(range -> range.encoded().containsKey(SampleEncoding.DICTIONARY));
        Projection all = Projection.of(column, sample, ranges, best);
        Optional<double[][]> resampled = resampled(column, sample, best);
        return new ColumnFinding(
                column,
                all.now,
                bytes / sum(ranges, RangeSums::values),
                best,
                estimate(all.ratio, resampled.map(both -> both[0])),
                estimate(all.saving, resampled.map(both -> both[1])),
                ratios,
                hasDictionary
                        ? OptionalDouble.of(bytes / sum(ranges, encoded(SampleEncoding.DICTIONARY)))
                        : OptionalDouble.empty(),
                hasDictionary ? dictionaryGainLow(sample, best) : OptionalDouble.empty());
    }

    private static ToDoubleFunction<RangeSums> encoded(String codec) {
        return range -> range.encoded().get(codec);
    }

    private static double sum(List<RangeSums> ranges, ToDoubleFunction<RangeSums> figure) {
        return ranges.stream().mapToDouble(figure).sum();
    }

    private record Projection(double now, double ratio, double saving) {

        static Projection of(SurveyedColumn column, ColumnSample sample, List<RangeSums> ranges, String codec) {
            double rows = sum(ranges, RangeSums::rows);
            double bytes = sum(ranges, RangeSums::bytes);
            double encoded = sum(ranges, encoded(codec));
            if (rows == 0 || bytes == 0 || encoded == 0) {
                return new Projection(0, 1, 0);
            }
            double perRow = column.tableRows() / rows;
            double now = perRow * bytes;
            double then = perRow * encoded;
            if (!sample.isWhole() && now > column.tableBytes()) {
                // the bytes of a table that the server compresses are those of its compressed pages
                then *= column.compression().isEmpty() ? column.tableBytes() / now : 1;
                now = column.tableBytes();
            }
            return new Projection(now, bytes / encoded, Math.max(0, now - then));
        }
    }

    /** Ratios and savings of samples that are drawn from the ranges of the sample, in rising order. */
    private static Optional<double[][]> resampled(SurveyedColumn column, ColumnSample sample, String codec) {
        List<RangeSums> ranges = sample.ranges();
        if (sample.isWhole()) {
            Projection all = Projection.of(column, sample, ranges, codec);
            return Optional.of(new double[][] {{all.ratio}, {all.saving}});
        }
        if (ranges.size() < MIN_RANGES) {
            return Optional.empty();
        }
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {SEED, 0});
        double[][] both = new double[2][RESAMPLES];
        RangeSums[] drawn = new RangeSums[ranges.size()];
        for (int i = 0; i < RESAMPLES; i++) {
            Arrays.setAll(drawn, k -> ranges.get(random.nextInt(ranges.size())));
            Projection projection = Projection.of(column, sample, Arrays.asList(drawn), codec);
            both[0][i] = projection.ratio;
            both[1][i] = projection.saving;
        }
        Arrays.sort(both[0]);
        Arrays.sort(both[1]);
        return Optional.of(both);
    }

    private static OptionalDouble dictionaryGainLow(ColumnSample sample, String best) {
        List<RangeSums> ranges = sample.ranges();
        if (ranges.size() < MIN_RANGES) {
            return sample.isWhole() ? OptionalDouble.of(dictionaryGain(ranges, best)) : OptionalDouble.empty();
        }
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {SEED, 1});
        double[] gains = new double[RESAMPLES];
        RangeSums[] drawn = new RangeSums[ranges.size()];
        for (int i = 0; i < RESAMPLES; i++) {
            Arrays.setAll(drawn, k -> ranges.get(random.nextInt(ranges.size())));
            gains[i] = dictionaryGain(Arrays.asList(drawn), best);
        }
        Arrays.sort(gains);
        return OptionalDouble.of(gains[(int) (DICTIONARY_TAIL * (RESAMPLES - 1))]);
    }

    private static double dictionaryGain(List<RangeSums> ranges, String best) {
        return 1 - sum(ranges, encoded(SampleEncoding.DICTIONARY)) / sum(ranges, encoded(best));
    }

    private static EstimatedFigure estimate(double value, Optional<double[]> sorted) {
        return new EstimatedFigure(
                value,
                sorted.map(figures -> new EstimatedFigure.EstimateInterval(
                        figures[(int) (TAIL * (figures.length - 1))],
                        figures[(int) Math.ceil((1 - TAIL) * (figures.length - 1))])));
    }

    /** Whether enough would be saved for a closer look. */
    public boolean isWorthALook() {
        return saving.value() >= MIN_SHARE * now && saving.value() > 0;
    }

    /** The ratio with a dictionary, if that surely saves a tenth of what the best codec without one leaves. */
    public OptionalDouble betterDictionary() {
        return dictionaryGainLow.orElse(0) >= MIN_DICTIONARY_GAIN ? dictionaryRatio : OptionalDouble.empty();
    }
}
