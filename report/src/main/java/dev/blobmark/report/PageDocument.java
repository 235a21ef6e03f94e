package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Chart;
import dev.blobmark.report.document.Block.Detail;
import dev.blobmark.report.document.Block.Folded;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The text of a run in the page: that of the other forms, with what only a page has room for. */
final class PageDocument {

    /** Further rankings are folded: their answers are visible. */
    private static final int MOST_OPEN = 8;

    private PageDocument() {}

    static PageText of(Analysis report) {
        Manifest manifest = report.manifest();
        return new PageText(
                manifest.study().question(),
                Headline.of(report),
                RunFacts.setting(report),
                new Document(List.of(Section.of("", glance(report)))),
                new Document(answer(report)),
                ClaimTables.section(report.claims(), LevelWords.of(report))
                        .map(section -> new Document(List.of(section))),
                EvidenceDocument.of(report));
    }

    private static List<Block> glance(Analysis report) {
        Optional<Ranking> shown = Headline.shown(report);
        Set<String> varying = Captions.distinguishing(report.rankings());
        LevelWords words = LevelWords.of(report);
        List<Ranking> concluding = report.concluding();
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < report.rankings().size(); i++) {
            Ranking ranking = report.rankings().get(i);
            if (ranking.best().isPresent() && concluding.contains(ranking)) {
                blocks.add(DecidingFigures.of(
                        i,
                        ranking,
                        Captions.name(ranking, varying, words),
                        shown.filter(ranking::equals).isPresent()));
            }
        }
        blocks.addAll(OverviewTable.of(report));
        blocks.add(new Chart());
        return blocks;
    }

    private static List<Section> answer(Analysis report) {
        List<Section> sections = new ArrayList<>();
        List<Note> warnings = Warnings.of(report);
        if (!warnings.isEmpty()) {
            sections.add(Section.of("Before you decide", List.of(new Notes(warnings))));
        }
        List<Section> rankings = ReportDocument.rankings(report);
        List<String> answers = Answer.all(report);
        for (int i = 0; i < rankings.size(); i++) {
            Ranking ranking = report.rankings().get(i);
            List<Block> blocks = new ArrayList<>(rankings.get(i).blocks());
            if (i == 0) {
                Captions.terms(ranking).ifPresent(terms -> blocks.add(new Detail(terms, Tone.FACT)));
            }
            blocks.addAll(costs(ranking, report));
            boolean isOpen = ranking.sizes().isEmpty() && i < MOST_OPEN;
            sections.add(
                    isOpen
                            ? Section.of(rankings.get(i).title(), blocks)
                            : Section.untitled(new Folded(answers.get(i), blocks)));
        }
        if (rankings.isEmpty()) {
            sections.add(Section.untitled(new Sentence("No trial has been measured yet.", Tone.PLAIN)));
        }
        SideTable.of(report).forEach(table -> sections.add(table.section()));
        List<Block> measuredOn = new ArrayList<>(ReportDocument.facts(report));
        measuredOn.add(
                new Folded("How to read the figures", List.of(new Sentence(Captions.legend(report), Tone.PLAIN))));
        sections.add(Section.of("Measured on", measuredOn));
        return sections;
    }

    private static List<Block> costs(Ranking ranking, Analysis report) {
        List<String> costs = CostText.of(ranking, report.manifest().study());
        return costs.isEmpty()
                ? List.of()
                : List.of(
                        new Detail("What " + ranking.best().orElseThrow().method() + " gives up:", Tone.PLAIN),
                        new Notes(costs.stream()
                                .map(cost -> new Note("•", cost, Tone.PLAIN))
                                .collect(Collectors.toList())));
    }
}
