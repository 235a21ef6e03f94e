package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Ranking.ValuePlacement;
import dev.blobmark.analysis.Saturation;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.report.document.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;

/**
 * Where the bytes of values are stored, in the row or elsewhere, and what it costs to read them. A cluster has a table
 * for each condition, at the highest number of threads. For other servers only the share of values in their row is
 * known; they have one table for all conditions.
 */
final class PlacementTables {

    /** Number of conditions that fit in a terminal. */
    private static final int CONDITIONS_PER_TABLE = 6;

    /** The factors of a condition that decide the contents of a table. */
    private static final Set<String> OF_VALUES = Set.of("dataset", "size", "rows");

    private PlacementTables() {}

    static List<SideTable> of(Analysis report) {
        LevelWords words = LevelWords.of(report);
        List<SideTable> tables = new ArrayList<>();
        Saturation.families(report.rankings()).values().forEach(rankings -> {
            SortedMap<Integer, Ranking> byThreads = Saturation.byThreads(rankings);
            Ranking busiest = byThreads.isEmpty() ? rankings.get(0) : byThreads.get(byThreads.lastKey());
            if (isOfCluster(busiest)) {
                tables.add(ofCluster(busiest, words));
            }
        });
        tables.addAll(shares(
                report.rankings().stream()
                        .filter(ranking -> ranking.sizes().isEmpty() && !isOfCluster(ranking))
                        .toList(),
                words));
        return tables;
    }

    private static boolean isOfCluster(Ranking ranking) {
        return ranking.rows().stream()
                .flatMap(row -> row.stored().placement().stream())
                .anyMatch(placement -> placement.memoryBytes().isPresent());
    }

    private static SideTable ofCluster(Ranking ranking, LevelWords words) {
        List<Row> rows = ranking.rows();
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", rows, Row::method));
        columns.add(RankingTable.number(
                "in row", "", rows, RankingTable.placement(ValuePlacement::inRow, Figures::percent)));
        columns.add(RankingTable.number(
                "inline", "B", rows, RankingTable.placement(ValuePlacement::inlineBytes, Figures::number)));
        columns.add(RankingTable.number(
                "main", "B/value", rows, RankingTable.placement(ValuePlacement::mainBytes, Figures::number)));
        columns.add(RankingTable.number(
                "parts", "B/value", rows, RankingTable.placement(ValuePlacement::partsBytes, Figures::number)));
        columns.add(RankingTable.number(
                "round trips",
                "per op",
                rows,
                RankingTable.figure(row -> row.median(Metric.ROUND_TRIPS), Figures::number)));
        columns.add(RankingTable.metric("rate", Metric.OPERATIONS, rows));
        columns.add(RankingTable.number(
                "to base", "", rows, row -> row.toBaseline().map(judgement -> Figures.times(judgement.effect()))));
        columns.removeIf(Column::isEmpty);
        return new SideTable(
                "placement",
                "Rows, parts and round trips: " + Captions.title(ranking) + ", " + words.line(ranking.condition()),
                columns,
                "in row: share of the values that are stored entirely in their row. inline: bytes of each value in the main table; the"
                        + " rest is in the table of parts. main and parts: memory of both tables in all data nodes together, each"
                        + " replica counted. round trips: how often the SQL node waited for data nodes."
                        + (ranking.metric() == Metric.OPERATIONS
                                ? ""
                                : " to base: by " + ranking.metric().word() + "."));
    }

    /** A row for each method, a column for each condition with other values. */
    private static List<SideTable> shares(List<Ranking> rankings, LevelWords levels) {
        Map<Levels, Map<String, OptionalDouble>> byValues = new LinkedHashMap<>();
        for (Ranking ranking : rankings) {
            for (Row row : ranking.rows()) {
                row.stored()
                        .placement()
                        .map(ValuePlacement::inRow)
                        .filter(OptionalDouble::isPresent)
                        .ifPresent(share -> byValues.computeIfAbsent(
                                        ranking.condition().only(OF_VALUES::contains), values -> new LinkedHashMap<>())
                                .putIfAbsent(row.method(), share));
            }
        }
        List<Levels> all = List.copyOf(byValues.keySet());
        Set<String> varying = Answer.varying(all);
        List<SideTable> tables = new ArrayList<>();
        for (int first = 0; first < all.size(); first += CONDITIONS_PER_TABLE) {
            List<Levels> shown = all.subList(first, Math.min(all.size(), first + CONDITIONS_PER_TABLE));
            List<String> methods = shown.stream()
                    .flatMap(values -> byValues.get(values).keySet().stream())
                    .distinct()
                    .toList();
            List<Column> columns = new ArrayList<>();
            columns.add(Column.text("method", methods, method -> method));
            for (Levels values : shown) {
                List<String> words = levels.of(values.only(varying::contains));
                columns.add(Column.number(
                        words.isEmpty() ? "in row" : words.get(0),
                        words.size() < 2 ? "" : String.join(", ", words.subList(1, words.size())),
                        methods,
                        method -> Optional.ofNullable(byValues.get(values).get(method))
                                .map(share -> Figures.percent(share.getAsDouble()))
                                .orElse("")));
            }
            List<String> common = levels.of(all.get(0).only(factor -> !varying.contains(factor)));
            tables.add(new SideTable(
                    "in-row",
                    "Values in their row" + (common.isEmpty() ? "" : ": " + String.join(", ", common)),
                    columns,
                    "Share of the values that are stored entirely in their row, as the table was loaded."));
        }
        return tables;
    }
}
