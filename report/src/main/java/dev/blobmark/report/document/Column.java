package dev.blobmark.report.document;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A column of a table.
 *
 * @param unit empty for none
 * @param cells one for each row; empty text for an unknown figure
 * @param intervals one for each cell, for forms that have room for them; none if no cell has one
 * @param signs one for each cell, for forms that show them; none if no cell has one
 * @param isNumber whether cells are aligned to the right
 */
public record Column(
        String head, String unit, List<String> cells, List<String> intervals, List<Sign> signs, boolean isNumber) {

    /** A cell with a unit of its own, such as {@code 1.9 MB}: its point has no relation to that of other cells. */
    private static final Pattern UNIT = Pattern.compile("(B|bytes?)$");

    public static <T> Column text(String head, List<T> rows, Function<T, String> cell) {
        return new Column(head, "", rows.stream().map(cell).toList(), List.of(), List.of(), false);
    }

    public static <T> Column number(String head, String unit, List<T> rows, Function<T, String> cell) {
        return new Column(head, unit, rows.stream().map(cell).toList(), List.of(), List.of(), true);
    }

    /** The column with a sign for each row. */
    public <T> Column signed(List<T> rows, Function<T, Sign> sign) {
        return new Column(head, unit, cells, intervals, rows.stream().map(sign).toList(), isNumber);
    }

    public boolean isEmpty() {
        return cells.stream().allMatch(String::isEmpty);
    }

    /** The column with its unit behind its head, as a table with one line of heads needs it. */
    public Column withUnitInHead() {
        return new Column(unit.isEmpty() ? head : head + " " + unit, "", cells, intervals, signs, isNumber);
    }

    /** The column with some of its rows. */
    public Column rows(List<Integer> kept) {
        return new Column(head, unit, rows(cells, kept), rows(intervals, kept), rows(signs, kept), isNumber);
    }

    private static <T> List<T> rows(List<T> of, List<Integer> kept) {
        return of.isEmpty() ? of : kept.stream().map(of::get).toList();
    }

    /** The column with the mark of its sign before each cell, or with the marks alone. */
    Column marked(boolean isAlone) {
        if (signs.isEmpty()) {
            return this;
        }
        List<String> marked = IntStream.range(0, cells.size())
                .mapToObj(i -> String.format("%-1s", signs.get(i).mark) + (isAlone ? "" : " " + cells.get(i)))
                .toList();
        return new Column(isAlone ? "" : head, unit, marked, intervals, signs, isNumber);
    }

    Column withCells(List<String> others) {
        return new Column(head, unit, others, intervals, signs, isNumber);
    }

    /** The column with spaces after its numbers, so that their decimal points are aligned. */
    Column aligned() {
        if (!isNumber
                || cells.stream()
                        .anyMatch(cell -> cell.contains("–")
                                || cell.contains("%")
                                || UNIT.matcher(cell).find())) {
            return this;
        }
        int longest = cells.stream().mapToInt(Column::fraction).max().orElse(0);
        return withCells(cells.stream()
                .map(cell -> cell.isEmpty() ? cell : cell + " ".repeat(longest - fraction(cell)))
                .toList());
    }

    private static int fraction(String number) {
        int point = number.indexOf('.');
        return point < 0 ? 0 : number.length() - point;
    }
}
