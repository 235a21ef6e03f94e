package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The sentence that answers a study's question under one condition. It claims no more than the samples support. */
final class Answer {

    /** Sizes whose ratio is smaller count as equal. */
    private static final double SMALLER = 1.01;

    /** Slow encoding is mentioned below this share of the other methods' median speed. */
    private static final double SLOW_ENCODING = 0.1;

    private Answer() {}

    /** The answer for each ranking, in the order of the rankings. */
    static List<String> all(Analysis run) {
        Set<String> varying =
                varying(run.rankings().stream().map(Ranking::condition).toList());
        LevelWords words = LevelWords.of(run);
        return run.rankings().stream()
                .map(ranking -> of(ranking, varying, words))
                .toList();
    }

    /** @param varying the factors in which the run's conditions differ; only these are named */
    static String of(Ranking ranking, Set<String> varying, LevelWords words) {
        String place = place(ranking.condition(), varying, words)
                + ranking.sizes()
                        .map(sizes -> ", values of " + Captions.words(sizes))
                        .orElse("");
        return ranking.best()
                .map(best -> place + ", " + about(ranking, best))
                .orElse(place + ", nothing was measured of " + Captions.title(ranking) + ".");
    }

    /** The factors whose levels differ between conditions. */
    static Set<String> varying(Collection<Levels> conditions) {
        Set<String> varying = new TreeSet<>();
        for (Levels condition : conditions) {
            for (Levels other : conditions) {
                condition.byFactor().forEach((factor, level) -> {
                    if (!other.find(factor).orElse(level).equals(level)) {
                        varying.add(factor);
                    }
                });
            }
        }
        return varying;
    }

    /**
     * The method that the answer names: the leader, or the smallest of those shown to be equal to it. Empty if nothing
     * was measured.
     */
    static Optional<Ranking.Row> recommended(Ranking ranking) {
        return ranking.best()
                .map(leader -> leader.value().rounds() == 1
                        ? leader
                        : smallestEqual(ranking, leader).orElse(leader));
    }

    private static String about(Ranking ranking, Ranking.Row leader) {
        List<String> rivals = ranking.rivals();
        Ranking.Row best = recommended(ranking).orElseThrow();
        boolean isBaseline = best.method().equals(ranking.baseline());
        StringBuilder says = new StringBuilder(best.method()).append(isBaseline ? ", the baseline, " : " ");
        if (rivals.isEmpty() && ranking.toBest().isEmpty()) {
            says.append("is the only method measured");
        } else if (best.value().rounds() == 1) {
            says.append("was ahead").append(at(ranking)).append(" in the only round");
        } else if (rivals.isEmpty()) {
            says.append(superlative(ranking));
        } else if (isSmallestOfEqual(ranking)) {
            says.append(RankingTable.isSpeed(ranking.metric()) ? "is as fast as any" : "is as good as any")
                    .append(at(ranking))
                    .append(within(ranking, best.method()))
                    .append(", and smallest");
        } else {
            says.append("is in the lead")
                    .append(at(ranking))
                    .append(", statistically tied with ")
                    .append(Figures.enumerate(
                            rivals.size() > 3
                                    ? List.of(rivals.get(0), rivals.get(1), (rivals.size() - 2) + " more")
                                    : rivals));
        }
        Optional<Ranking.Row> base = ranking.find(ranking.baseline());
        if (isBaseline || base.filter(Ranking.Row::isCopy).isPresent()) {
            says.append(isBaseline ? "" : ", at " + Figures.amount(ranking.metric(), best.figure(ranking.metric())));
            if (best == leader) {
                next(ranking, says);
            }
        } else if (best.toBaseline().isPresent()) {
            says.append(": ")
                    .append(Figures.times(best.toBaseline().get().effect()))
                    .append(" the ")
                    .append(ranking.metric().noun())
                    .append(" of ")
                    .append(ranking.baseline());
            disk(ranking, best, says);
            slowEncoding(ranking, best, says);
        } else {
            says.append("; the baseline, ").append(ranking.baseline()).append(", ");
            says.append(base.isPresent() ? "has no round in common with it" : "was not measured");
        }
        says.append(grounds(ranking, best.value().rounds())).append('.');
        if (!best.doubts().unsteady().isEmpty()) {
            says.append(" It was not steady.");
        }
        ranking.controlJudgement()
                .filter(Judgement::isCalled)
                .ifPresent(twin -> says.append(" But the control, a twin of ")
                        .append(ranking.baseline())
                        .append(", came out ")
                        .append(RankingTable.word(twin.verdict(), ranking.metric()))
                        .append(" as well: the intervals do not hold here."));
        return says.toString();
    }

    /**
     * The smallest on disk of the best method and those shown to be equal to it; without tables, the one with the
     * smallest stored values. Empty if there is no tie, or if sizes are not known. Methods that are only not
     * distinguishable from the best do not count: they may be far slower.
     */
    private static Optional<Ranking.Row> smallestEqual(Ranking ranking, Ranking.Row best) {
        List<Ranking.Row> equal = Stream.concat(
                        Stream.of(best),
                        ranking.rivals().stream()
                                .filter(method -> isEqualToBest(ranking, method))
                                .flatMap(method -> ranking.find(method).stream()))
                .toList();
        boolean isOnDisk =
                equal.stream().anyMatch(row -> row.median(Metric.DISK).isPresent());
        ToDoubleFunction<Ranking.Row> size = row -> 1
                / (isOnDisk ? row.stored().bytesPerUsedByte() : row.median(Metric.COMPRESSION_RATIO))
                        .orElse(Double.NaN);
        if (equal.size() < 2
                || ranking.metric() == Metric.DISK
                || equal.stream().mapToDouble(size).anyMatch(Double::isNaN)) {
            return Optional.empty();
        }
        List<Ranking.Row> bySize =
                equal.stream().sorted(Comparator.comparingDouble(size)).toList();
        return size.applyAsDouble(bySize.get(1)) > SMALLER * size.applyAsDouble(bySize.get(0))
                ? Optional.of(bySize.get(0))
                : Optional.empty();
    }

