package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What weakens all figures of a run. */
final class Warnings {

    private Warnings() {}

    static List<Note> of(Analysis report) {
        List<Note> warnings = new ArrayList<>();
        if (!report.isWhole()) {
            warnings.add(new Note("!", "Not whole: " + RunFacts.of(report).get("Samples"), Tone.ALARM));
        }
        counted(report, Outcome.Failed.class, "failed", Tone.ALARM, warnings);
        counted(report, Outcome.Unavailable.class, "unavailable here", Tone.FACT, warnings);
        warnings.addAll(ofFigures(report));
        return warnings;
    }

    /** Those about figures that were measured: without methods and samples that are missing. */
    static List<Note> ofFigures(Analysis report) {
        Manifest manifest = report.manifest();
        List<Note> warnings = new ArrayList<>();
        report.damage().forEach(file -> warnings.add(new Note("!", file, Tone.ALARM)));
        limited(report).ifPresent(warnings::add);
        counted(report, Outcome.Unsteady.class, "not steady when their warm-up ended", Tone.WARNING, warnings);
        counted(report, Outcome.Saturated.class, "not at the rate asked for", Tone.WARNING, warnings);
        rankings(
                report,
                ranking ->
                        ranking.controlJudgement().filter(Judgement::isCalled).isPresent(),
                "the intervals do not hold: the control, a twin of "
                        + manifest.study().baseline() + ", came out different",
                Tone.ALARM,
                warnings);
        rankings(
                report,
                ranking -> !ranking.margin().allowsEqual(),
                "two measurements of " + manifest.study().baseline()
                        + " differ so much (the noise floor) that nothing is called equal",
                Tone.WARNING,
                warnings);
        manifest.servers().values().stream()
                .filter(server -> server.isEmbedded() && server.speaksSql() && !server.isMySql())
                .findFirst()
                .ifPresent(server -> warnings.add(new Note(
                        "!",
                        Captions.server(server)
                                + " is an embedded stand-in, not MySQL: run the study with --server on yours"
                                + " before you decide",
                        Tone.WARNING)));
        manifest.machine()
                .quiet()
                .warnings()
                .forEach(finding -> warnings.add(
                        new Note("!", "noise: " + finding.what() + ": " + finding.observed(), Tone.WARNING)));
        report.undecided().ifPresent(undecided -> warnings.add(new Note("·", Captions.words(undecided), Tone.FACT)));
        if (report.floorIsUnknown()) {
            warnings.add(new Note("±", RankingNotes.NO_CONTROL, Tone.FACT));
        }
        return warnings;
    }

    /** One warning for all rankings that match. */
    private static void rankings(
            Analysis report, Predicate<Ranking> which, String what, Tone tone, List<Note> warnings) {
        long matching = report.rankings().stream().filter(which).count();
        if (matching > 0) {
            warnings.add(new Note(
                    "!",
                    "under " + matching + " of "
                            + Figures.plural(report.rankings().size(), "condition") + " " + what,
                    tone));
        }
    }

    /** Figures that say little about the server. */
    private static Optional<Note> limited(Analysis report) {
        List<Sample> samples = report.samples().stream()
                .filter(sample -> sample.flags().contains(Sample.CLIENT_LIMITED))
                .toList();
        return samples.isEmpty()
                ? Optional.empty()
                : Optional.of(new Note(
                        "!",
                        Figures.plural(samples.size(), "sample")
                                + " limited by clients, not by the server; verdicts on such methods are withheld",
                        Tone.ALARM));
    }

    private static void counted(
            Analysis report, Class<? extends Outcome> outcome, String words, Tone tone, List<Note> warnings) {
        List<Sample> samples = report.samples().stream()
                .filter(sample -> outcome.isInstance(sample.outcome()))
                .toList();
        if (!samples.isEmpty()) {
            warnings.add(new Note(
                    outcome == Outcome.Failed.class ? "✗" : outcome == Outcome.Unavailable.class ? "–" : "~",
                    Figures.plural(samples.size(), "sample") + " " + words + ", of "
                            + Figures.enumerate(samples.stream()
                                    .map(Sample::method)
                                    .distinct()
                                    .toList()),
                    tone));
        }
    }
}
