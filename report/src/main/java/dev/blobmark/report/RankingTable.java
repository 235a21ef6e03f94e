package dev.blobmark.report;

import dev.blobmark.analysis.Bottleneck;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.PerKey;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Ranking.ValuePlacement;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.report.Figures.TimeUnit;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Sign;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Percentile;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The table of a ranking: the known figures of its methods, in columns. */
final class RankingTable {

    static final String UNSTEADY = "~ ";

    /** Columns that a narrow table leaves out, in this order; never that of the ranking's metric. */
    private static final List<String> EXPENDABLE = List.of(
            "wire", "alloc", "pages", "enc", "srv CPU", "CPU", "p50", "ratio", "memory", "disk", "most on", "p99",
            "range", "tier");

    private RankingTable() {}

    /** @param ranking with at least one row */
    static Table of(Ranking ranking) {
        return new Table(
                columns(ranking),
                ranking.rows().stream()
                        .map(row -> !row.doubts().unsteady().isEmpty()
                                ? Tone.WARNING
                                : ranking.best().filter(row::equals).isPresent() ? Tone.STRONG : Tone.PLAIN)
                        .toList(),
                EXPENDABLE.stream()
                        .filter(head -> !head.equals(ranking.metric().word()))
                        .toList());
    }

    /** The columns with at least one known figure, the most important first. */
    static List<Column> columns(Ranking ranking) {
        List<Row> rows = ranking.rows();
        List<Column> columns = new ArrayList<>();
        columns.add(
                Column.text("method", rows, row -> (row.doubts().unsteady().isEmpty() ? "" : UNSTEADY) + row.method()));
        metric(ranking, columns);
        columns.add(number(
                "to base", "", rows, row -> row.toBaseline().map(judgement -> Figures.times(judgement.effect()))));
        columns.add(Column.text("verdict", rows, row -> verdict(ranking, row)).signed(rows, row -> sign(ranking, row)));
        if (ranking.tiers().groups().size() > 1 || ranking.anyRange().isPresent()) {
            columns.add(Column.text("tier", rows, row -> ranking.tiers().letters(row.method())));
        }
        if (ranking.metric() != Metric.ELAPSED) {
            columns.add(metric("elapsed", Metric.ELAPSED, rows));
        }
        if (ranking.isOfSets()) {
            columns.add(number("disk", "B/key", rows, perKey(PerKey::used)));
            columns.add(number("memory", "B/key", rows, perKey(PerKey::memory)));
        } else {
            columns.add(number("ratio", "", rows, figure(row -> row.median(Metric.COMPRESSION_RATIO), Figures::ratio)));
            columns.add(number("disk", "", rows, figure(ranking::diskShare, Figures::percent)));
            columns.add(number(
                    "enc",
                    "MB/s",
                    rows,
                    figure(row -> row.stored().encodedBytesPerSecond(), x -> Figures.number(x / 1e6))));
            columns.add(number("memory", "B/value", rows, placement(ValuePlacement::memoryBytes, Figures::number)));
        }
        for (Metric percentile : List.of(Metric.P50, Metric.P99)) {
            if (ranking.metric() != percentile) {
                columns.add(percentile(percentile, rows));
            }
        }
        columns.add(metric("CPU", Metric.CPU, rows));
        columns.add(metric("srv CPU", Metric.SERVER_CPU, rows));
        if (rows.stream().anyMatch(row -> row.median(Metric.PAGES_READ).orElse(0) > 0)) {
            columns.add(metric("pages", Metric.PAGES_READ, rows));
        }
        columns.add(Column.text(
                "most on",
                rows,
                row -> row.time().map(time -> Bottleneck.of(time).toString()).orElse("")));
        columns.add(metric("alloc", Metric.ALLOCATION, rows));
        columns.add(column("wire", Metric.MetricUnit.BYTES_PER_OPERATION, rows, Row::wireBytes));
        columns.removeIf(Column::isEmpty);
        return columns;
    }

    /** The metric of the ranking; with its interval for a percentile, and with its range if no row has an interval. */
    private static void metric(Ranking ranking, List<Column> columns) {
        List<Row> rows = ranking.rows();
        Metric metric = ranking.metric();
        Figures.UnitScale scale = Figures.UnitScale.of(
                metric.unit(),
                rows.stream().mapToDouble(row -> row.figure(metric)).min().orElse(0));
        double unit = scale.size();
        String head = metric.unit().isRate() ? "rate" : metric.word();
        columns.add(number(head, scale.symbol(), rows, row -> Optional.of(scale.print(row.figure(metric)))));
        if (rows.stream().anyMatch(row -> row.percentiles().containsKey(metric))) {
            columns.add(number(
                    "interval",
                    "",
                    rows,
                    row -> Optional.ofNullable(row.percentiles().get(metric)).flatMap(p -> interval(p, unit))));
        } else if (rows.stream()
                .flatMap(row -> row.toBaseline().stream())
                .allMatch(judgement -> judgement.range().isEmpty())) {
            columns.add(number(
                    "range",
                    "",
                    rows,
                    row -> row.value().rounds() == 1
                            ? Optional.empty()
                            : Optional.of(Figures.range(
                                    row.value().min() / unit, row.value().max() / unit))));
        }
    }

