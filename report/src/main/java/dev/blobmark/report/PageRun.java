package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Published;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Size;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A run in the page: its text, and the data of its charts. The rankings are those of the JSON report.
 *
 * @param label distinguishes the run from others
 * @param parts what charts need besides, of each ranking
 * @param published figures of the study's source that the run has measured too
 */
record PageRun(
        String label,
        @JsonIgnore PageText text,
        JsonRankings.ReportForm report,
        List<RankingPart> parts,
        List<LinkDocument.ForecastCurves> forecasts,
        List<PublishedForm> published,
        @JsonUnwrapped Data data) {

    /**
     * The data of charts.
     *
     * @param setting where and when it was measured, below exported charts
     * @param isRemote whether a server is on another host
     * @param methods in the order of the study
     * @param amounts by factor and level, of levels that are amounts: bytes of a size, bits per second of a link
     * @param metrics of the rows
     */
    record Data(
            String setting,
            boolean isRemote,
            List<String> methods,
            Map<String, Map<String, Double>> amounts,
            List<MetricForm> metrics,
            PackedRows rows) {}

    /**
     * @param name in the choice of rankings
     * @param condition all of it, with the operation
     * @param curves for each method, pairs of a percentile and nanoseconds
     * @param allowsEqual whether the noise floor is so low that methods may be called equal
     */
    record RankingPart(
            String name,
            String condition,
            Map<String, List<double[]>> curves,
            boolean allowsEqual,
            boolean higherIsBetter) {}

    /**
     * A metric of Blobmark or of another tool.
     *
     * @param kind decides the units in which it can be shown
     * @param column of the rows
     * @param unit of another tool's score; empty for a metric of Blobmark
     */
    record MetricForm(String id, String name, String kind, String column, String unit, boolean isBetterHigh) {

        private static MetricForm of(Metric metric) {
            String kind = switch (metric.unit()) {
                case BYTES_PER_SECOND -> "rate";
                case PER_SECOND, PER_OPERATION -> "count";
                case NANOS, NANOS_PER_OPERATION -> "time";
                case BYTES, BYTES_PER_OPERATION -> "bytes";
                case NONE -> "ratio";
            };
            return new MetricForm(
                    metric.word(),
                    metric.noun() + (metric.unit().isPerOperation() ? " per operation" : ""),
                    kind,
                    metric.field(),
                    "",
                    metric.higherIsBetter());
        }

        static MetricForm ofScore(String column, String name, String unit, boolean isBetterHigh) {
            return new MetricForm(column, name, "score", column, unit, isBetterHigh);
        }
    }

    /**
     * Published figures next to those of the run.
     *
     * @param name in the choice of figures
     * @param unit with a comma in front, or empty if only ratios were published
     */
    record PublishedForm(
            String name, String title, String condition, String base, String unit, List<PublishedRow> rows) {

        private static PublishedForm of(Published published, LevelWords words) {
            String condition = words.line(published.condition());
            return new PublishedForm(
                    published.title() + "; here " + condition,
                    published.title(),
                    condition,
                    published.base(),
                    PublishedDocument.unit(published).map(unit -> ", " + unit).orElse(""),
                    published.rows().stream()
                            .map(row -> PublishedRow.of(row, published.base()))
                            .toList());
        }
    }

    /**
     * A method of published figures.
     *
     * @param error of reading the published figure, as a share
     * @param ratio published, to the base; null if the base has none
     * @param ours null if it was not measured
     * @param effect our ratio to the base; null of the base, and if it was not measured
     * @param low of our ratio's interval; null without one
     * @param word how both compare
     */
    record PublishedRow(
            String method,
            double published,
            double error,
            Double ratio,
            Double ours,
            Double effect,
            Double low,
            Double high,
            String word) {

        private static PublishedRow of(Published.PublishedMethod row, String base) {
            Optional<Effect> effect = row.effect();
            Optional<Interval.Range> range = effect.map(Effect::interval)
                    .filter(Interval.Range.class::isInstance)
                    .map(Interval.Range.class::cast);
            return new PublishedRow(
                    row.method(),
                    row.published(),
                    row.error(),
                    boxed(row.ratio()),
                    boxed(row.ours()),
                    effect.map(Effect::ratio).orElse(null),
                    range.map(Interval.Range::low).orElse(null),
                    range.map(Interval.Range::high).orElse(null),
                    PublishedDocument.word(row, base));
        }

        private static Double boxed(OptionalDouble figure) {
            return figure.isPresent() ? figure.getAsDouble() : null;
        }
    }

    static PageRun of(Analysis report) {
        PageText text = PageDocument.of(report);
        Set<String> varying = Captions.distinguishing(report.rankings());
        LevelWords words = LevelWords.of(report);
        return new PageRun(
                label(report.manifest()),
                text,
                JsonRankings.form(report),
                report.rankings().stream()
                        .map(ranking -> part(
                                ranking,
                                Captions.name(ranking, varying, words),
                                Captions.of(report, ranking).get(0)))
                        .toList(),
                LinkDocument.curves(report),
                Published.of(report).stream()
                        .map(published -> PublishedForm.of(published, words))
                        .toList(),
                new Data(
                        text.setting(),
                        report.manifest().isRemote(),
                        report.manifest().study().methods().stream()
                                .map(Method::id)
                                .toList(),
                        amounts(report.samples()),
                        Stream.of(Metric.values()).map(MetricForm::of).toList(),
                        PackedRows.of(CsvTable.rows(report))));
    }

    private static String label(Manifest manifest) {
        return Stream.of(
                        manifest.study().name(),
                        Figures.minute(manifest.progress().startedAt()),
                        Captions.servers(manifest.servers().values().stream()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** The runs with distinct labels: equal labels are numbered. */
    static List<PageRun> apart(List<PageRun> runs) {
        List<PageRun> apart = new ArrayList<>();
        for (PageRun run : runs) {
            String label = run.label;
            for (int n = 2; apart.stream().map(PageRun::label).anyMatch(label::equals); n++) {
                label = run.label + " (" + n + ")";
            }
            apart.add(new PageRun(label, run.text, run.report, run.parts, run.forecasts, run.published, run.data));
        }
        return apart;
    }

    private static RankingPart part(Ranking ranking, String name, String condition) {
        Map<String, List<double[]>> curves = new LinkedHashMap<>();
        ranking.rows().stream()
                .filter(row -> !row.latencies().curve().isEmpty())
                .forEach(row -> curves.put(
                        row.method(),
                        row.latencies().curve().stream()
                                .map(point -> new double[] {point.percentile(), point.nanos()})
                                .toList()));
        return new RankingPart(
                name,
                condition,
                curves,
                ranking.margin().allowsEqual(),
                ranking.metric().higherIsBetter());
    }

    private static Map<String, Map<String, Double>> amounts(List<Sample> samples) {
        Map<String, Map<String, Double>> amounts = new TreeMap<>();
        samples.stream().map(Sample::condition).distinct().forEach(condition -> {
            condition
                    .find(Size.FACTOR)
                    .filter(size -> size.matches("\\d+(KB|MB|GB)?"))
                    .ifPresent(size -> amounts.computeIfAbsent("size", factor -> new TreeMap<>())
                            .put(size, (double) Size.FACTOR.parse(size).bytes()));
            condition
                    .find(Link.FACTOR)
                    .ifPresent(link -> Link.FACTOR
                            .parse(link)
                            .down()
                            .ifPresent(bytes -> amounts.computeIfAbsent("link", factor -> new TreeMap<>())
                                    .put(link, 8 * bytes)));
        });
        return amounts;
    }
}
