package dev.blobmark.report.document;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.Styler;
import dev.blobmark.report.document.Block.Conclusion;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.ListEntry;
import dev.blobmark.report.document.Document.Section;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes a document for a terminal, with its conclusions at the end. */
public final class TextWriter {

    private static final int LEAST_FACT_COLUMNS = 9;
    private static final int BAR_COLUMNS = 10;

    /** Bars of one to eight eighths of a column. */
    private static final String EIGHTHS = "▏▎▍▌▋▊▉█";

    /** A rule below the header, and no other line. */
    private static final Character[] BORDER = new Character[29];

    static {
        BORDER[8] = '─';
    }

    private final Style style;
    private final StringBuilder out = new StringBuilder();

    private TextWriter(Style style) {
        this.style = style;
    }

    public static String write(Document document, Style style) {
        TextWriter writer = new TextWriter(style);
        document.sections().forEach(writer::section);
        List<Block> conclusions = document.sections().stream()
                .flatMap(section -> section.blocks().stream())
                .filter(Conclusion.class::isInstance)
                .map(Conclusion.class::cast)
                .filter(Conclusion::isLast)
                .flatMap(conclusion -> conclusion.blocks().stream())
                .toList();
        writer.section(Section.of("", conclusions));
        return writer.out.toString();
    }

    private void section(Section section) {
        if (section.title().isEmpty() && section.blocks().stream().allMatch(Conclusion.class::isInstance)) {
            return;
        }
        if (!out.isEmpty()) {
            out.append('\n');
        }
        if (!section.title().isEmpty()) {
            lines("", section.title(), section.tone());
        }
        section.blocks().forEach(this::block);
    }

    private void block(Block block) {
        if (block instanceof Block.Facts facts) {
            facts(facts);
        } else if (block instanceof Block.Sentence sentence) {
            lines("", sentence.text(), sentence.tone());
        } else if (block instanceof Block.Detail detail) {
            lines("  ", detail.text(), detail.tone());
        } else if (block instanceof Block.Table table) {
            table(table);
        } else if (block instanceof Block.Notes notes) {
            notes(notes);
        } else if (block instanceof Block.Entries entries) {
            entries(entries);
        } else if (block instanceof Block.Commands commands) {
            commands.lines().forEach(line -> out.append("  ").append(line).append('\n'));
        }
    }

    private void facts(Block.Facts facts) {
        int width = Math.max(
                LEAST_FACT_COLUMNS,
                facts.facts().stream()
                        .mapToInt(fact -> fact.name().length() + 1)
                        .max()
                        .orElse(0));
        for (Fact fact : facts.facts()) {
            String name = fact.name();
            for (String line : wrap(fact.text(), style.columns() - width)) {
                out.append(style.paint(Tone.FACT, String.format("%-" + width + "s", name)))
                        .append(style.paint(fact.tone(), line))
                        .append('\n');
                name = "";
            }
        }
    }

    private void notes(Block.Notes notes) {
        notes.notes().forEach(note -> lines(" " + note.mark() + " ", note.text(), note.tone()));
    }

    private void entries(Block.Entries entries) {
        int width = entries.full().stream()
                .mapToInt(entry -> entry.label().length() + 2)
                .max()
                .orElse(0);
        for (ListEntry entry : entries.full()) {
            out.append(style.paint(entry.tone(), String.format("%-" + width + "s", entry.label())))
                    .append(style.paint(Tone.STRONG, entry.name()))
                    .append('\n');
            lines("  ", entry.text(), Tone.PLAIN);
            lines("  ", entry.evidence(), Tone.FACT);
        }
        if (!entries.brief().isEmpty()) {
            String names = entries.brief().stream().map(ListEntry::name).collect(Collectors.joining(", "));
            lines("", entries.ofBrief() + names + ".", Tone.FACT);
        }
    }

    /** The first line begins with the prefix, the others with as many spaces. */
    private void lines(String prefix, String text, Tone tone) {
        String start = prefix;
        for (String line : wrap(text, style.columns() - prefix.length())) {
            out.append(style.paint(tone, start + line)).append('\n');
            start = " ".repeat(prefix.length());
        }
    }

