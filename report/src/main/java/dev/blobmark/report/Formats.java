package dev.blobmark.report;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceFile;
import dev.blobmark.advice.Recheck;
import dev.blobmark.advice.WhatIf;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.analysis.survey.WholeColumnFinding;
import dev.blobmark.lab.run.RunJson;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.column.Census;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.MarkdownWriter;
import dev.blobmark.report.document.TextWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The forms of all that is shown. {@code docs/adding-a-report-format.md} describes how to add one. */
public record Formats<T>(List<Format<T>> all) {

    public static final Format<Analysis> TABLE = text("table", BriefDocument::of);

    /** The whole report for a terminal, by an option. */
    public static final Format<Analysis> DETAILS = text("table", ReportDocument::of);

    public static final Format<Analysis> HTML = new Format<>(
            "html",
            "a page with charts",
            (report, style, out) -> Page.of(report).write(out));

    public static final Formats<Analysis> OF_REPORT = new Formats<>(List.of(
            TABLE,
            markdown(ReportDocument::of),
            new Format<>("csv", "all samples", (report, style, out) -> CsvTable.write(report, out)),
            new Format<>("json", "rankings", (report, style, out) -> JsonRankings.write(report, out)),
            HTML,
            new Format<>("jmh", "JSON of JMH", (report, style, out) -> JmhJson.write(report, out)),
            new Format<>("prometheus", "gauges", (report, style, out) -> PrometheusText.write(report, out)),
            text("links", LinkDocument::of),
            text("latency", LatencyDocument::of),
            text("published", PublishedDocument::of),
            new Format<>("claims", "CSV", (report, style, out) -> ClaimTables.csv(report.claims(), out))));

    public static final Formats<Comparison> OF_COMPARISON = new Formats<>(List.of(
            text("table", ComparisonDocument::of),
            markdown(ComparisonDocument::of),
            new Format<>("json", "", (comparison, style, out) -> ComparisonJson.write(comparison, out))));

    public static final Formats<SurveyFindings> OF_SURVEY = new Formats<>(List.of(
            text("table", SurveyDocument::of),
            markdown(SurveyDocument::of),
            new Format<>("csv", "a row for each column", (survey, style, out) -> SurveyRows.csv(survey, out)),
            new Format<>("json", "", (survey, style, out) -> SurveyRows.json(survey, out))));

    public static final Formats<WholeColumnFinding> OF_WHOLE_COLUMN = new Formats<>(List.of(
            text("table", WholeColumnDocument::of),
            markdown(WholeColumnDocument::of),
            new Format<>(
                    "json",
                    "",
                    (finding, style, out) -> out.append(RunJson.MAPPER.writeValueAsString(finding))
                            .append('\n'))));

    public static final Formats<Census> OF_CENSUS = new Formats<>(List.of(
            text("table", CensusDocument::of),
            markdown(CensusDocument::of),
            new Format<>(
                    "json",
                    "",
                    (census, style, out) -> out.append(RunJson.MAPPER.writeValueAsString(census))
                            .append('\n'))));

    public static final Formats<Advice> OF_ADVICE = new Formats<>(List.of(
            text("table", AdviceDocument::of),
            markdown(AdviceDocument::of),
            new Format<>("json", "", (advice, style, out) -> out.append(AdviceFile.text(advice)))));

    public static final Format<Recheck> OF_RECHECK = text("table", RecheckDocument::of);

    public static final Formats<WhatIf> OF_WHAT_IF = new Formats<>(List.of(
            text("table", WhatIfDocument::of),
            markdown(WhatIfDocument::of),
            new Format<>("json", "", (whatIf, style, out) -> out.append(WhatIfJson.of(whatIf)))));

    public static final Formats<LinkOutlookDocument.Forecasts> OF_LINK_OUTLOOK = new Formats<>(List.of(
            text("table", LinkOutlookDocument::of),
            markdown(LinkOutlookDocument::of),
            new Format<>("json", "", (forecasts, style, out) -> out.append(WhatIfJson.of(forecasts)))));

    public static final Formats<Preview> OF_PREVIEW = new Formats<>(List.of(
            text("table", ReencodeDocument::of),
            markdown(ReencodeDocument::of),
            new Format<>(
                    "json",
                    "a line for each event",
                    (preview, style, out) -> out.append(RunJson.MAPPER.writeValueAsString(Map.of("preview", preview)))
                            .append('\n'))));

    public Formats {
        all = List.copyOf(all);
    }

    private static <T> Format<T> text(String word, Function<T, Document> document) {
        return new Format<>(
                word, "", (reported, style, out) -> out.append(TextWriter.write(document.apply(reported), style)));
    }

    private static <T> Format<T> markdown(Function<T, Document> document) {
        return new Format<>(
                "markdown", "", (reported, style, out) -> out.append(MarkdownWriter.write(document.apply(reported))));
    }

    public Optional<Format<T>> find(String word) {
        return all.stream().filter(format -> format.word().equals(word)).findFirst();
    }

    public String words() {
        return all.stream().map(Format::word).collect(Collectors.joining(", "));
    }

    /** Words with their contents: {@code csv (all samples)}. */
    public List<String> help() {
        return all.stream()
                .map(format -> format.word() + (format.contents().isEmpty() ? "" : " (" + format.contents() + ")"))
                .toList();
    }
}
