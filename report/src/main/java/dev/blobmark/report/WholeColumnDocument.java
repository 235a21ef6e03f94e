package dev.blobmark.report;

import dev.blobmark.analysis.survey.WholeColumnFinding;
import dev.blobmark.lab.probe.CodecFigures;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What compressing a column would save, for people. */
final class WholeColumnDocument {

    private WholeColumnDocument() {}

    static Document of(WholeColumnFinding finding) {
        List<Section> sections = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Facts(facts(finding)));
        if (!finding.codecs().isEmpty()) {
            blocks.add(table(finding.codecs()));
            blocks.add(new Sentence(
                    "smaller: bytes of all values ÷ those with the codec, with an interval of 90 %. encode, decode: by one"
                            + " thread of this machine. Totals are exact; codecs were measured on a sample of each size.",
                    Tone.FACT));
        }
        sections.add(Section.of(finding.name(), blocks));
        return new Document(sections);
    }

    private static List<Fact> facts(WholeColumnFinding finding) {
        List<Fact> facts = new ArrayList<>();
        long rows = finding.rows();
        facts.add(fact(
                "values",
                Figures.plural(rows, "value") + ", " + Figures.bytes(finding.bytes())
                        + (finding.missing() > 0
                                ? "; " + Figures.plural(finding.missing(), "row") + " without a value"
                                : "")));
        if (rows == 0) {
            return facts;
        }
        facts.add(fact(
                "sizes",
                Figures.bytes(finding.bytes() / rows) + " on average, longest " + Figures.bytes(finding.longest())
                        + "; "
                        + finding.classes().entrySet().stream()
                                .map(of -> of.getKey() + ": "
                                        + Figures.percent((double) of.getValue().rows() / rows))
                                .collect(Collectors.joining(", "))));
        if (finding.unread() > 0) {
            facts.add(fact(
                    "not read",
                    Figures.plural(finding.unread(), "value") + " longer than 16 MB, or than the server sends"));
        }
        facts.add(fact(
                "distinct",
                "about " + Figures.count(Math.min(rows, Math.round(finding.distinct()))) + " different ones"));
        finding.kinds().entrySet().stream()
                .max(Comparator.comparing(Map.Entry::getValue))
                .ifPresent(
                        kind -> facts.add(fact("kind", "mostly " + kind.getKey().word())));
        return facts;
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.FACT);
    }

    private static Table table(List<CodecFigures> codecs) {
        return Table.compact(List.of(
                Column.text("codec", codecs, CodecFigures::codec),
                Column.number("smaller", "×", codecs, of -> Figures.ratio(of.ratio())),
                Column.text(
                        "90 %",
                        codecs,
                        of -> Figures.ratio(of.ratioInterval().get(0)) + "–"
                                + Figures.ratio(of.ratioInterval().get(1))),
                Column.number("encode", "MB/s", codecs, of -> speed(of, of.encodeNanos())),
                Column.number("decode", "MB/s", codecs, of -> speed(of, of.decodeNanos()))));
    }

    private static String speed(CodecFigures of, double nanos) {
        return nanos > 0 ? Figures.number(1e3 * of.rawBytes() / nanos) : "";
    }
}
