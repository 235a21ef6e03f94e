package dev.blobmark.report;

import dev.blobmark.reencode.check.Preview;
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
import java.util.Locale;

/** What a change of stored values would do, for people. */
final class ReencodeDocument {

    private ReencodeDocument() {}

    static Document of(Preview preview) {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(
                preview.subject().column() + ", " + preview.subject().type() + ": "
                        + (preview.subject().to().equals("none")
                                ? "decode all values"
                                : "encode by " + preview.subject().to()),
                preview.amount().sampled() == 0 ? List.of() : List.of(new Facts(facts(preview)))));
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
                preview.amount().sampled() == 0
                        ? "Nothing has been written."
                        : (isWhole(preview) ? "All values were looked at." : estimated(preview))
                                + " Nothing has been written. "
                                + (preview.subject().isCopy()
                                        ? "The former table stays next to the new one until --finish drops it."
                                        : "Values stay in place: the file of the table keeps its size until it is rebuilt,"
                                                + " by OPTIMIZE TABLE for example."),
                Tone.FACT)));
        return new Document(sections);
    }

    private static boolean isWhole(Preview preview) {
        return preview.amount().sampled() == preview.amount().rows();
    }

    private static String estimated(Preview preview) {
        return "Estimates from a sample of " + Figures.plural(preview.amount().sampled(), "value") + ".";
    }

    private static List<Fact> facts(Preview preview) {
        List<Fact> facts = new ArrayList<>();
        facts.add(fact("rows", rows(preview) + "; " + share(preview.amount().share()) + " would be changed"));
        facts.add(fact("values", bytes(preview)));
        if (preview.amount().share() > 0 || preview.subject().isCopy()) {
            facts.add(fact("disk", disk(preview)));
        }
        facts.add(fact(
                "binary log",
                preview.cost().rowImage().equals("NONE")
                        ? "not written here"
                        : preview.amount().share() == 0
                                ? "nothing more"
                                : "about "
                                        + Figures.bytes(
                                                Math.round(preview.cost().binlogBytes())) + " more ("
                                        + image(preview.cost().rowImage()) + ")"));
        if (preview.amount().share() > 0 || preview.subject().isCopy()) {
            facts.add(fact(
                    "time",
                    preview.cost().seconds() < 5
                            ? "a few seconds with this throttle"
                            : "between " + about(preview.cost().seconds() / 2) + " and "
                                    + about(2 * preview.cost().seconds())
                                    + " with this throttle; once it works, the progress states it better"));
        }
        if (preview.amount().originals() > 0) {
            facts.add(fact(
                    "for --revert",
                    "the former bytes of " + share(preview.amount().originals())
                            + " of the values are kept: decoding does not give the same ones"));
        }
        facts.add(fact(
                "readers",
                preview.readers().isEmpty()
                        ? "none has announced itself: make sure first that all read "
                                + read(preview.subject().to())
                        : String.join(", ", preview.readers())));
        return facts;
    }

    /** Estimates are rounded to two digits. */
    private static String rows(Preview preview) {
        if (isWhole(preview)) {
            return Figures.count(preview.amount().rows());
        }
        long unit = 1;
        while (preview.amount().rows() / unit >= 100) {
            unit *= 10;
        }
        return "about " + Figures.count(Math.round((double) preview.amount().rows() / unit) * unit);
    }

    /** {@code 37 %}, {@code all}, {@code none}: with a decimal where it would look like all or none. */
    private static String share(double share) {
        return share == 0
                ? "none"
                : share == 1
                        ? "all"
                        : share < 0.99
                                ? Figures.percentage(share)
                                : String.format(Locale.ROOT, "%.1f %%", Math.min(99.9, 100 * share));
    }

    private static String bytes(Preview preview) {
        String now = Figures.bytes(Math.round(preview.amount().bytes()));
        String then = Figures.bytes(Math.round(preview.amount().bytesAfter()));
        if (preview.amount().bytes() == 0
                || preview.amount().bytesAfter() == 0
                || preview.amount().share() == 0) {
            return now + ", as before";
        }
        double ratio = preview.amount().bytes() / preview.amount().bytesAfter();
        return now + " now, " + then + " then: " + Figures.ratio(Math.max(ratio, 1 / ratio)) + " times "
                + (ratio < 1 ? "larger" : "smaller");
    }

    private static String disk(Preview preview) {
        String now = Figures.bytes(preview.amount().tableBytes());
        String then = Figures.bytes(Math.round(preview.amount().tableBytesAfter()));
        return preview.subject().isCopy()
                ? now + " now, about " + then + " after --finish; both until then"
                : now + " as before, about " + then + " when the table is rebuilt";
    }

    /** {@code 12 s}, {@code 4 min}, {@code 3 h}. */
    private static String about(double seconds) {
        return seconds < 100
                ? Math.round(seconds) + " s"
                : seconds < 6000 ? Math.round(seconds / 60) + " min" : Math.round(seconds / 3600) + " h";
    }

    private static String read(String codec) {
        return codec.equals("none")
                ? "values as they are"
                : codec.startsWith("mysql") ? "what COMPRESS() makes" : codec + " in the value format";
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
