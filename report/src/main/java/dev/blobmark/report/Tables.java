package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.Styler;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.report.Ranking.Row;
import dev.blobmark.report.Ranking.Unranked;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Rankings for reading: as text for a terminal of 100 columns, and in Markdown. */
final class Tables {

    static final int WIDTH = 100;

    /** A rule below the header, and no other line. */
    static final Character[] BORDER = new Character[29];

    static {
        BORDER[8] = '─';
    }

    private Tables() {}

    static void text(Report report, Style style, Appendable out) throws IOException {
        out.append(style.bold(report.manifest().study().question())).append('\n');
        Map<String, String> facts = report.facts();
        for (var fact : facts.entrySet()) {
            boolean isShort = fact.getKey().equals("Samples") && !report.isWhole();
            List<String> lines = wrap(fact.getValue(), WIDTH - 9);
            for (int i = 0; i < lines.size(); i++) {
                out.append(style.dim(String.format("%-9s", i == 0 ? fact.getKey() : "")))
                        .append(isShort ? style.warn(lines.get(i)) : lines.get(i))
                        .append('\n');
            }
        }
        for (Ranking ranking : report.rankings()) {
            out.append('\n');
            List<String> caption = report.caption(ranking);
            for (int part = 0; part < caption.size(); part++) {
                for (String line : wrap(caption.get(part), WIDTH)) {
                    out.append(part == 0 ? style.bold(line) : style.dim(line)).append('\n');
                }
            }
            if (!ranking.rows().isEmpty()) {
                out.append('\n').append(table(ranking, style)).append('\n');
            }
            for (Note note : notes(ranking)) {
                List<String> lines = wrap(note.text(), WIDTH - 3);
                for (int n = 0; n < lines.size(); n++) {
                    String line = (n == 0 ? " " + note.mark() : "  ") + " " + lines.get(n);
                    out.append(note.isAlarm() ? style.alarm(line) : style.warn(line))
                            .append('\n');
                }
            }
        }
        if (report.rankings().isEmpty()) {
            out.append("\nNo trial has been measured yet.\n");
            return;
        }
        out.append('\n');
        for (String line : wrap(legend(report), WIDTH)) {
            out.append(style.dim(line)).append('\n');
        }
        // last, where the eye is when a run ends
        out.append('\n');
        for (String answer : report.answers()) {
            for (String line : wrap(answer, WIDTH)) {
                out.append(style.bold(line)).append('\n');
            }
        }
    }

    static void markdown(Report report, Appendable out) throws IOException {
        out.append("# ").append(escape(report.manifest().study().question())).append("\n\n");
        for (var fact : report.facts().entrySet()) {
            out.append("- ")
                    .append(fact.getKey())
                    .append(": ")
                    .append(escape(fact.getValue()))
                    .append('\n');
        }
        List<String> answers = report.answers();
        for (int i = 0; i < answers.size(); i++) {
            Ranking ranking = report.rankings().get(i);
            out.append("\n## ")
                    .append(escape(ranking.operation() + ", " + String.join(", ", Figures.levels(ranking.condition()))))
                    .append("\n\n")
                    .append(escape(answers.get(i)))
                    .append("\n\n");
            List<Column> columns = Column.of(ranking);
            if (!ranking.rows().isEmpty()) {
                line(out, columns.stream().map(Column::title).toList());
                line(
                        out,
                        columns.stream()
                                .map(c -> c.isNumber() ? "---:" : ":---")
                                .toList());
                for (int row = 0; row < ranking.rows().size(); row++) {
                    int number = row;
                    line(
                            out,
                            columns.stream()
                                    .map(c -> escape(c.cells().get(number)))
                                    .toList());
                }
                out.append('\n');
            }
            List<Note> notes = notes(ranking);
            for (Note note : notes) {
                out.append("- ").append(escape(note.text())).append('\n');
            }
            out.append(notes.isEmpty() ? "" : "\n")
                    .append(escape(String.join("; ", report.caption(ranking))))
                    .append('\n');
        }
        out.append('\n').append(escape(legend(report))).append('\n');
    }

    private static String table(Ranking ranking, Style style) {
        List<Column> columns = Column.of(ranking).stream().map(Column::aligned).toList();
        List<ColumnData<Integer>> cells = columns.stream()
                .map(column -> {
                    HorizontalAlign align = column.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT;
                    return new com.github.freva.asciitable.Column()
                            .header(column.isNumber() ? column.head() + "\n" + column.unit() : "\n" + column.head())
                            .headerAlign(align)
                            .dataAlign(align)
                            .<Integer>with(row -> column.cells().get(row));
                })
                .toList();
        String table = AsciiTable.builder()
                .border(BORDER)
                .styler(styler(ranking, style))
                .data(IntStream.range(0, ranking.rows().size()).boxed().toList(), cells)
                .asString();
        return table.replaceAll("(?m) +$", "");
    }

    private static Styler styler(Ranking ranking, Style style) {
        return new Styler() {
            @Override
            public List<String> styleHeader(com.github.freva.asciitable.Column column, int col, List<String> lines) {
                return lines.stream().map(style::dim).toList();
            }

            @Override
            public List<String> styleCell(
                    com.github.freva.asciitable.Column column, int row, int col, List<String> lines) {
                Row shown = ranking.rows().get(row);
                return lines.stream()
                        .map(line ->
                                !shown.unsteady().isEmpty() ? style.warn(line) : row == 0 ? style.bold(line) : line)
                        .toList();
            }
        };
    }

    /** What a reader has to know about one method. */
    private record Note(String mark, String text, boolean isAlarm) {}

    /** The methods that were not steady, failed or are not to be had. */
    private static List<Note> notes(Ranking ranking) {
        List<Note> notes = new ArrayList<>();
        Map<String, List<Row>> unsteady = ranking.rows().stream()
                .filter(row -> !row.unsteady().isEmpty())
                .collect(groupingBy(row -> oneLine(row.unsteady().get(0)), LinkedHashMap::new, toList()));
        unsteady.forEach((reason, rows) -> notes.add(new Note(
                Column.UNSTEADY.strip(),
                "not steady: "
                        + rows.stream()
                                .map(row -> row.method() + " in "
                                        + row.unsteady().size() + " of "
                                        + Figures.plural(row.value().rounds(), "round"))
                                .collect(joining(", "))
                        + ": " + reason,
                false)));
        for (Unranked each : ranking.unranked()) {
            String reason = oneLine(each.outcome().reason());
            notes.add(
                    each.outcome() instanceof Outcome.Failed
                            ? new Note(
                                    "✗",
                                    each.method() + " failed in " + each.times() + " of "
                                            + Figures.plural(each.rounds(), "round") + ": " + reason,
                                    true)
                            : new Note("–", each.method() + " is unavailable here: " + reason, false));
        }
        return notes;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String legend(Report report) {
        return "Figures are medians over the rounds; range: from the slowest round to the fastest, no confidence"
                + " interval. × base: to " + report.manifest().study().baseline()
                + ". ratio: application ÷ stored bytes. disk: application bytes ÷ bytes of the table's files."
                + " CPU and alloc: the client's, per operation. MB/s: 10⁶ bytes per second; KB: 1024 bytes.";
    }

    static void line(Appendable out, List<String> cells) throws IOException {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    /** Text as it is, wherever it comes from: no markup, no new column. */
    static String escape(String text) {
        return oneLine(text).replaceAll("([\\\\`*_\\[\\]<>|#~])", "\\\\$1");
    }

    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
