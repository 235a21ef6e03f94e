package dev.blobmark.report;

import dev.blobmark.lab.study.Metric;
import dev.blobmark.report.Figures.TimeUnit;
import dev.blobmark.report.Ranking.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A column of a ranking.
 *
 * @param unit empty where the figure has none
 * @param cells one for each row; empty text where nothing is known
 * @param isNumber whether it is read from its end
 */
record Column(String head, String unit, List<String> cells, boolean isNumber) {

    static final String UNSTEADY = "~ ";

    /** Those of which something is known, from left to right as they matter. */
    static List<Column> of(Ranking ranking) {
        List<Row> rows = ranking.rows();
        List<Column> columns = new ArrayList<>();
        columns.add(new Column(
                "method",
                "",
                rows.stream()
                        .map(row -> (row.unsteady().isEmpty() ? "" : UNSTEADY) + row.method())
                        .toList(),
                false));
        metric(ranking, columns);
        columns.add(number("× base", "", rows, row -> row.ratio().map(r -> Figures.ratio(r.median()))));
        columns.add(number("ratio", "", rows, figure(Row::compressionRatio, Figures::ratio)));
        columns.add(number("disk", "", rows, figure(Row::diskRatio, Figures::ratio)));
        if (ranking.metric() != Metric.P50) {
            columns.add(time("p50", rows, row -> OptionalDouble.of(row.p50Nanos())));
        }
        if (ranking.metric() != Metric.P99) {
            columns.add(time("p99", rows, row -> OptionalDouble.of(row.p99Nanos())));
        }
        columns.add(time("CPU", rows, Row::clientCpuNanosPerOp));
        columns.add(
                number("alloc", "KB", rows, figure(Row::allocatedBytesPerOp, bytes -> Figures.number(bytes / 1024))));
        columns.removeIf(column -> column.cells.stream().allMatch(String::isEmpty));
        return columns;
    }

    /** The figure that ranks, and its range. */
    private static void metric(Ranking ranking, List<Column> columns) {
        List<Row> rows = ranking.rows();
        TimeUnit time = TimeUnit.forSmallest(
                rows.stream().mapToDouble(row -> row.value().median()).min().orElse(0));
        Metric metric = ranking.metric();
        String head = metric.unit() == Metric.Unit.BYTES_PER_SECOND || metric.unit() == Metric.Unit.PER_SECOND
                ? "rate"
                : metric.word();
        String unit = switch (metric.unit()) {
            case BYTES_PER_SECOND -> "MB/s";
            case PER_SECOND -> "op/s";
            case NANOS -> time.symbol;
            case BYTES -> "KB";
            case NONE -> "";
        };
        double one = switch (metric.unit()) {
            case BYTES_PER_SECOND -> 1e6;
            case PER_SECOND, NONE -> 1;
            case NANOS -> time.nanos;
            case BYTES -> 1024;
        };
        columns.add(number(
                head, unit, rows, row -> Optional.of(Figures.number(row.value().median() / one))));
        columns.add(number(
                "range",
                "",
                rows,
                row -> row.value().rounds() == 1
                        ? Optional.empty()
                        : Optional.of(Figures.range(
                                row.value().min() / one, row.value().max() / one))));
    }

    private static Column time(String head, List<Row> rows, Function<Row, OptionalDouble> nanos) {
        TimeUnit unit = TimeUnit.forSmallest(rows.stream()
                .map(nanos)
                .flatMapToDouble(OptionalDouble::stream)
                .filter(x -> x > 0)
                .min()
                .orElse(0));
        return number(head, unit.symbol, rows, figure(nanos, x -> Figures.number(x / unit.nanos)));
    }

    private static Function<Row, Optional<String>> figure(
            Function<Row, OptionalDouble> figure, Function<Double, String> format) {
        return row -> figure.apply(row).stream().boxed().findFirst().map(format);
    }

    private static Column number(String head, String unit, List<Row> rows, Function<Row, Optional<String>> cell) {
        return new Column(
                head, unit, rows.stream().map(row -> cell.apply(row).orElse("")).toList(), true);
    }

    String title() {
        return unit.isEmpty() ? head : head + " " + unit;
    }

    /** The same numbers with spaces behind them, so that their points stand below each other. */
    Column aligned() {
        if (!isNumber || head.equals("range")) {
            return this;
        }
        int longest = Collections.max(cells.stream().map(Column::fraction).toList());
        return new Column(
                head,
                unit,
                cells.stream()
                        .map(cell -> cell.isEmpty() ? cell : cell + " ".repeat(longest - fraction(cell)))
                        .toList(),
                true);
    }

    private static int fraction(String number) {
        int point = number.indexOf('.');
        return point < 0 ? 0 : number.length() - point;
    }
}
