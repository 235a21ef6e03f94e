package dev.blobmark.report.document;

import java.util.Collections;
import java.util.List;

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
     */
    record Table(List<Column> columns, List<Tone> rows, List<String> expendable) implements Block {

        /** A table whose rows are all alike and whose columns are all shown. */
        public static Table of(List<Column> columns) {
            return new Table(columns, Collections.nCopies(columns.get(0).cells().size(), Tone.PLAIN), List.of());
        }
    }

    record Notes(List<Note> notes) implements Block {}

    /**
     * Entries of several sentences: a table in Markdown, paragraphs in a terminal.
     *
     * @param heads of the columns: label, name, text, source, evidence
     * @param brief entries that a terminal lists by their names only, after {@code ofBrief}
     */
    record Entries(List<String> heads, List<Entry> full, String ofBrief, List<Entry> brief) implements Block {}

    record Entry(String label, Tone tone, String name, String text, String source, String evidence) {}

    /**
     * What a section concludes.
     *
     * @param isLast whether a terminal repeats it at the end, where the eye is when a command ends; it shows no others
     */
    record Conclusion(List<Block> blocks, boolean isLast) implements Block {}
}
