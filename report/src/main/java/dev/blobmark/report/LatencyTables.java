package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Longest;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Resources;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** How long operations took, down to the longest, and what went on beside that one: for a terminal of 100 columns. */
final class LatencyTables {

    private LatencyTables() {}

    static void text(Analysis report, Style style, Appendable out) throws IOException {
        for (Ranking ranking : report.rankings()) {
            if (ranking.sizes().isPresent() || ranking.rows().isEmpty()) {
                continue;
            }
            Tables.lines(Captions.of(report, ranking).get(0), Tables.WIDTH, style::bold, out);
            out.append('\n').append(table(ranking.rows())).append("\n\n");
            for (Row row : ranking.rows()) {
                if (row.latencies().longest().isPresent()) {
                    out.append(style.dim(" · " + row.method() + ": "
                                    + words(row.latencies().longest().get())))
                            .append('\n');
                }
            }
            out.append('\n');
        }
        for (String line : Tables.wrap(
                "Times in µs, of all operations of all rounds together; rate: operations per second, the median over the"
                        + " rounds. CPU and srv CPU: of the client's and of the server's process, per operation. Below each"
                        + " table the longest operation of each method, and what went on in its window: the client's"
                        + " collections of garbage, the pages that InnoDB read and flushed.",
                Tables.WIDTH)) {
            out.append(style.dim(line)).append('\n');
        }
    }

    private static String table(List<Row> rows) {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("method", "", rows.stream().map(Row::method).toList(), false));
        columns.add(number("count", rows, row -> Figures.count(row.latencies().operations())));
        columns.add(number("rate", rows, row -> known(row.median(Metric.OPERATIONS), 1)));
        for (Metric percentile : List.of(Metric.P50, Metric.P95, Metric.P99, Metric.P999)) {
            columns.add(number(
                    percentile == Metric.P999 ? "p99.9" : percentile.word(),
                    rows,
                    row -> row.percentiles().containsKey(percentile)
                            ? micros(row.percentiles().get(percentile).value())
                            : ""));
        }
        columns.add(number(
                "max",
                rows,
                row -> row.latencies().longest().map(its -> micros(its.nanos())).orElse("")));
        columns.add(number("CPU", rows, row -> known(row.median(Metric.CPU), 1e3)));
        columns.add(number("srv CPU", rows, row -> known(row.median(Metric.SERVER_CPU), 1e3)));
        columns.removeIf(column -> column.cells().stream().allMatch(String::isEmpty));
        return Tables.text(columns, Tables.headStyler(Style.PLAIN));
    }

    private static Column number(String head, List<Row> rows, Function<Row, String> cell) {
        return new Column(head, "", rows.stream().map(cell).toList(), true);
    }

    private static String known(OptionalDouble figure, double unit) {
        return figure.isPresent() ? Figures.number(figure.getAsDouble() / unit) : "";
    }

    private static String micros(double nanos) {
        return Figures.number(nanos / 1e3);
    }

    /** {@code 12.3 ms in round 7 of fork 1: 2 collections of garbage (3 ms), no page read, 5 pages flushed}. */
    private static String words(Longest longest) {
        String beside = longest.beside()
                .map(its -> ": "
                        + (its.collections() == 0
                                ? "no garbage collected"
                                : Figures.plural(its.collections(), "collection") + " of garbage ("
                                        + Figures.number(its.collectionNs() / 1e6) + " ms)")
                        + pages(its))
                .orElse("");
        return Notes.time(longest.nanos()) + " in round " + longest.round() + " of fork " + longest.fork() + beside;
    }

    private static String pages(Resources.Counters beside) {
        if (beside.pagesRead().isEmpty()) {
            return "";
        }
        return ", " + pages(beside.pagesRead().getAsLong()) + " read"
                + (beside.pagesFlushed().isPresent()
                        ? ", " + pages(beside.pagesFlushed().getAsLong()) + " flushed"
                        : "");
    }

    private static String pages(long count) {
        return count == 0 ? "no page" : Figures.plural(count, "page");
    }
}
