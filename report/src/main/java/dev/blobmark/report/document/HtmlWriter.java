package dev.blobmark.report.document;

import dev.blobmark.report.document.Block.ListEntry;
import dev.blobmark.report.document.Block.Tile;
import dev.blobmark.report.document.Document.Section;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Writes a document as the body of a page. All text is escaped. Classes are the words of {@link Tone} and {@link Sign};
 * scripts of the page make tables sortable and draw charts in their places.
 */
public final class HtmlWriter {

    private final StringBuilder out = new StringBuilder();

    /** Names the tables of a section for readers who hear the page. */
    private String name = "";

    private final String prefix;
    private final Set<String> names = new HashSet<>();

    private HtmlWriter(String prefix) {
        this.prefix = prefix;
    }

    /** @param name of the document; the names of tables begin with it */
    public static String write(Document document, String name) {
        HtmlWriter writer = new HtmlWriter(name);
        document.sections().forEach(writer::section);
        return writer.out.toString();
    }

    private void section(Section section) {
        name = prefix + (section.title().isEmpty() ? "" : ": " + section.title());
        out.append("<section class=\"part\">");
        if (!section.title().isEmpty()) {
            element("h3", "", section.title());
        }
        section.blocks().forEach(this::block);
        out.append("</section>\n");
    }

    private void block(Block block) {
        if (block instanceof Block.Facts facts) {
            out.append("<dl class=\"facts\">");
            facts.facts().forEach(fact -> {
                element("dt", "", fact.name());
                element("dd", word(fact.tone()), fact.text());
            });
            out.append("</dl>\n");
        } else if (block instanceof Block.Sentence sentence) {
            element("p", word(sentence.tone()), sentence.text());
        } else if (block instanceof Block.Detail detail) {
            element("p", "detail " + word(detail.tone()), detail.text());
        } else if (block instanceof Block.Table table) {
            table(table);
        } else if (block instanceof Block.Notes notes) {
            notes(notes.notes());
        } else if (block instanceof Block.Entries entries) {
            entries(entries);
        } else if (block instanceof Block.Conclusion conclusion) {
            conclusion.blocks().forEach(this::block);
        } else if (block instanceof Block.Tiles tiles) {
            tiles(tiles);
        } else if (block instanceof Block.Folded folded) {
            folded(folded.summary(), folded.blocks());
        } else if (block instanceof Block.Commands commands) {
            out.append("<pre tabindex=\"0\">")
                    .append(escape(String.join("\n", commands.lines())))
                    .append("</pre>\n");
        } else if (block instanceof Block.Verbatim verbatim) {
            out.append("<pre tabindex=\"0\">").append(escape(verbatim.text())).append("</pre>\n");
        } else if (block instanceof Block.Chart) {
            out.append("<div class=\"figure\"></div>\n");
        }
    }

    private void table(Block.Table table) {
        String label = name;
        for (int n = 2; !names.add(label); n++) {
            label = name + ", table " + n;
        }
        out.append("<div class=\"table\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
                .append(escape(label))
                .append("\"><table><caption class=\"hidden\">")
                .append(escape(label))
                .append("</caption><thead><tr>");
        for (Column column : table.columns()) {
            out.append("<th scope=\"col\"")
                    .append(column.isNumber() ? " class=\"number\">" : ">")
                    .append(escape(column.head() + (column.unit().isEmpty() ? "" : ", " + column.unit())))
                    .append("</th>");
        }
        out.append("</tr></thead><tbody>\n");
        for (int row = 0; row < table.rows().size(); row++) {
            String tone = word(table.rows().get(row));
            out.append(tone.isEmpty() ? "<tr>" : "<tr class=\"" + tone + "\">");
            for (int i = 0; i < table.columns().size(); i++) {
                cell(table.columns().get(i), row, i == 0);
            }
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div></div>\n");
    }

    private void cell(Column column, int row, boolean isHead) {
        Sign sign = column.signs().isEmpty() ? Sign.NONE : column.signs().get(row);
        String classes = (column.isNumber() ? "number " : "") + word(sign);
        out.append(isHead ? "<th scope=\"row\"" : "<td")
                .append(classes.isBlank() ? ">" : " class=\"" + classes.strip() + "\">");
        sign(sign);
        out.append(escape(column.cells().get(row))).append(isHead ? "</th>" : "</td>");
    }

    private void sign(Sign sign) {
        if (sign != Sign.NONE) {
            out.append("<span class=\"sign\" role=\"img\" aria-label=\"")
                    .append(sign.word)
                    .append("\">")
                    .append(sign.mark)
                    .append("</span> ");
        }
    }

    private void tiles(Block.Tiles tiles) {
        out.append("<div class=\"tiles\" data-of=\"").append(tiles.of()).append(tiles.isShown() ? "\">" : "\" hidden>");
        element("p", "title", tiles.title());
        for (Tile tile : tiles.tiles()) {
            out.append("<div class=\"tile ").append(word(tile.sign())).append("\">");
            element("p", "head", tile.head());
            out.append("<p class=\"value\">");
            sign(tile.sign());
            out.append(escape(tile.figure())).append("</p>");
            element("p", "fact", tile.detail());
            out.append("</div>");
        }
        out.append("</div>\n");
    }

    private void notes(List<Note> notes) {
        out.append("<ul class=\"notes\">");
        for (Note note : notes) {
            out.append("<li class=\"")
                    .append(word(note.tone()))
                    .append("\"><span class=\"mark\" aria-hidden=\"true\">")
                    .append(escape(note.mark()))
                    .append("</span>")
                    .append(escape(note.text()))
                    .append("</li>");
        }
        out.append("</ul>\n");
    }

    private void entries(Block.Entries entries) {
        entries.full().forEach(this::entry);
        if (!entries.brief().isEmpty()) {
            out.append("<details><summary>").append(entries.brief().size()).append(" not tested, and why</summary>");
            entries.brief().forEach(this::entry);
            out.append("</details>\n");
        }
    }

    private void entry(ListEntry entry) {
        out.append("<article class=\"entry\"><h4>");
        element("span", "label " + word(entry.tone()), entry.label());
        out.append(' ').append(escape(entry.name())).append("</h4>");
        element("p", "", entry.text());
        out.append("<dl class=\"facts\">");
        if (!entry.source().isEmpty()) {
            element("dt", "", "Source");
            element("dd", "", entry.source());
        }
        element("dt", "", "Measured");
        element("dd", "", entry.evidence());
        out.append("</dl>");
        entry.details()
                .ifPresent(table -> folded(
                        table.rows().size() == 1
                                ? "The comparison"
                                : "All " + table.rows().size() + " comparisons",
                        List.of(table)));
        out.append("</article>\n");
    }

    private void folded(String summary, List<Block> blocks) {
        String outer = name;
        name = outer + ": " + summary;
        out.append("<details>");
        element("summary", "", summary);
        blocks.forEach(this::block);
        out.append("</details>\n");
        name = outer;
    }

    private void element(String tag, String classes, String text) {
        out.append('<').append(tag);
        if (!classes.isBlank()) {
            out.append(" class=\"").append(classes.strip()).append('"');
        }
        out.append('>').append(escape(text)).append("</").append(tag).append('>');
    }

    private static String word(Enum<?> word) {
        return word == Tone.PLAIN || word == Sign.NONE ? "" : word.name().toLowerCase(Locale.ROOT);
    }

    /** Text as it is, wherever it comes from: no markup. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
