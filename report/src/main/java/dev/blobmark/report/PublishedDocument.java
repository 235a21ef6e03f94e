package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Published;
import dev.blobmark.analysis.Published.PublishedMethod;
import dev.blobmark.report.document.Block.Detail;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Published figures of a study next to those of a run. */
final class PublishedDocument {

    private static final String RATIOS_ONLY = "x";

    private PublishedDocument() {}

    static Document of(Analysis run) {
        List<Section> sections = new ArrayList<>();
        for (Published published : Published.of(run)) {
            sections.add(Section.of(
                    published.title() + ": here " + LevelWords.of(run).line(published.condition()),
                    List.of(Table.of(columns(published)))));
        }
        if (sections.isEmpty()) {
            sections.add(Section.untitled(new Sentence(
                    "No figure was published for what this run has measured. The profile published of a study has the conditions of"
                            + " its source.",
                    Tone.PLAIN)));
        } else {
            sections.add(Section.untitled(new Detail(
                    "to base: the ratio to the base of the source, which has 1; ours with its interval, over rounds or forks. Figures that"
                            + " were read from charts have an error of 5 %; of a range such as 15 to 20 %, its middle is shown. as published: our"
                            + " interval has the published ratio, within the error of both figures or the range. Only ratios can be compared: the machines differ.",
                    Tone.FACT)));
        }
        return new Document(sections);
    }

    private static List<Column> columns(Published published) {
        boolean hasFigures = unit(published).isPresent();
        String unit = unit(published).orElse("op/s");
        List<PublishedMethod> rows = published.rows();
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", rows, PublishedMethod::method));
        if (hasFigures) {
            columns.add(Column.number("published", unit, rows, row -> Figures.number(row.published())));
        }
        columns.add(Column.number("ours", unit, rows, row -> number(row.ours())));
        columns.add(Column.number(
                "published to base",
                "",
                rows,
                row -> row.ratio().isPresent() ? Figures.ratio(row.ratio().getAsDouble()) + " ×" : ""));
        columns.add(Column.text(
                "ours to base", rows, row -> row.effect().map(Figures::times).orElse("")));
        columns.add(Column.text("", rows, row -> word(row, published.base())));
        return columns;
    }

    /** Empty if only ratios were published. */
    static Optional<String> unit(Published published) {
        return published.unit().equals(RATIOS_ONLY)
                ? Optional.empty()
                : Optional.of(published.unit().replace("us", "µs"));
    }

    /** How our figure of a method compares with the published one. */
    static String word(PublishedMethod row, String base) {
        if (row.method().equals(base)) {
            return "base";
        }
        return switch (row.likeness()) {
            case ALIKE -> "as published";
            case HIGHER -> "higher";
            case LOWER -> "lower";
            case UNKNOWN -> row.ours().isPresent() ? "no interval" : "not measured";
        };
    }

    private static String number(OptionalDouble figure) {
        return figure.isPresent() ? Figures.number(figure.getAsDouble()) : "";
    }
}
