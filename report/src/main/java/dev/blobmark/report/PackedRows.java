package dev.blobmark.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rows of a CSV by column, packed for the page: a constant column is one text, texts are indexes into a list of
 * distinct texts, and figures are those of the CSV.
 */
record PackedRows(int length, Map<String, Packed> columns) {

    /** Columns of text, even if all cells are digits. The columns of factors are text too. */
    private static final Set<String> TEXTS = Set.of(
            "study",
            "host",
            "server_kind",
            "server_product",
            "server_version",
            "trial",
            "started_at",
            "method",
            "outcome",
            "reason",
            "flags",
            "events",
            "errors",
            "warmup_steady",
            "operation",
            "values",
            "sql_nodes");

    /** One column. */
    sealed interface Packed {}

    /** The same in each row. */
    record Same(String all) implements Packed {}

    /** @param index for each row, the index in {@code texts} */
    record Texts(List<String> texts, List<Integer> index) implements Packed {}

    /** @param numbers for each row; null if unknown */
    record Numbers(List<Double> numbers) implements Packed {}

    static PackedRows of(List<Map<String, String>> rows) {
        Map<String, Packed> columns = new LinkedHashMap<>();
        if (!rows.isEmpty()) {
            for (String name : rows.get(0).keySet()) {
                columns.put(
                        name, pack(name, rows.stream().map(row -> row.get(name)).toList()));
            }
        }
        return new PackedRows(rows.size(), columns);
    }

    private static Packed pack(String name, List<String> cells) {
        if (cells.stream().allMatch(cells.get(0)::equals)
                && (isText(name) || cells.get(0).isEmpty())) {
            return new Same(cells.get(0));
        }
        if (isText(name)) {
            Map<String, Integer> places = new LinkedHashMap<>();
            List<Integer> index = cells.stream()
                    .map(cell -> places.computeIfAbsent(cell, c -> places.size()))
                    .toList();
            return new Texts(List.copyOf(places.keySet()), index);
        }
        List<Double> numbers = new ArrayList<>(cells.size());
        cells.forEach(cell -> numbers.add(cell.isEmpty() ? null : Double.valueOf(cell)));
        return new Numbers(numbers);
    }

    private static boolean isText(String name) {
        return TEXTS.contains(name) || name.startsWith("factor.");
    }
}
