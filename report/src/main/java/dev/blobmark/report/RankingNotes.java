package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Flagged;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Ranking.Unranked;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.report.Figures.TimeUnit;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Bimodality;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;

/** Observations about a ranking that its figures do not show. */
final class RankingNotes {

    static final String NO_CONTROL =
            "Noise floor unknown: 'blobmark run' with --control adds a twin of the baseline, and"
                    + " the difference between the two shows how far apart identical methods come out on this machine.";

    /** Up to this share of figures without a counterpart is not mentioned. */
    private static final double MOST_UNMATCHED = 0.1;

    private RankingNotes() {}

    static List<Note> of(Ranking ranking) {
        List<Note> notes = new ArrayList<>();
        floor(ranking).ifPresent(notes::add);
        if (ranking.sizes().isPresent()) {
            return notes; // the other notes are below the ranking of all sizes
        }
        notes.addAll(response(ranking));
        notes.addAll(sqlNodes(ranking));
        notes.addAll(reasons(
                ranking,
                RankingTable.UNSTEADY.strip(),
                "not steady",
                row -> row.doubts().unsteady()));
        notes.addAll(
                reasons(ranking, "!", "rate not reached", row -> row.doubts().saturated()));
        notes.addAll(levels(ranking));
        notes.addAll(flags(ranking));
        notes.addAll(lost(ranking));
        notes.addAll(unranked(ranking));
        return notes;
    }

    /** The result of the control; empty without a control. */
    private static Optional<Note> floor(Ranking ranking) {
        if (ranking.control().isEmpty()) {
            return Optional.empty();
        }
        Optional<Judgement> control = ranking.controlJudgement();
        if (control.isEmpty()) {
            return Optional.of(new Note(
                    "±", "noise floor unknown: the control was not measured; nothing is called equal", Tone.FACT));
        }
        Judgement twin = control.get();
        if (twin.effect().interval() instanceof Interval.None none) {
            return Optional.of(new Note(
                    "±",
                    "noise floor unknown: the control has no interval (" + none.reason() + "); nothing is called equal",
                    Tone.FACT));
        }
        String floor = Figures.plusMinus(ranking.margin().noiseFloor());
        if (twin.isCalled()) {
            return Optional.of(new Note(
                    "!",
                    "THE INTERVALS DO NOT HOLD HERE: the control, a twin of " + ranking.baseline() + ", came out "
                            + RankingTable.word(twin.verdict(), ranking.metric()) + ", " + Figures.times(twin.effect())
                            + ". Something other than the methods differs between their rounds. Trust no verdict of"
                            + " this table that is not far beyond " + floor + "; run again with more forks on a quieter"
                            + " machine",
                    Tone.ALARM));
        }
        return Optional.of(new Note(
                "±",
                "noise floor " + floor + ": the control, a twin of " + ranking.baseline() + ", lies within that; "
                        + (ranking.margin().allowsEqual()
                                ? "smaller differences are not called"
                                : "nothing is called equal"),
                Tone.FACT));
    }

    /** A note for each reason. */
    private static List<Note> reasons(Ranking ranking, String mark, String what, Function<Row, List<String>> reasons) {
        Map<String, List<Row>> byReason = ranking.rows().stream()
                .filter(row -> !reasons.apply(row).isEmpty())
                .collect(groupingBy(row -> oneLine(reasons.apply(row).get(0)), LinkedHashMap::new, toList()));
        return byReason.entrySet().stream()
                .map(reason -> new Note(
                        mark,
                        what + ": "
                                + inRounds(
                                        reason.getValue(),
                                        row -> reasons.apply(row).size()) + ": " + reason.getKey(),
                        Tone.WARNING))
                .toList();
    }

    /** Response times of an open loop. */
    private static List<Note> response(Ranking ranking) {
        return ranking.rows().stream()
                .filter(row -> row.percentiles().containsKey(Metric.RESPONSE_P50))
                .map(row -> new Note(
                        "·",
                        "response time of " + row.method() + ", from the intended start: p50 "
                                + time(row.figure(Metric.RESPONSE_P50)) + ", p99 "
                                + time(row.figure(Metric.RESPONSE_P99)) + ", p99.9 "
                                + time(row.figure(Metric.RESPONSE_P999)),
                        Tone.FACT))
                .toList();
    }

    /** The rates over the SQL nodes of a cluster with several nodes. */
    private static List<Note> sqlNodes(Ranking ranking) {
        List<String> rates = ranking.rows().stream()
                .filter(row -> !row.sqlNodes().isEmpty())
                .map(row -> row.method() + " "
                        + Figures.enumerate(
                                row.sqlNodes().stream().map(Figures::number).toList()))
                .toList();
        return rates.isEmpty()
                ? List.of()
                : List.of(new Note(
                        "·", "operations per second over each SQL node: " + String.join("; ", rates), Tone.FACT));
    }

    /** {@code 12.3 ms}: a time in a suitable unit. */
    static String time(double nanos) {
        TimeUnit unit = TimeUnit.forSmallest(nanos);
        return Figures.number(nanos / unit.nanos) + " " + unit.symbol;
    }

