package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The answer to a study's question in one line of plain words. All forms of a report that people read begin with it. It
 * has no figures: they follow under each condition.
 */
final class Headline {

    /** With more results, more conditions, or without a clear result, conditions are counted. */
    private static final int MOST_RESULTS = 3;

    private static final int MOST_CONDITIONS = 6;

    /** Longer ties are counted. */
    private static final int MOST_NAMES = 4;

    private enum ResultKind {
        /** Every other method is slower. */
        ALONE,
        /** The smallest of those shown to be equal. */
        SMALLEST,
        /** Shown to be equal to the leader. */
        TIED,
        /** Neither a difference nor equality was shown. */
        UNDECIDED,
        /** Nothing was compared with it, or only in one round. */
        UNSURE
    }

    /** @param methods one, except for those that are tied or undecided */
    private record HeadlineResult(ResultKind kind, Set<String> methods) {

        static HeadlineResult of(Ranking ranking) {
            String method = Answer.recommended(ranking).orElseThrow().method();
            if (ranking.best().orElseThrow().value().rounds() == 1
                    || ranking.toBest().isEmpty()) {
                return new HeadlineResult(ResultKind.UNSURE, Set.of(method));
            }
            if (ranking.rivals().isEmpty()) {
                return new HeadlineResult(ResultKind.ALONE, Set.of(method));
            }
            if (Answer.isSmallestOfEqual(ranking)) {
                return new HeadlineResult(ResultKind.SMALLEST, Set.of(method));
            }
            Set<String> tied = new TreeSet<>(ranking.rivals());
            tied.add(method);
            return new HeadlineResult(Answer.isTied(ranking) ? ResultKind.TIED : ResultKind.UNDECIDED, tied);
        }

        boolean isClear() {
            return kind != ResultKind.TIED && kind != ResultKind.UNDECIDED;
        }
    }

    private final List<Ranking> rankings;
    private final Set<String> varying;
    private final LevelWords levels;

    private Headline(List<Ranking> rankings, LevelWords levels) {
        this.rankings = rankings;
        this.levels = levels;
        varying = Answer.varying(rankings.stream().map(Ranking::condition).toList());
    }

    static String of(Analysis report) {
        List<Ranking> rankings = concluding(report);
        return rankings.isEmpty()
                ? "Nothing has been measured yet."
                : new Headline(rankings, LevelWords.of(report)).text();
    }

    /**
     * The ranking that a summary shows first: the first with a clear winner, or the last of all; empty if nothing was
     * measured.
     */
    static Optional<Ranking> shown(Analysis report) {
        List<Ranking> rankings = concluding(report);
        return rankings.stream()
                .filter(ranking -> HeadlineResult.of(ranking).isClear())
                .findFirst()
                .or(() -> rankings.stream().reduce((one, other) -> other));
    }

    /** The rankings of whole conditions, of the first type of operation that was measured. */
    private static List<Ranking> concluding(Analysis report) {
        List<Ranking> ranked = report.concluding().stream()
                .filter(ranking -> ranking.sizes().isEmpty() && ranking.best().isPresent())
                .toList();
        return ranked.stream()
                .filter(ranking -> ranking.operation().equals(ranked.get(0).operation()))
                .toList();
    }

