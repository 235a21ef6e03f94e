package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Conclusion;
import dev.blobmark.report.document.Block.Detail;
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

/** The report of a run: facts, a section for each ranking, the tables behind the rankings, and the claims. */
final class ReportDocument {

    private ReportDocument() {}

    static Document of(Analysis report) {
        List<Section> sections = new ArrayList<>();
        Conclusion headline = new Conclusion(
                List.of(new Sentence(Headline.of(report), Tone.STRONG)),
                !report.rankings().isEmpty());
        List<Block> head = new ArrayList<>(List.of(headline));
        head.addAll(facts(report));
        sections.add(Section.of(report.manifest().study().question(), head));
        if (report.rankings().isEmpty()) {
            sections.add(Section.untitled(new Sentence("No trial has been measured yet.", Tone.PLAIN)));
            return new Document(sections);
        }
        sections.addAll(rankings(report));
        SideTable.of(report).forEach(table -> sections.add(table.section()));
        Sentence legend = new Sentence(Captions.legend(report), Tone.FACT);
        sections.add(
                report.floorIsUnknown()
                        ? Section.untitled(legend, new Sentence(RankingNotes.NO_CONTROL, Tone.WARNING))
                        : Section.untitled(legend));
        ClaimTables.section(report.claims(), LevelWords.of(report)).ifPresent(sections::add);
        report.undecided()
                .map(undecided -> new Sentence(Captions.words(undecided), Tone.PLAIN))
                .ifPresent(open -> sections.add(Section.untitled(new Conclusion(List.of(open), true))));
        return new Document(sections);
    }

    /** A section for each ranking. */
    static List<Section> rankings(Analysis report) {
        List<Section> sections = new ArrayList<>();
        List<String> answers = Answer.all(report);
        List<Ranking> concluding = report.concluding();
        for (int i = 0; i < answers.size(); i++) {
            Ranking ranking = report.rankings().get(i);
            sections.add(section(report, ranking, conclusion(ranking, answers.get(i), concluding.contains(ranking))));
        }
        return sections;
    }

    /** What was measured on, and the command that measures it again. */
    static List<Block> facts(Analysis report) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Facts(RunFacts.of(report).entrySet().stream()
                .map(fact -> new Fact(
                        fact.getKey(),
                        fact.getValue(),
                        fact.getKey().equals("Samples") && !report.isWhole() ? Tone.WARNING : Tone.PLAIN))
                .toList()));
        RunFacts.reproduction(report)
                .ifPresent(command -> blocks.add(new Sentence("Reproduce with: " + command, Tone.FACT)));
        return blocks;
    }

    private static Conclusion conclusion(Ranking ranking, String answer, boolean isLast) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Sentence(answer, Tone.STRONG));
        TierText.of(ranking).ifPresent(tiers -> blocks.add(new Detail(tiers, Tone.PLAIN)));
        return new Conclusion(blocks, isLast);
    }

    private static Section section(Analysis report, Ranking ranking, Conclusion conclusion) {
        List<String> caption = Captions.of(report, ranking);
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Sentence(caption.get(1), Tone.FACT));
        blocks.add(conclusion);
        if (!ranking.rows().isEmpty()) {
            blocks.add(RankingTable.of(ranking));
        }
        List<Note> notes = RankingNotes.of(ranking);
        if (!notes.isEmpty()) {
            blocks.add(new Notes(notes));
        }
        return Section.of(caption.get(0), blocks);
    }
}