    /** The verdict in a word. The control has a verdict only if it is called different, which it should not be. */
    static String verdict(Ranking ranking, Row row) {
        if (row.method().equals(ranking.baseline())) {
            return "baseline";
        }
        boolean isControl = ranking.control().equals(Optional.of(row.method()));
        return row.toBaseline()
                .filter(judgement -> !isControl || judgement.isCalled())
                .map(judgement -> word(judgement.verdict(), ranking.metric())
                        + (isNegligible(judgement.verdict())
                                ? " <" + Figures.percentage(ranking.margin().effective())
                                : "")
                        + (judgement.verdict() instanceof Verdict.Equal equal
                                ? " ±" + Figures.percentage(equal.margin())
                                : ""))
                .orElse(isControl ? "control" : "");
    }

    /** The verdict as a sign; none for the baseline and its twin. */
    static Sign sign(Ranking ranking, Row row) {
        if (ranking.control().equals(Optional.of(row.method()))) {
            return Sign.NONE;
        }
        return row.toBaseline()
                .map(Judgement::verdict)
                .map(verdict -> verdict instanceof Verdict.Faster
                        ? Sign.BETTER
                        : verdict instanceof Verdict.Slower
                                ? Sign.WORSE
                                : verdict instanceof Verdict.Equal ? Sign.EQUAL : Sign.OPEN)
                .orElse(Sign.NONE);
    }

    static boolean isSpeed(Metric metric) {
        return metric.unit().isRate() || metric.unit().isTime();
    }

    /** A verdict in a word that fits the metric: only times and rates can be faster. */
    static String word(Verdict verdict, Metric metric) {
        boolean isSpeed = isSpeed(metric);
        if (verdict instanceof Verdict.Faster) {
            return isSpeed ? "faster" : "better";
        }
        if (verdict instanceof Verdict.Slower) {
            return isSpeed ? "slower" : "worse";
        }
        return verdict instanceof Verdict.Equal ? "equal" : "inconclusive";
    }

    private static boolean isNegligible(Verdict verdict) {
        return verdict instanceof Verdict.Faster faster && faster.negligible()
                || verdict instanceof Verdict.Slower slower && slower.negligible();
    }

    private static Column percentile(Metric percentile, List<Row> rows) {
        TimeUnit unit = TimeUnit.forSmallest(rows.stream()
                .flatMap(row -> Optional.ofNullable(row.percentiles().get(percentile)).stream())
                .mapToDouble(Percentile::value)
                .filter(x -> x > 0)
                .min()
                .orElse(0));
        return new Column(
                percentile.word(),
                unit.symbol,
                percentiles(percentile, rows, p -> Figures.number(p.value() / unit.nanos)),
                percentiles(percentile, rows, p -> interval(p, unit.nanos).orElse("")),
                List.of(),
                true);
    }

    private static List<String> percentiles(Metric metric, List<Row> rows, Function<Percentile, String> text) {
        return rows.stream()
                .map(row -> Optional.ofNullable(row.percentiles().get(metric))
                        .map(text)
                        .orElse(""))
                .toList();
    }

    private static Optional<String> interval(Percentile percentile, double unit) {
        return percentile.interval() instanceof Interval.Range range
                ? Optional.of("("
                        + Figures.range(range.low() / unit, range.high() / unit).replace(" – ", "–") + ")")
                : Optional.empty();
    }

    /** Medians over the rounds. */
    static Column metric(String head, Metric metric, List<Row> rows) {
        return column(head, metric.unit(), rows, row -> row.median(metric));
    }

    private static Column column(
            String head, Metric.MetricUnit unit, List<Row> rows, Function<Row, OptionalDouble> figure) {
        Figures.UnitScale scale = Figures.UnitScale.of(
                unit,
                rows.stream()
                        .map(figure)
                        .flatMapToDouble(OptionalDouble::stream)
                        .filter(x -> x > 0)
                        .min()
                        .orElse(0));
        return number(head, scale.symbol(), rows, figure(figure, scale::print));
    }

    private static Function<Row, Optional<String>> perKey(Function<PerKey, OptionalDouble> bytes) {
        return row -> row.stored()
                .perKey()
                .flatMap(perKey -> bytes.apply(perKey).stream().boxed().findFirst())
                .map(Figures::number);
    }

    static Function<Row, Optional<String>> placement(
            Function<ValuePlacement, OptionalDouble> figure, Function<Double, String> format) {
        return row -> row.stored()
                .placement()
                .flatMap(placement -> figure.apply(placement).stream().boxed().findFirst())
                .map(format);
    }

    static Function<Row, Optional<String>> figure(
            Function<Row, OptionalDouble> figure, Function<Double, String> format) {
        return row -> figure.apply(row).stream().boxed().findFirst().map(format);
    }

    static Column number(String head, String unit, List<Row> rows, Function<Row, Optional<String>> cell) {
        return Column.number(head, unit, rows, row -> cell.apply(row).orElse(""));
    }
}