    private String text() {
        Map<HeadlineResult, List<Ranking>> results = rankings.stream()
                .collect(Collectors.groupingBy(HeadlineResult::of, LinkedHashMap::new, Collectors.toList()));
        boolean isOpen = results.keySet().stream().noneMatch(HeadlineResult::isClear);
        if (results.size() > 1 && (isOpen || results.size() > MOST_RESULTS || rankings.size() > MOST_CONDITIONS)) {
            return counted();
        }
        List<String> parts = new ArrayList<>();
        results.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<HeadlineResult, List<Ranking>> result) ->
                        !result.getKey().isClear()))
                .forEach(result -> parts.add(sentence(result.getKey(), result.getValue(), !parts.isEmpty())));
        String text = String.join("; ", parts) + ".";
        return isOpen ? "No clear winner: " + text : text;
    }

    private String sentence(HeadlineResult result, List<Ranking> under, boolean isLater) {
        String place = place(under);
        String methods = named(result.methods());
        if (result.isClear()) {
            String comma = result.kind() == ResultKind.SMALLEST ? "," : "";
            return methods + verb(result.kind()) + (place.isEmpty() ? "" : comma + " " + place);
        }
        String tied =
                methods + (result.kind() == ResultKind.TIED ? " are tied" : " cannot be distinguished") + operation();
        return place.isEmpty() ? tied : isLater ? place + ", " + tied : tied + " " + place;
    }

    /**
     * {@code zstd is fastest under 7 of 13 conditions, lz4 under 2; under 4 several methods cannot be distinguished}.
     */
    private String counted() {
        Map<String, Long> wins = rankings.stream()
                .map(HeadlineResult::of)
                .filter(HeadlineResult::isClear)
                .map(result -> result.methods().iterator().next())
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        String all = Figures.plural(rankings.size(), "condition");
        if (wins.isEmpty()) {
            return "No clear winner: several methods cannot be distinguished" + operation() + " under each of " + all
                    + ".";
        }
        List<String> parts = new ArrayList<>();
        wins.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(MOST_RESULTS)
                .forEach(win -> parts.add(win.getKey() + (parts.isEmpty() ? verb(ResultKind.ALONE) : "") + " under "
                        + win.getValue() + (parts.isEmpty() ? " of " + all : "")));
        long open = rankings.size()
                - wins.values().stream().mapToLong(Long::longValue).sum();
        return String.join(", ", parts)
                + (open == 0 ? "" : "; under " + open + " several methods cannot be distinguished") + ".";
    }

    private static String named(Set<String> methods) {
        return methods.size() > MOST_NAMES
                ? methods.size() + " methods"
                : Figures.enumerate(methods.stream().sorted().toList());
    }

    private String verb(ResultKind kind) {
        Metric metric = rankings.get(0).metric();
        boolean isSpeed = RankingTable.isSpeed(metric);
        return switch (kind) {
            case SMALLEST -> (isSpeed ? " is as fast as any" : " is as good as any") + operation() + ", and smallest";
            case UNSURE ->
                rankings.get(0).toBest().isEmpty() ? " is the only method measured" : " was ahead in the only round";
            default ->
                metric == Metric.DISK
                        ? " takes the least disk"
                        : (isSpeed ? " is fastest" : " is best by " + metric.noun()) + operation();
        };
    }

    /** Reading back is not named: most studies ask for it. */
    private String operation() {
        String operation = rankings.get(0).operation();
        return switch (operation) {
            case "fetch" -> "";
            case "encode" -> " in encoding";
            case "decode" -> " in decoding";
            case Sample.MIX -> " at reads and updates together";
            default -> " at " + operation;
        };
    }

    /** {@code at 64 KB and 1 MB}; empty for all conditions. */
    private String place(List<Ranking> under) {
        if (under.size() == rankings.size()) {
            return "";
        }
        boolean isOfSizes = varying.contains("size");
        String preposition = isOfSizes ? "at " : "with ";
        return preposition
                + Figures.enumerate(under.stream()
                        .map(ranking -> words(ranking.condition(), isOfSizes))
                        .toList());
    }

    private String words(Levels condition, boolean isOfSizes) {
        List<String> more =
                levels.of(condition.only(factor -> varying.contains(factor) && !(isOfSizes && factor.equals("size"))));
        Optional<String> size =
                condition.find(Size.FACTOR).filter(level -> isOfSizes).map(Figures::size);
        if (size.isEmpty()) {
            return more.isEmpty() ? condition.find(Datasets.FACTOR).orElse("the rest") : String.join(", ", more);
        }
        return size.get() + (more.isEmpty() ? "" : " (" + String.join(", ", more) + ")");
    }
}