    /** Whether {@link #recommended} is the smallest: of those equal to the leader, or of a tie if it is the leader. */
    static boolean isSmallestOfEqual(Ranking ranking) {
        return ranking.best()
                .flatMap(leader ->
                        smallestEqual(ranking, leader).filter(smallest -> smallest != leader || isTied(ranking)))
                .isPresent();
    }

    /** Whether all methods that are not distinguished from the leader are shown to be equal to it. */
    static boolean isTied(Ranking ranking) {
        return ranking.rivals().stream().allMatch(method -> isEqualToBest(ranking, method));
    }

    private static boolean isEqualToBest(Ranking ranking, String method) {
        return toBest(ranking, method)
                .filter(judgement -> judgement.verdict() instanceof Verdict.Equal)
                .isPresent();
    }

    private static Optional<Judgement> toBest(Ranking ranking, String method) {
        return ranking.toBest().stream()
                .filter(judgement -> judgement.method().equals(method))
                .findFirst();
    }

    /** {@code within ± 4.2 %}: the margin within which a method other than the leader is as fast. */
    private static String within(Ranking ranking, String method) {
        return toBest(ranking, method)
                .map(Judgement::verdict)
                .filter(Verdict.Equal.class::isInstance)
                .map(verdict -> " within " + Figures.plusMinus(((Verdict.Equal) verdict).margin()))
                .orElse("");
    }

    private static void next(Ranking ranking, StringBuilder says) {
        ranking.toBest().stream()
                .findFirst()
                .ifPresent(next -> says.append("; next is ")
                        .append(next.method())
                        .append(" with ")
                        .append(Figures.times(next.effect()))
                        .append(" its ")
                        .append(ranking.metric().noun()));
    }

    /** The amount of data behind the sentence, and the variance that it does not cover. */
    private static String grounds(Ranking ranking, int rounds) {
        return ranking.anyRange()
                .map(range -> range.unit() != Unit.ROUND
                        ? " [" + Figures.plural(rounds, "round") + " in " + Figures.plural(range.units(), "fork") + "]"
                        : " [" + Figures.plural(rounds, "round")
                                + " in one fork; variance between forks is not covered]")
                .orElse(rounds > 1 || ranking.toBest().isEmpty() ? "" : "; one round has no interval");
    }

    private static void disk(Ranking ranking, Ranking.Row best, StringBuilder says) {
        if (ranking.metric() != Metric.DISK) {
            ranking.diskShare(best)
                    .ifPresent(share ->
                            says.append(", on ").append(Figures.percent(share)).append(" of the disk"));
        }
    }

    /** A method whose values are small and read quickly can be very slow to write. */
    private static void slowEncoding(Ranking ranking, Ranking.Row best, StringBuilder says) {
        double[] others = ranking.rows().stream()
                .filter(row -> row != best)
                .flatMapToDouble(row -> row.stored().encodedBytesPerSecond().stream())
                .sorted()
                .toArray();
        if (others.length > 0
                && best.stored().encodedBytesPerSecond().orElse(Double.POSITIVE_INFINITY)
                        < others[others.length / 2] * SLOW_ENCODING) {
            says.append(", but encodes at ")
                    .append(Figures.amount(
                            Metric.THROUGHPUT,
                            best.stored().encodedBytesPerSecond().getAsDouble()))
                    .append(" of a core");
        }
    }

    private static String at(Ranking ranking) {
        return ranking.operation().equals(Sample.MIX)
                ? together(Figures.mix(ranking.condition()))
                : at(ranking.operation()) + ofMix(ranking);
    }

    private static String at(String operation) {
        return switch (operation) {
            case "fetch" -> "";
            case "encode" -> " in encoding";
            case "decode" -> " in decoding";
            default -> " at " + operation;
        };
    }

    private static String together(Optional<String> mix) {
        return " at " + mix.orElse("reads and updates") + " together";
    }

    /** For one type of operation of a mix. */
    private static String ofMix(Ranking ranking) {
        return Figures.mix(ranking.condition())
                .map(mix -> " in a mix of " + mix)
                .orElse("");
    }

    private static String superlative(Ranking ranking) {
        if (ranking.metric() == Metric.DISK) {
            return "takes the least disk";
        }
        return switch (ranking.operation()) {
            case "fetch" -> "is read back fastest" + ofMix(ranking);
            case "encode" -> "encodes fastest";
            case "decode" -> "decodes fastest";
            default -> "is fastest" + at(ranking);
        };
    }

    private static String place(Levels condition, Set<String> varying, LevelWords words) {
        List<String> named = words.of(condition.only(factor -> varying.contains(factor) && !factor.equals("size")));
        String more = named.isEmpty() ? "" : " (" + String.join(", ", named) + ")";
        return condition
                .find(Size.FACTOR)
                .map(size -> "At " + Figures.size(size) + more)
                .orElse(condition.find(Datasets.FACTOR).map(d -> "With " + d).orElse("Here") + more);
    }
}
