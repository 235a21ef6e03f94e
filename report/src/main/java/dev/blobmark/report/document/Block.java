package dev.blobmark.report.document;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A part of a section. */
public sealed interface Block {

    /** Named facts, one a line. */
    record Facts(List<Fact> facts) implements Block {}

    record Fact(String name, String text, Tone tone) {}

    record Sentence(String text, Tone tone) implements Block {}

    /** A sentence that continues or explains the block before it. */
    record Detail(String text, Tone tone) implements Block {}

    /**
     * @param columns each with the same number of cells; at least one
     * @param rows the tone of each row
     * @param expendable heads of the columns that a narrow table leaves out, the first one first
     * @param isCompact whether a terminal shows it without lines of its own for units and a rule, and with signs
     * @param bars length of a bar behind the first figure of each row, 0 to 1, for terminals that can draw it; none if
     *     empty
     */
    record Table(List<Column> columns, List<Tone> rows, List<String> expendable, boolean isCompact, List<Double> bars)
            implements Block {

        public Table(List<Column> columns, List<Tone> rows, List<String> expendable) {
            this(columns, rows, expendable, false, List.of());
        }

        /** A compact table whose rows are all alike and whose columns are all shown, without bars. */
        public static Table compact(List<Column> columns) {
            Table table = of(columns.stream().map(Column::withUnitInHead).toList());
            return new Table(table.columns, table.rows, List.of(), true, List.of());
        }

        /** A table whose rows are all alike and whose columns are all shown. */
        public static Table of(List<Column> columns) {
            return new Table(columns, Collections.nCopies(columns.get(0).cells().size(), Tone.PLAIN), List.of());
        }
    }

    record Notes(List<Note> notes) implements Block {}

    /** Commands to copy; they are not wrapped. */
    record Commands(List<String> lines) implements Block {}

    /**
     * Entries of several sentences: a table in Markdown, paragraphs in a terminal.
     *
     * @param heads of the columns: label, name, text, source, evidence
     * @param brief entries that a terminal lists by their names only, after {@code ofBrief}
     */
    record Entries(List<String> heads, List<ListEntry> full, String ofBrief, List<ListEntry> brief) implements Block {}

    /** @param details for forms that have room for them */
    record ListEntry(
            String label,
            Tone tone,
            String name,
            String text,
            String source,
            String evidence,
            Optional<Table> details) {}

    /**
     * What a section concludes.
     *
     * @param isLast whether a terminal repeats it at the end, where the eye is when a command ends; it shows no others
     */
    record Conclusion(List<Block> blocks, boolean isLast) implements Block {}

    /** A part that only a page shows; other writers leave it out. */
    sealed interface OfPage extends Block {}

    /**
     * The figures that decide, each with a name and what it is compared with.
     *
     * @param of number of the ranking, which a reader chooses
     * @param title what is compared, and where
     * @param isShown before a reader chooses
     */
    record Tiles(int of, String title, List<Tile> tiles, boolean isShown) implements OfPage {}

    record Tile(String head, String figure, String detail, Sign sign) {}

    /** A place for a chart that the scripts of the page draw. */
    record Chart() implements OfPage {}

    /** Blocks that are shown when a reader asks for them. */
    record Folded(String summary, List<Block> blocks) implements OfPage {}

    /** Text whose line breaks count, such as a statement of SQL. */
    record Verbatim(String text) implements OfPage {}
}