    private static List<Note> levels(Ranking ranking) {
        List<String> jumping = ranking.rows().stream()
                .filter(row -> row.headline().levels().isPresent())
                .map(row -> {
                    Bimodality.Levels levels = row.headline().levels().get().levels();
                    return row.method() + " at " + Figures.amount(ranking.metric(), levels.low()) + " and "
                            + Figures.amount(ranking.metric(), levels.high()) + " ("
                            + Figures.percent(levels.highShare()) + " of its rounds" + slower(row) + ")";
                })
                .toList();
        return jumping.isEmpty()
                ? List.of()
                : List.of(new Note(
                        "!", "two levels, which the others do not have: " + Figures.enumerate(jumping), Tone.WARNING));
    }

    /** Which forks are slow, and what takes longer in them if that is known. */
    private static String slower(Ranking.Row row) {
        SortedSet<Integer> slow = row.headline().levels().orElseThrow().slowForks();
        return slow.isEmpty()
                ? ""
                : "; " + (slow.size() == 1 ? "fork " : "forks ")
                        + Figures.enumerate(slow.stream().map(Object::toString).toList())
                        + " at the lower one throughout"
                        + row.headline()
                                .slower()
                                .map(growth -> ", " + time(growth.nanos()) + " more on "
                                        + growth.kind().word())
                                .orElse("");
    }

    private static List<Note> flags(Ranking ranking) {
        Map<String, List<Row>> byFlag = new TreeMap<>();
        ranking.rows()
                .forEach(row -> row.doubts()
                        .flags()
                        .keySet()
                        .forEach(flag -> byFlag.computeIfAbsent(flag, f -> new ArrayList<>())
                                .add(row)));
        List<Note> notes = new ArrayList<>();
        byFlag.forEach((flag, rows) -> {
            String event = rows.stream()
                    .map(row -> row.doubts().flags().get(flag))
                    .map(Flagged::event)
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .map(text -> " (" + oneLine(text) + ")")
                    .orElse("");
            notes.add(new Note(
                    "!",
                    flag + ": "
                            + inRounds(
                                    rows, row -> row.doubts().flags().get(flag).rounds()) + event + meaning(flag),
                    Tone.WARNING));
        });
        return notes;
    }

    /** What a flag means for the figures, if its event does not state it. */
    private static String meaning(String flag) {
        return flag.equals(Sample.DEGRADED)
                ? "; a node of the cluster was lost in the window or before it, so that these rounds are of the nodes that were left"
                : "";
    }

    /** Rounds that were lost to crashes, and what that means for the effects. */
    private static List<Note> lost(Ranking ranking) {
        List<Note> notes = new ArrayList<>();
        for (Row row : ranking.rows()) {
            if (!row.doubts().crashed().isEmpty()) {
                notes.add(new Note(
                        "✗",
                        row.method() + " lost " + row.doubts().crashed().size() + " of "
                                + Figures.plural(
                                        row.value().rounds()
                                                + row.doubts().crashed().size(),
                                        "round")
                                + " to a crash of its JVM: "
                                + oneLine(row.doubts().crashed().get(0)),
                        Tone.ALARM));
            }
        }
        Map<Integer, List<String>> unmatched = new TreeMap<>();
        Map<Unit, List<String>> byUnit = new TreeMap<>();
        for (Row row : ranking.rows()) {
            row.toBaseline().ifPresent(judgement -> {
                int explained = row.doubts().crashed().size()
                        + ranking.find(ranking.baseline())
                                .map(base -> base.doubts().crashed().size())
                                .orElse(0);
                if (judgement.unmatched() > explained + MOST_UNMATCHED * judgement.matched()) {
                    unmatched
                            .computeIfAbsent(judgement.unmatched(), n -> new ArrayList<>())
                            .add(row.method());
                }
                judgement
                        .range()
                        .ifPresent(range -> byUnit.computeIfAbsent(range.unit(), u -> new ArrayList<>())
                                .add(row.method()));
            });
        }
        unmatched.forEach((figures, methods) -> notes.add(new Note(
                "–",
                Figures.plural(figures, "figure") + " without counterpart left out of the effect of "
                        + Figures.enumerate(methods),
                Tone.FACT)));
        if (byUnit.size() > 1) {
            notes.add(new Note(
                    "!",
                    "only one fork is left of " + Figures.enumerate(byUnit.get(Unit.ROUND)) + ": the interval covers "
                            + Unit.ROUND.scope(),
                    Tone.WARNING));
        }
        return notes;
    }

    /** Methods that failed or are not available, with the reason. */
    static List<Note> unranked(Ranking ranking) {
        List<Note> notes = new ArrayList<>();
        for (Unranked unranked : ranking.unranked()) {
            String reason = oneLine(unranked.outcome().reason());
            notes.add(
                    unranked.outcome() instanceof Outcome.Failed
                            ? new Note(
                                    "✗",
                                    unranked.method() + " failed in " + unranked.times() + " of "
                                            + Figures.plural(unranked.rounds(), "round") + ": " + reason,
                                    Tone.ALARM)
                            : new Note("–", unranked.method() + " is unavailable here: " + reason, Tone.WARNING));
        }
        return notes;
    }

    private static String inRounds(List<Row> rows, Function<Row, Integer> rounds) {
        return rows.stream()
                .map(row -> row.method() + " in " + rounds.apply(row) + " of "
                        + Figures.plural(row.value().rounds(), "round"))
                .collect(joining(", "));
    }

    static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }
}
