package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.LinkForecast;
import dev.blobmark.analysis.ProjectedValues;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The report that fits a screen: a table for each condition, the gravest warnings and the answer, which is last because
 * a terminal scrolls. {@link ReportDocument} has the rest.
 */
final class BriefDocument {

    private static final int MOST_WARNINGS = 2;
    private static final int MOST_MISSING = 3;

    /** Columns that only the whole report has: nothing here explains them. */
    private static final Set<String> LEFT_OUT = Set.of("tier", "enc", "elapsed", "pages");

    /**
     * Columns that a narrow table leaves out, in this order; the empty head is that of bars. Never that of the metric.
     */
    private static final List<String> EXPENDABLE = List.of(
            "alloc",
            "wire",
            "srv CPU",
            "CPU",
            "ratio",
            "p50",
            "memory",
            "most on",
            "p99",
            "",
            "disk",
            "range",
            "interval");

    private BriefDocument() {}

    static Document of(Analysis report) {
        if (report.rankings().isEmpty()) {
            return ReportDocument.of(report);
        }
        List<Ranking> rankings = report.rankings().stream()
                .filter(ranking -> ranking.sizes().isEmpty())
                .toList();
        Set<String> varying = Captions.distinguishing(rankings);
        List<Block> head = new ArrayList<>();
        head.add(new Sentence(RunFacts.place(report), Tone.FACT));
        common(report, rankings, varying).ifPresent(line -> head.add(new Sentence(line, Tone.FACT)));
        head.add(new Sentence(RunFacts.extent(report), report.isWhole() ? Tone.FACT : Tone.WARNING));
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(report.manifest().study().question(), head));
        rankings.forEach(ranking -> sections.add(section(report, ranking, varying)));
        ProjectedValues.of(report).stream()
                .map(OwnValuesTable::of)
                .forEach(table -> sections.add(Section.of(table.title(), List.of(Table.compact(table.columns())))));
        List<Note> notes = notes(report);
        if (!notes.isEmpty()) {
            sections.add(Section.untitled(new Notes(notes)));
        }
        sections.add(Section.untitled(
                new Sentence(Headline.of(report), Tone.STRONG), new Sentence(more(report), Tone.FACT)));
        return new Document(sections);
    }

    /** What all conditions have in common, which the names of the rankings leave out; empty for one condition. */
    private static Optional<String> common(Analysis report, List<Ranking> rankings, Set<String> varying) {
        if (rankings.stream()
                .anyMatch(ranking ->
                        ranking.condition().only(varying::contains).byFactor().isEmpty())) {
            return Optional.empty(); // its name has all
        }
        Levels all = rankings.get(0).condition();
        boolean hasAllRows = all.find("rows").equals(Optional.of("dataset")); // the table has what the dataset gives
        Levels levels = all.only(factor ->
                !varying.contains(factor) && !factor.equals("link") && !(hasAllRows && factor.equals("rows")));
        return Optional.of(LevelWords.of(report).line(levels)).filter(line -> !line.isEmpty());
    }

    /** Where the rest is, in 80 columns. A run over several links has its answer in the rankings. */
    private static String more(Analysis report) {
        return report.manifest().links().size() == 1 && !LinkForecast.of(report).isEmpty()
                ? "--details shows more; 'report RUN --format links' forecasts other networks."
                : "--details shows all notes, columns, tiers and claims.";
    }

    private static Section section(Analysis report, Ranking ranking, Set<String> varying) {
        boolean isOnlyCondition =
                ranking.condition().only(varying::contains).byFactor().isEmpty();
        String name = isOnlyCondition
                ? Captions.of(report, ranking).get(0)
                : Captions.name(ranking, varying, LevelWords.of(report));
        return Section.of(
                name + floor(ranking),
                List.of(
                        ranking.rows().isEmpty()
                                ? new Sentence("Nothing was measured.", Tone.WARNING)
                                : table(ranking)));
    }

    private static String floor(Ranking ranking) {
        return ranking.controlJudgement().flatMap(Judgement::range).isEmpty()
                ? ""
                : "; less than " + Figures.percentage(ranking.margin().noiseFloor()) + " is noise";
    }

    /** Without the control, whose figure is the noise floor, unless it came out different. */
    private static Table table(Ranking ranking) {
        List<Row> all = ranking.rows();
        boolean isTrusted =
                ranking.controlJudgement().filter(Judgement::isCalled).isEmpty();
        List<Integer> kept = IntStream.range(0, all.size())
                .filter(i -> !isTrusted
                        || all.size() == 1
                        || !ranking.control().equals(Optional.of(all.get(i).method())))
                .boxed()
                .toList();
        Table whole = RankingTable.of(ranking);
        String metric = ranking.metric().word();
        List<Column> columns = whole.columns().stream()
                .filter(column -> column.head().equals(metric) || !LEFT_OUT.contains(column.head()))
                .map(column -> column.rows(kept))
                .toList();
        List<String> expendable = EXPENDABLE.stream()
                .filter(head -> !head.equals(metric))
                .flatMap(head -> head.isEmpty()
                        ? Stream.of(head)
                        : columns.stream()
                                .filter(column -> column.head().equals(head))
                                .map(column -> column.withUnitInHead().head()))
                .toList();
        List<Double> figures =
                kept.stream().map(i -> all.get(i).figure(ranking.metric())).toList();
        double largest = figures.stream().max(Comparator.naturalOrder()).orElse(0.0);
        return new Table(
                columns.stream().map(Column::withUnitInHead).toList(),
                kept.stream().map(whole.rows()::get).toList(),
                expendable,
                true,
                largest > 0 ? figures.stream().map(x -> x / largest).toList() : List.of());
    }

    /** Methods without a figure, with the reason, and the gravest warnings about the figures. */
    private static List<Note> notes(Analysis report) {
        List<Note> missing = report.rankings().stream()
                .flatMap(ranking -> RankingNotes.unranked(ranking).stream())
                .distinct()
                .toList();
        List<Note> notes = new ArrayList<>(missing.subList(0, Math.min(missing.size(), MOST_MISSING)));
        if (missing.size() > MOST_MISSING) {
            notes.add(new Note(
                    "–", (missing.size() - MOST_MISSING) + " more failed or are unavailable here", Tone.WARNING));
        }
        Warnings.ofFigures(report).stream()
                .filter(note -> note.tone() == Tone.ALARM || note.tone() == Tone.WARNING)
                .sorted(Comparator.comparing(note -> note.tone() != Tone.ALARM))
                .limit(MOST_WARNINGS)
                .forEach(notes::add);
        return notes;
    }
}
