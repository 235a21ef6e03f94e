package dev.blobmark.report.document;

import dev.blobmark.report.document.Document.Section;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Writes a document in Markdown, with all columns and with each conclusion in its place. */
public final class MarkdownWriter {

    private final StringBuilder out = new StringBuilder();

    private MarkdownWriter() {}

    public static String write(Document document) {
        MarkdownWriter writer = new MarkdownWriter();
        String level = "# ";
        for (Section section : document.sections()) {
            if (!section.title().isEmpty()) {
                writer.gap();
                writer.out.append(level).append(escape(section.title())).append('\n');
            }
            section.blocks().forEach(writer::block);
            level = "## ";
        }
        return writer.out.toString();
    }

    private void block(Block block) {
        if (block instanceof Block.Facts facts) {
            facts(facts);
        } else if (block instanceof Block.Sentence sentence) {
            paragraph(sentence.text());
        } else if (block instanceof Block.Detail detail) {
            paragraph(detail.text());
        } else if (block instanceof Block.Table table) {
            table(table);
        } else if (block instanceof Block.Notes notes) {
            notes(notes);
        } else if (block instanceof Block.Conclusion conclusion) {
            conclusion.blocks().forEach(this::block);
        } else if (block instanceof Block.Entries entries) {
            entries(entries);
        } else if (block instanceof Block.Commands commands) {
            gap();
            commands.lines().forEach(line -> out.append("    ").append(line).append('\n'));
        }
    }

    private void facts(Block.Facts facts) {
        list(facts.facts().stream()
                .map(fact -> fact.name() + ": " + fact.text())
                .toList());
    }

    private void notes(Block.Notes notes) {
        list(notes.notes().stream().map(Note::text).toList());
    }

    private void table(Block.Table table) {
        List<Column> columns = table.columns();
        gap();
        line(columns.stream()
                .map(column -> escape(column.head() + " " + column.unit()))
                .toList());
        line(columns.stream().map(column -> column.isNumber() ? "---:" : ":---").toList());
        for (int i = 0; i < table.rows().size(); i++) {
            int row = i;
            line(columns.stream().map(column -> escape(cell(column, row))).toList());
        }
    }

    private static String cell(Column column, int row) {
        String interval = column.intervals().isEmpty() ? "" : column.intervals().get(row);
        return column.cells().get(row) + (interval.isEmpty() ? "" : " " + interval);
    }

    private void entries(Block.Entries entries) {
        gap();
        line(entries.heads());
        line(Collections.nCopies(entries.heads().size(), ":---"));
        Stream.concat(entries.full().stream(), entries.brief().stream())
                .forEach(entry ->
                        line(Stream.of(entry.label(), entry.name(), entry.text(), entry.source(), entry.evidence())
                                .map(MarkdownWriter::escape)
                                .toList()));
    }

    private void paragraph(String text) {
        gap();
        out.append(escape(text)).append('\n');
    }

    private void list(List<String> items) {
        gap();
        items.forEach(item -> out.append("- ").append(escape(item)).append('\n'));
    }

    private void line(List<String> cells) {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private void gap() {
        out.append(out.isEmpty() ? "" : "\n");
    }

    /** Text as it is, wherever it comes from: no markup, no new column. */
    private static String escape(String text) {
        return text.strip().replaceAll("\\s+", " ").replaceAll("([\\\\`*_\\[\\]<>|#~])", "\\\\$1");
    }
}
