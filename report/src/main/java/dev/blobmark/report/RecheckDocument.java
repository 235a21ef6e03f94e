package dev.blobmark.report;

import dev.blobmark.advice.Recheck;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;

/** The check of an advice for a terminal. */
final class RecheckDocument {

    private RecheckDocument() {}

    static Document of(Recheck check) {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(
                "The advice of " + Figures.minute(check.advice().origin().time()) + " for "
                        + check.advice().question().dataset(),
                check.entries().isEmpty() ? List.of() : List.of(AdviceTable.of(check.entries()))));
        String recommended = AdviceWords.of(check.advice().recommended());
        sections.add(Section.untitled(
                check.holds()
                        ? new Sentence("It holds: " + recommended + ".", Tone.STRONG)
                        : new Sentence("It does not hold any more: " + recommended + ".", Tone.ALARM),
                new Notes(check.failures().stream()
                        .map(failure -> new Note("✗", failure, Tone.ALARM))
                        .toList())));
        return new Document(sections);
    }
}
