package dev.blobmark.report;

import dev.blobmark.advice.WhatIf;
import dev.blobmark.advice.WhatIf.Prediction;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.List;
import java.util.stream.Stream;

/** A forecast for a terminal. */
final class WhatIfDocument {

    private static final int MOST_ROWS = 8;

    private WhatIfDocument() {}

    static Document of(WhatIf whatIf) {
        String values = whatIf.size().map(size -> "values of " + size + " of ").orElse("")
                + whatIf.advice().question().dataset();
        boolean isSame =
                whatIf.recommended().equals(whatIf.advice().recommended().id());
        List<Prediction> rows = Stream.concat(
                        whatIf.predictions().stream().limit(MOST_ROWS),
                        whatIf.predictions().stream()
                                .skip(MOST_ROWS)
                                .filter(row -> row.entry().id().equals(whatIf.recommended())
                                        || row.entry().candidate().isAsIs()))
                .toList();
        return new Document(List.of(
                Section.of(
                        values + " over " + whatIf.link() + ", "
                                + AdviceWords.threads(whatIf.advice().question(), whatIf.threads()) + ", by forecast",
                        List.of(Table.compact(List.of(
                                Column.text("candidate", rows, row -> AdviceWords.of(row.entry())),
                                Column.number("read µs", "", rows, row -> Figures.number(row.nanos() / 1e3)),
                                Column.number(
                                        "90 % interval",
                                        "", rows, row -> Figures.range(row.low() / 1e3, row.high() / 1e3)),
                                Column.text(
                                        "here",
                                        rows,
                                        row -> row.wasRaced()
                                                ? Figures.number(row.entry().readNanos() / 1e3) + " µs measured"
                                                : "by forecast"))))),
                Section.untitled(
                        new Sentence(
                                (isSame ? "The advice stays: " : "The advice would be: ")
                                        + AdviceWords.of(whatIf.advice()
                                                .find(whatIf.recommended())
                                                .orElseThrow())
                                        + (isSame
                                                ? "."
                                                : " instead of "
                                                        + AdviceWords.of(
                                                                whatIf.advice().recommended()) + "."),
                                Tone.STRONG),
                        new Sentence("Nothing was measured for this. 'here' is the load of the advice.", Tone.FACT))));
    }
}
