package dev.blobmark.report;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.Styler;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.report.Notes.Note;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rankings for reading: as text for a terminal of 100 columns, and in Markdown. */
final class Tables {

    static final int WIDTH = 100;

    /** Columns that a narrow table does without, in this order. */
    private static final List<String> LEAST_FIRST = List.of(
            "wire", "alloc", "pages", "enc", "srv CPU", "CPU", "p50", "ratio", "memory", "disk", "most on", "p99",
            "range", "tier");

    /** A rule below the header, and no other line. */
    private static final Character[] BORDER = new Character[29];

    static {
        BORDER[8] = '─';
    }

    private Tables() {}

    static void text(Analysis report, Style style, Appendable out) throws IOException {
        out.append(style.bold(report.manifest().study().question())).append('\n');
        Map<String, String> facts = Facts.of(report);
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
            List<String> caption = Captions.of(report, ranking);
            for (int part = 0; part < caption.size(); part++) {
                for (String line : wrap(caption.get(part), WIDTH)) {
                    out.append(part == 0 ? style.bold(line) : style.dim(line)).append('\n');
                }
            }
            if (!ranking.rows().isEmpty()) {
                out.append('\n').append(table(ranking, style)).append('\n');
            }
            for (Note note : Notes.of(ranking)) {
                List<String> lines = wrap(note.text(), WIDTH - 3);
                for (int n = 0; n < lines.size(); n++) {
                    String line = (n == 0 ? " " + note.mark() : "  ") + " " + lines.get(n);
                    out.append(
                                    switch (note.tone()) {
                                        case FACT -> style.dim(line);
                                        case WARNING -> style.warn(line);
                                        case ALARM -> style.alarm(line);
                                    })
                            .append('\n');
                }
            }
        }
        if (report.rankings().isEmpty()) {
            out.append("\nNo trial has been measured yet.\n");
            return;
        }
        for (SideTable table : SideTable.of(report)) {
            text(table, style, out);
        }
        out.append('\n');
        lines(Captions.legend(report), WIDTH, style::dim, out);
        if (report.floorIsUnknown()) {
            lines(Notes.NO_CONTROL, WIDTH, style::warn, out);
        }
        ClaimTables.text(report.claims(), style, out);
        // last, where the eye is when a run ends
        out.append('\n');
        for (Answer.Conclusion conclusion : Answer.conclusions(report)) {
            lines(conclusion.answer(), WIDTH, style::bold, out);
            for (String line :
                    conclusion.tiers().map(tiers -> wrap(tiers, WIDTH - 2)).orElse(List.of())) {
                out.append("  ").append(line).append('\n');
            }
        }
        for (String line :
                report.undecided().map(its -> wrap(Captions.words(its), WIDTH)).orElse(List.of())) {
            out.append(line).append('\n');
        }
    }

    static void markdown(Analysis report, Appendable out) throws IOException {
        out.append("# ").append(escape(report.manifest().study().question())).append("\n\n");
        for (var fact : Facts.of(report).entrySet()) {
            out.append("- ")
                    .append(fact.getKey())
                    .append(": ")
                    .append(escape(fact.getValue()))
                    .append('\n');
        }
        List<String> answers = Answer.all(report);
        for (int i = 0; i < answers.size(); i++) {
            Ranking ranking = report.rankings().get(i);
            out.append("\n## ")
                    .append(escape(Captions.title(ranking)
                            + ranking.sizes()
                                    .map(sizes -> " of values of " + Captions.words(sizes))
                                    .orElse("")
                            + ", " + String.join(", ", Figures.levels(ranking.condition()))))
                    .append("\n\n")
                    .append(escape(answers.get(i)))
                    .append("\n\n")
                    .append(TierText.of(ranking)
                            .map(tiers -> escape(tiers) + "\n\n")
                            .orElse(""));
            List<Column> columns = Column.of(ranking, true);
            if (!ranking.rows().isEmpty()) {
                markdown(columns, out);
                out.append('\n');
            }
            List<Note> notes = Notes.of(ranking);
            for (Note note : notes) {
                out.append("- ").append(escape(note.text())).append('\n');
            }
            out.append(notes.isEmpty() ? "" : "\n")
                    .append(escape(String.join("; ", Captions.of(report, ranking))))
                    .append('\n');
        }
        for (SideTable table : SideTable.of(report)) {
            markdown(table, out);
        }
        out.append('\n').append(escape(Captions.legend(report))).append('\n');
        if (report.floorIsUnknown()) {
            out.append('\n').append(escape(Notes.NO_CONTROL)).append('\n');
        }
        ClaimTables.markdown(report.claims(), out);
    }

    private static List<Column> without(Set<String> heads, List<Column> columns) {
        return columns.stream().filter(column -> !heads.contains(column.head())).toList();
    }

    /** As many columns as fit, those that matter most first. */
    private static String table(Ranking ranking, Style style) {
        List<Column> columns = Column.of(ranking, false);
        Set<String> left = new HashSet<>(LEAST_FIRST);
        for (int i = LEAST_FIRST.size() - 1; i >= 0; i--) {
            left.remove(LEAST_FIRST.get(i));
            if (width(without(left, columns)) > WIDTH) {
                left.add(LEAST_FIRST.get(i));
            }
        }
        columns = without(left, columns);
        return text(columns, styler(ranking, style));
    }

    /** Columns as they are, each below its head; with their units in a second line, where there are any. */
    static String text(List<Column> columns, Styler styler) {
        return unaligned(columns.stream().map(Column::aligned).toList(), styler);
    }

    /** The same, with cells that do not stand below each other by their points. */
    static String unaligned(List<Column> columns, Styler styler) {
        boolean hasUnits = columns.stream().anyMatch(column -> !column.unit().isEmpty());
        List<ColumnData<Integer>> cells = columns.stream()
                .map(column -> {
                    HorizontalAlign align = column.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT;
                    return new com.github.freva.asciitable.Column()
                            .header(
                                    !hasUnits
                                            ? column.head()
                                            : column.isNumber()
                                                    ? column.head() + "\n" + column.unit()
                                                    : "\n" + column.head())
                            .headerAlign(align)
                            .dataAlign(align)
                            .maxWidth(WIDTH)
                            .<Integer>with(row -> column.cells().get(row));
                })
                .toList();
        return AsciiTable.builder()
                .border(BORDER)
                .styler(styler)
                .data(IntStream.range(0, columns.get(0).cells().size()).boxed().toList(), cells)
                .asString()
                .replaceAll("(?m) +$", "");
    }

    private static void text(SideTable table, Style style, Appendable out) throws IOException {
        out.append('\n');
        lines(table.title(), WIDTH, style::bold, out);
        out.append('\n').append(text(table.columns(), headStyler(style))).append('\n');
        for (String line : wrap(table.reading(), WIDTH - 1)) {
            out.append(style.dim(" " + line)).append('\n');
        }
    }

    private static void markdown(SideTable table, Appendable out) throws IOException {
        out.append("\n## ").append(escape(table.title())).append("\n\n");
        markdown(table.columns(), out);
        out.append('\n').append(escape(table.reading())).append('\n');
    }

    static void markdown(List<Column> columns, Appendable out) throws IOException {
        line(out, columns.stream().map(Column::title).toList());
        line(out, columns.stream().map(c -> c.isNumber() ? "---:" : ":---").toList());
        for (int row = 0; row < columns.get(0).cells().size(); row++) {
            int number = row;
            line(out, columns.stream().map(c -> escape(c.cells().get(number))).toList());
        }
    }

    /** Each column has a space on both sides. */
    private static int width(List<Column> columns) {
        return columns.stream()
                .map(Column::aligned)
                .mapToInt(column -> 2
                        + Stream.concat(Stream.of(column.head(), column.unit()), column.cells().stream())
                                .mapToInt(String::length)
                                .max()
                                .getAsInt())
                .sum();
    }

    /** Of a table whose rows are all alike. */
    static Styler headStyler(Style style) {
        return new Styler() {
            @Override
            public List<String> styleHeader(com.github.freva.asciitable.Column column, int col, List<String> lines) {
                return lines.stream().map(style::dim).toList();
            }
        };
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
                        .map(line -> !shown.doubts().unsteady().isEmpty()
                                ? style.warn(line)
                                : ranking.best().filter(shown::equals).isPresent() ? style.bold(line) : line)
                        .toList();
            }
        };
    }

    static void line(Appendable out, List<String> cells) throws IOException {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    /** Text as it is, wherever it comes from: no markup, no new column. */
    static String escape(String text) {
        return Notes.oneLine(text).replaceAll("([\\\\`*_\\[\\]<>|#~])", "\\\\$1");
    }

    /** Wraps a text, and writes its lines. */
    static void lines(String text, int width, UnaryOperator<String> paint, Appendable out) throws IOException {
        for (String line : wrap(text, width)) {
            out.append(paint.apply(line)).append('\n');
        }
    }

    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split("(?<!±) (?![%×])")) {
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