    /** Lines that do not end between a number and its sign. Only a word that is longer than a line is cut. */
    public static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split("(?<!±) (?![%×])")) {
            String rest = word;
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            for (; rest.length() > width; rest = rest.substring(width)) {
                lines.add(rest.substring(0, width));
            }
            line.append(line.isEmpty() ? "" : " ").append(rest);
        }
        lines.add(line.toString());
        return lines;
    }

    /** As many columns as fit, the others below them if they cannot be left out. */
    private void table(Block.Table table) {
        List<Column> columns = narrowed(withBars(table), table.expendable());
        if (width(columns) > style.columns() && table.isCompact()) {
            columns = narrowed(
                    table.columns().stream().map(column -> column.marked(true)).toList(), table.expendable());
        }
        List<Column> part = new ArrayList<>();
        for (Column column : columns) {
            part.add(column);
            if (part.size() > 2 && width(part) > style.columns()) {
                part.remove(part.size() - 1);
                part(part, table);
                part = new ArrayList<>(List.of(columns.get(0), column));
            }
        }
        part(part, table);
    }

    /** Each column below its head, with its unit in a second line if any column has one. */
    private void part(List<Column> columns, Block.Table table) {
        boolean hasUnits = columns.stream().anyMatch(column -> !column.unit().isEmpty());
        int widest = width(columns) > style.columns() ? style.columns() / columns.size() : style.columns();
        List<ColumnData<Integer>> cells = columns.stream()
                .map(column -> {
                    HorizontalAlign align = column.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT;
                    String head = column.isNumber() ? column.head() + "\n" + column.unit() : "\n" + column.head();
                    return new com.github.freva.asciitable.Column()
                            .header(hasUnits ? head : column.head())
                            .headerAlign(align)
                            .dataAlign(align)
                            .maxWidth(widest)
                            .<Integer>with(row -> column.cells().get(row));
                })
                .toList();
        out.append(table.isCompact() ? "" : "\n")
                .append(AsciiTable.builder()
                        .border(table.isCompact() ? AsciiTable.NO_BORDERS : BORDER)
                        .styler(styler(columns, table))
                        .data(IntStream.range(0, table.rows().size()).boxed().toList(), cells)
                        .asString()
                        .replaceAll("(?m) +$", ""))
                .append('\n');
    }

    private List<Column> withBars(Block.Table table) {
        List<Column> columns = new ArrayList<>(table.columns().stream()
                .map(Column::aligned)
                .map(column -> table.isCompact() ? column.marked(false) : column)
                .toList());
        if (style.hasBars() && !table.bars().isEmpty()) {
            columns.add(2, Column.text("", table.bars(), TextWriter::bar));
        }
        return columns;
    }

    /** To an eighth of a column. */
    private static String bar(double length) {
        int eighths = (int) Math.round(length * BAR_COLUMNS * EIGHTHS.length());
        int part = eighths % EIGHTHS.length();
        return "█".repeat(eighths / EIGHTHS.length()) + (part == 0 ? "" : EIGHTHS.substring(part - 1, part));
    }

    /** Leaves out what is expendable, and puts back the columns that still fit, the least expendable first. */
    private List<Column> narrowed(List<Column> columns, List<String> expendable) {
        Set<String> left = new HashSet<>(expendable);
        for (int i = expendable.size() - 1; i >= 0; i--) {
            left.remove(expendable.get(i));
            if (width(without(left, columns)) > style.columns()) {
                left.add(expendable.get(i));
            }
        }
        return without(left, columns);
    }

    private static List<Column> without(Set<String> heads, List<Column> columns) {
        return columns.stream().filter(column -> !heads.contains(column.head())).toList();
    }

    /** Each column has a space on both sides. */
    private static int width(List<Column> columns) {
        return columns.stream()
                .mapToInt(column -> 2
                        + Stream.concat(Stream.of(column.head(), column.unit()), column.cells().stream())
                                .mapToInt(String::length)
                                .max()
                                .getAsInt())
                .sum();
    }

    private Styler styler(List<Column> columns, Block.Table table) {
        return new Styler() {
            @Override
            public List<String> styleHeader(com.github.freva.asciitable.Column column, int col, List<String> lines) {
                return painted(Tone.FACT, lines);
            }

            @Override
            public List<String> styleCell(
                    com.github.freva.asciitable.Column column, int row, int col, List<String> lines) {
                List<Sign> signs = columns.get(col).signs();
                boolean isSigned = table.isCompact() && !signs.isEmpty() && signs.get(row).tone != Tone.PLAIN;
                return painted(isSigned ? signs.get(row).tone : table.rows().get(row), lines);
            }
        };
    }

    private List<String> painted(Tone tone, List<String> lines) {
        return lines.stream().map(line -> style.paint(tone, line)).toList();
    }
}
