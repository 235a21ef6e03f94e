package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Longest;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** How long operations took, up to the longest, and what happened in the window of the longest. */
final class LatencyDocument {

    private static final String LEGEND =
            "Times in µs, of all operations of all rounds together; rate: operations per second, the median over the"
                    + " rounds. CPU and srv CPU: of the client's and of the server's process, per operation. Below each"
                    + " table the longest operation of each method, and what happened in its window: the client's"
                    + " collections of garbage, the pages that InnoDB read and flushed.";

    private LatencyDocument() {}

    static Document of(Analysis report) {
        List<Section> sections = new ArrayList<>();
        for (Ranking ranking : report.rankings()) {
            if (ranking.sizes().isEmpty() && !ranking.rows().isEmpty()) {
                sections.add(Section.of(
                        Captions.of(report, ranking).get(0),
                        List.of(Table.of(columns(ranking.rows())), longest(ranking.rows()))));
            }
        }
        sections.add(Section.untitled(new Sentence(LEGEND, Tone.FACT)));
        return new Document(sections);
    }

    private static Notes longest(List<Row> rows) {
        return new Notes(rows.stream()
                .flatMap(row -> row.latencies().longest().stream()
                        .map(longest -> new Note("·", row.method() + ": " + words(longest), Tone.FACT)))
                .toList());
    }

    private static List<Column> columns(List<Row> rows) {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", rows, Row::method));
        columns.add(Column.number(
                "count", "", rows, row -> Figures.count(row.latencies().operations())));
        columns.add(Column.number("rate", "", rows, row -> known(row.median(Metric.OPERATIONS), 1)));
        for (Metric percentile : List.of(Metric.P50, Metric.P95, Metric.P99, Metric.P999)) {
            columns.add(Column.number(
                    percentile == Metric.P999 ? "p99.9" : percentile.word(),
                    "",
                    rows,
                    row -> row.percentiles().containsKey(percentile)
                            ? micros(row.percentiles().get(percentile).value())
                            : ""));
        }
        columns.add(Column.number(
                "max",
                "",
                rows,
                row -> row.latencies()
                        .longest()
                        .map(longest -> micros(longest.nanos()))
                        .orElse("")));
        columns.add(Column.number("CPU", "", rows, row -> known(row.median(Metric.CPU), 1e3)));
        columns.add(Column.number("srv CPU", "", rows, row -> known(row.median(Metric.SERVER_CPU), 1e3)));
        columns.removeIf(Column::isEmpty);
        return columns;
    }

    private static String known(OptionalDouble figure, double unit) {
        return figure.isPresent() ? Figures.number(figure.getAsDouble() / unit) : "";
    }

    private static String micros(double nanos) {
        return Figures.number(nanos / 1e3);
    }

    /** {@code 12.3 ms in round 7 of fork 1: 2 collections of garbage (3 ms), no page read, 5 pages flushed}. */
    private static String words(Longest longest) {
        String window = longest.window()
                .map(counters -> ": "
                        + (counters.collections() == 0
                                ? "no garbage collected"
                                : Figures.plural(counters.collections(), "collection") + " of garbage ("
                                        + Figures.number(counters.collectionNs() / 1e6) + " ms)")
                        + pages(counters))
                .orElse("");
        return RankingNotes.time(longest.nanos()) + " in round " + longest.round() + " of fork " + longest.fork()
                + window;
    }

    private static String pages(Resources.ServerCounters counters) {
        if (counters.pagesRead().isEmpty()) {
            return "";
        }
        return ", " + pages(counters.pagesRead().getAsLong()) + " read"
                + (counters.pagesFlushed().isPresent()
                        ? ", " + pages(counters.pagesFlushed().getAsLong()) + " flushed"
                        : "");
    }

    private static String pages(long count) {
        return count == 0 ? "no page" : Figures.plural(count, "page");
    }
}
