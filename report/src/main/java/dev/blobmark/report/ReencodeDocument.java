package dev.blobmark.report;

import dev.blobmark.reencode.Preview;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;

/** What a change of stored values would do, for people. */
final class ReencodeDocument {

    private ReencodeDocument() {}

    static Document of(Preview preview) {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(
                preview.column() + ", " + preview.type() + ": "
                        + (preview.to().equals("none") ? "decode all values" : "encode by " + preview.to()),
                List.of(new Facts(facts(preview)))));
        List<Note> notes = notes(preview);
        if (!notes.isEmpty()) {
            sections.add(Section.untitled(new Notes(notes)));
        }
        if (!preview.problems().isEmpty()) {
            sections.add(Section.of(
                    "It cannot begin",
                    List.of(new Notes(preview.problems().stream()
                            .map(problem -> new Note("!", problem, Tone.WARNING))
                            .toList()))));
        }
        sections.add(Section.untitled(new Sentence(
                "Estimates from a sample of " + Figures.plural(preview.sampled(), "value")
                        + ". Nothing was written. "
                        + (preview.isCopy()
                                ? "The former table stays next to the new one until --finish drops it."
                                : "Values stay in place: the file of the table keeps its size until it is rebuilt, by"
                                        + " OPTIMIZE TABLE for example."),
                Tone.FACT)));
        return new Document(sections);
    }

    private static List<Fact> facts(Preview preview) {
        List<Fact> facts = new ArrayList<>();
        facts.add(fact(
                "rows",
                "about " + Figures.count(preview.rows()) + ", of which " + Figures.percent(preview.share())
                        + " would be changed"));
        facts.add(fact(
                "values",
                Figures.bytes(Math.round(preview.bytes())) + " now, " + Figures.bytes(Math.round(preview.bytesAfter()))
                        + " then"
                        + (preview.bytesAfter() > 0
                                ? ": " + Figures.ratio(preview.bytes() / preview.bytesAfter()) + " times smaller"
                                : "")));
        facts.add(fact(
                "binary log",
                preview.rowImage().equals("NONE")
                        ? "not written here"
                        : "about " + Figures.bytes(Math.round(preview.binlogBytes())) + " more ("
                                + image(preview.rowImage()) + ")"));
        if (preview.originals() > 0) {
            facts.add(fact(
                    "kept for --revert",
                    Figures.percent(preview.originals())
                            + " of the former values, from which the same bytes cannot be made again"));
        }
        facts.add(fact(
                "readers",
                preview.readers().isEmpty()
                        ? "none has announced itself: make sure that all can read " + preview.to() + " before"
                        : String.join(", ", preview.readers())));
        return facts;
    }

    private static String image(String kind) {
        return switch (kind) {
            case "FULL" -> "row images FULL: each row is logged before and after";
            case "STATEMENT" -> "statements, with both versions";
            default -> "row images " + kind;
        };
    }

    private static List<Note> notes(Preview preview) {
        List<Note> notes = new ArrayList<>();
        preview.underWay().ifPresent(before -> notes.add(new Note("!", before, Tone.WARNING)));
        preview.dependents().forEach(line -> notes.add(new Note("–", line, Tone.FACT)));
        preview.remarks().forEach(line -> notes.add(new Note("–", line, Tone.FACT)));
        return notes;
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.PLAIN);
    }
}
