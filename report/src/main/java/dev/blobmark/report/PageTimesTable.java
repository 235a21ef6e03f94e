package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Summary;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.report.document.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How long the server takes to read and to inflate a page of each table, with the errors of both: one for each
 * condition.
 */
final class PageTimesTable {

    private PageTimesTable() {}

    private record MethodRounds(String method, List<PageTimes> rounds) {

        double median(ToDoubleFunction<PageTimes> figure) {
            return Summary.of(rounds.stream().map(figure::applyAsDouble).toList())
                    .median();
        }

        /** {@code 17.8 ± 0.1} in microseconds. */
        String micros(ToDoubleFunction<PageTimes> figure, ToDoubleFunction<PageTimes> error) {
            return Figures.number(median(figure) / 1e3) + " ± " + Figures.number(median(error) / 1e3);
        }
    }

    static List<SideTable> of(Analysis report) {
        LevelWords words = LevelWords.of(report);
        List<SideTable> tables = new ArrayList<>();
        for (Ranking ranking : report.rankings()) {
            List<MethodRounds> lines = ranking.rows().stream()
                    .map(row -> new MethodRounds(
                            row.method(),
                            report.samples(ranking, row.method()).stream()
                                    .flatMap(sample -> sample.disk().pages().stream())
                                    .toList()))
                    .filter(line -> !line.rounds.isEmpty())
                    .toList();
            if (!lines.isEmpty()) {
                tables.add(table(lines, words.line(ranking.condition())));
            }
        }
        return tables;
    }

    private static SideTable table(List<MethodRounds> lines, String condition) {
        return new SideTable(
                "page-times",
                "Reading and inflating a page: " + condition,
                List.of(
                        Column.text("method", lines, MethodRounds::method),
                        Column.number(
                                "read",
                                "µs",
                                lines,
                                line -> line.micros(PageTimes::readNanos, PageTimes::readErrorNanos)),
                        Column.number(
                                "inflate",
                                "µs",
                                lines,
                                line -> line.micros(PageTimes::inflateNanos, PageTimes::inflateErrorNanos)),
                        Column.number(
                                "read ÷ inflate", "", lines, line -> Figures.ratio(line.median(PageTimes::ratio)))),
                "By the server's own counters, medians over the rounds. The error of reading is the standard error of the mean"
                        + " within a round. That of inflating is a limit: the server counts whole seconds.");
    }
}
