package dev.blobmark.report;

import dev.blobmark.reencode.column.Census;
import dev.blobmark.reencode.column.Census.Dictionary;
import dev.blobmark.reencode.column.Census.Form;
import dev.blobmark.reencode.column.Census.State;
import dev.blobmark.reencode.column.Census.Unreadable;
import dev.blobmark.reencode.column.ColumnReading;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;

/** How the values of a column are stored, for people. */
final class CensusDocument {

    private CensusDocument() {}

    static Document of(Census census) {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(census.column(), forms(census)));
        if (!census.dictionaries().isEmpty()) {
            sections.add(Section.of("Dictionaries", dictionaries(census)));
        }
        if (census.unreadable() > 0) {
            sections.add(Section.of("Cannot be read", unreadable(census)));
        }
        return new Document(sections);
    }

    private static List<Block> forms(Census census) {
        List<Block> blocks = new ArrayList<>();
        long values = census.rows() - census.nulls();
        List<Fact> facts = new ArrayList<>();
        if (!census.isComplete()) {
            facts.add(new Fact(
                    "partial",
                    "reading was interrupted after " + Figures.plural(census.rows(), "row")
                            + "; all figures are about these, which are the first by their key",
                    Tone.WARNING));
        }
        facts.add(fact(
                "values",
                Figures.plural(values, "value")
                        + (census.nulls() > 0 ? ", and " + Figures.plural(census.nulls(), "row") + " with NULL" : "")
                        + (census.unreadable() > 0
                                ? "; " + Figures.count(census.unreadable()) + " cannot be read"
                                : values > 0
                                        ? "; all" + (census.isComplete() ? "" : " of these") + " can be read"
                                        : "")));
        facts.add(fact(
                "read as",
                switch (census.reading().reads()) {
                            case ColumnReading.RAW -> "values without a frame are the values themselves";
                            case ColumnReading.FRAMES -> "all values have a frame";
                            default ->
                                "values without a frame are encoded by "
                                        + census.reading().reads();
                        }
                        + (census.reading().readsSql() ? "; also values of COMPRESS()" : "")
                        + (census.reading().areCollisionsLegacy() ? "; also those that begin like a frame" : "")
                        + ", up to " + Figures.bytes(census.reading().maxLength())));
        if (census.isComplete() && values > 0 && !census.unusedCodecs().isEmpty()) {
            facts.add(fact(
                    "not used",
                    String.join(", ", census.unusedCodecs())
                            + ": no value needs these codecs; they could be withdrawn"));
        }
        blocks.add(new Facts(facts));
        if (!census.forms().isEmpty()) {
            blocks.add(Table.compact(List.of(
                    Column.text("form", census.forms(), Form::form),
                    Column.number("values", "", census.forms(), form -> Figures.count(form.values())),
                    Column.number("stored", "", census.forms(), form -> Figures.bytes(form.storedBytes())),
                    Column.number(
                            "of values",
                            "",
                            census.forms(),
                            form -> form.valueBytes() == 0 ? "" : Figures.bytes(form.valueBytes())),
                    Column.number(
                            "unreadable",
                            "",
                            census.forms(),
                            form -> form.unreadable() == 0 ? "" : Figures.count(form.unreadable())))));
        }
        return blocks;
    }

    private static List<Block> dictionaries(Census census) {
        List<Dictionary> dictionaries = census.dictionaries();
        return List.of(
                Table.compact(List.of(
                        Column.text("dictionary", dictionaries, Dictionary::number),
                        Column.number("values", "", dictionaries, one -> Figures.count(one.values())),
                        Column.text("", dictionaries, one -> state(one, census.isComplete())))),
                new Sentence(
                        "Dictionaries are looked for in blobmark_dictionaries of the column's schema.", Tone.FACT));
    }

    private static String state(Dictionary dictionary, boolean isComplete) {
        if (dictionary.state() != State.PRESENT) {
            return dictionary.state() == State.MISSING ? "MISSING" : "DAMAGED in its table";
        }
        if (!dictionary.isUnused() || !isComplete) {
            return "present";
        }
        return "present, no value here: could be withdrawn"
                + (dictionary.registered().isEmpty()
                        ? ""
                        : " if none refers to it in " + String.join(", ", dictionary.registered()));
    }

    private static List<Block> unreadable(Census census) {
        List<Block> blocks = new ArrayList<>();
        for (Unreadable value : census.first()) {
            blocks.add(new Sentence("key " + value.key() + ": " + value.form(), Tone.STRONG));
            blocks.add(new Block.Detail(value.reason(), Tone.FACT));
        }
        long more = census.unreadable() - census.first().size();
        if (more > 0) {
            blocks.add(new Sentence("and " + Figures.count(more) + " more", Tone.FACT));
        }
        return blocks;
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.FACT);
    }
}
