package dev.blobmark.report.document;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.Styler;
import dev.blobmark.report.document.Block.Conclusion;
import dev.blobmark.report.document.Block.Entry;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Document.Section;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes a document for a terminal of 100 columns, with its conclusions at the end. */
public final class TextWriter {

    public static final int WIDTH = 100;

    private static final int LEAST_FACT_COLUMNS = 9;

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
            for (String line : wrap(fact.text(), WIDTH - width)) {
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
        for (Entry entry : entries.full()) {
            out.append(style.paint(entry.tone(), String.format("%-" + width + "s", entry.label())))
                    .append(style.paint(Tone.STRONG, entry.name()))
                    .append('\n');
            lines("  ", entry.text(), Tone.PLAIN);
            lines("  ", entry.evidence(), Tone.FACT);
        }
        if (!entries.brief().isEmpty()) {
            String names = entries.brief().stream().map(Entry::name).collect(Collectors.joining(", "));
            lines("", entries.ofBrief() + names + ".", Tone.FACT);
        }
    }

    /** The first line begins with the prefix, the others with as many spaces. */
    private void lines(String prefix, String text, Tone tone) {
        String start = prefix;
        for (String line : wrap(text, WIDTH - prefix.length())) {
            out.append(style.paint(tone, start + line)).append('\n');
            start = " ".repeat(prefix.length());
        }
    }

    /** Lines that do not end between a number and its sign. */
    public static List<String> wrap(String text, int width) {
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

    /** As many columns as fit; each below its head, with its unit in a second line if any column has one. */
    private void table(Block.Table table) {
        List<Column> columns =
                narrowed(table.columns().stream().map(Column::aligned).toList(), table.expendable());
        boolean hasUnits = columns.stream().anyMatch(column -> !column.unit().isEmpty());
        List<ColumnData<Integer>> cells = columns.stream()
                .map(column -> {
                    HorizontalAlign align = column.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT;
                    String head = column.isNumber() ? column.head() + "\n" + column.unit() : "\n" + column.head();
                    return new com.github.freva.asciitable.Column()
                            .header(hasUnits ? head : column.head())
                            .headerAlign(align)
                            .dataAlign(align)
                            .maxWidth(WIDTH)
                            .<Integer>with(row -> column.cells().get(row));
                })
                .toList();
        out.append('\n')
                .append(AsciiTable.builder()
                        .border(BORDER)
                        .styler(styler(table.rows()))
                        .data(IntStream.range(0, table.rows().size()).boxed().toList(), cells)
                        .asString()
                        .replaceAll("(?m) +$", ""))
                .append('\n');
    }

    /** Leaves out what is expendable, and puts back the columns that still fit, the least expendable first. */
    private static List<Column> narrowed(List<Column> columns, List<String> expendable) {
        Set<String> left = new HashSet<>(expendable);
        for (int i = expendable.size() - 1; i >= 0; i--) {
            left.remove(expendable.get(i));
            if (width(without(left, columns)) > WIDTH) {
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

    private Styler styler(List<Tone> rows) {
        return new Styler() {
            @Override
            public List<String> styleHeader(com.github.freva.asciitable.Column column, int col, List<String> lines) {
                return painted(Tone.FACT, lines);
            }

            @Override
            public List<String> styleCell(
                    com.github.freva.asciitable.Column column, int row, int col, List<String> lines) {
                return painted(rows.get(row), lines);
            }
        };
    }

    private List<String> painted(Tone tone, List<String> lines) {
        return lines.stream().map(line -> style.paint(tone, line)).toList();
    }
}
