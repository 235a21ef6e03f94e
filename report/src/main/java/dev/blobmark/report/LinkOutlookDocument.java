package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkOutlook;
import dev.blobmark.analysis.LinkOutlook.LinkPrediction;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Interval;
import java.util.ArrayList;
import java.util.List;

/** The methods of a run over another link, for a terminal. */
public final class LinkOutlookDocument {

    /**
     * Forecasts of a run.
     *
     * @param outlooks at least one
     */
    public record Forecasts(Analysis run, List<LinkOutlook> outlooks) {}

    private LinkOutlookDocument() {}

    static Document of(Forecasts forecasts) {
        List<Section> sections = new ArrayList<>();
        for (LinkOutlook outlook : forecasts.outlooks()) {
            String caption = Captions.of(forecasts.run(), outlook.ranking()).get(0);
            sections.add(Section.of(
                    caption + ", over " + outlook.link() + " by forecast",
                    List.of(
                            Table.compact(List.of(
                                    Column.text("method", outlook.predictions(), LinkPrediction::method),
                                    Column.number(
                                            "fetch µs",
                                            "",
                                            outlook.predictions(),
                                            row -> Figures.number(row.nanos() / 1e3)),
                                    Column.text("90 % interval", outlook.predictions(), LinkOutlookDocument::interval),
                                    Column.number(
                                            "measured here",
                                            "",
                                            outlook.predictions(),
                                            row -> Figures.number(row.measuredNanos() / 1e3)))),
                            lead(outlook))));
        }
        sections.add(Section.untitled(new Sentence(
                "Nothing was measured for this. The interval is that of the forks; an emulated link shows how right the"
                        + " forecast is: run --set link=...",
                Tone.FACT)));
        return new Document(sections);
    }

    private static String interval(LinkPrediction prediction) {
        return prediction.interval() instanceof Interval.Range range
                ? Figures.range(range.low() / 1e3, range.high() / 1e3)
                : "one fork";
    }

    private static Sentence lead(LinkOutlook outlook) {
        LinkPrediction first = outlook.predictions().get(0);
        LinkPrediction here = outlook.predictions().stream()
                .min((one, other) -> Double.compare(one.measuredNanos(), other.measuredNanos()))
                .orElseThrow();
        return new Sentence(
                first.method().equals(here.method())
                        ? first.method() + " stays the fastest."
                        : first.method() + " would be the fastest, instead of " + here.method() + ".",
                Tone.STRONG);
    }
}
