package dev.blobmark.analysis;

import static java.util.stream.Collectors.averagingDouble;
import static java.util.stream.Collectors.groupingBy;

import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The mean of the comparisons of a claim. */
final class PairMean {

    private PairMean() {}

    /**
     * The geometric mean of the ratios of pairs, in one block or several. The contributions of a fork to all pairs are
     * one figure, because its trials share a machine and a history; forks of different blocks are independent. A fork
     * that lacks a part of its block's contribution is left out; empty if that leaves none.
     */
    static Optional<Effect> of(List<Pair> pairs, Confidence confidence) {
        boolean isOneFork = pairs.stream()
                .flatMap(pair -> Stream.of(pair.left(), pair.right()))
                .allMatch(side -> side.figures().stream()
                                .mapToInt(Figure::fork)
                                .distinct()
                                .count()
                        == 1);
        Map<Integer, List<Map<Integer, Double>>> byBlock = new TreeMap<>();
        for (Pair pair : pairs) {
            Map<CommonRound, Double> left = byRound(pair.left().figures());
            Map<CommonRound, Double> right = byRound(pair.right().figures());
            Map<CommonRound, Double> paired = new TreeMap<>();
            left.forEach((at, value) ->
                    Optional.ofNullable(right.get(at)).ifPresent(other -> paired.put(at, Math.log(value / other))));
            if (paired.isEmpty()) {
                contribute(byBlock, left, value -> Math.log(value) / pairs.size(), isOneFork);
                contribute(byBlock, right, value -> -Math.log(value) / pairs.size(), isOneFork);
            } else {
                contribute(byBlock, paired, log -> log / pairs.size(), isOneFork);
            }
        }
        List<double[]> factors = byBlock.values().stream().map(PairMean::sums).toList();
        return factors.stream().anyMatch(factor -> factor.length == 0)
                ? Optional.empty()
                : Optional.of(Effect.product(factors, isOneFork ? Unit.ROUND : Unit.FORK, confidence));
    }

    /** Adds the means of the units of each block. A side that ran in several blocks contributes a part in each. */
    private static void contribute(
            Map<Integer, List<Map<Integer, Double>>> byBlock,
            Map<CommonRound, Double> figures,
            Function<Double, Double> log,
            boolean isOneFork) {
        Map<Integer, Map<Integer, Double>> means = figures.entrySet().stream()
                .collect(groupingBy(
                        figure -> figure.getKey().block(),
                        groupingBy(
                                figure -> isOneFork
                                        ? figure.getKey().round()
                                        : figure.getKey().fork(),
                                averagingDouble(figure -> log.apply(figure.getValue())))));
        means.forEach((block, units) -> {
            units.replaceAll((unit, mean) -> mean / means.size());
            byBlock.computeIfAbsent(block, b -> new ArrayList<>()).add(units);
        });
    }

    private static double[] sums(List<Map<Integer, Double>> contributions) {
        return contributions.get(0).keySet().stream()
                .filter(unit -> contributions.stream().allMatch(units -> units.containsKey(unit)))
                .mapToDouble(unit -> contributions.stream()
                        .mapToDouble(units -> units.get(unit))
                        .sum())
                .toArray();
    }

    record CommonRound(int block, int fork, int round) implements Comparable<CommonRound> {

        @Override
        public int compareTo(CommonRound other) {
            int byBlock = Integer.compare(block, other.block);
            int byFork = byBlock != 0 ? byBlock : Integer.compare(fork, other.fork);
            return byFork != 0 ? byFork : Integer.compare(round, other.round);
        }
    }

    static Map<CommonRound, Double> byRound(List<Figure> figures) {
        Map<CommonRound, Double> byRound = new TreeMap<>();
        Figure.averaged(figures).forEach(f -> byRound.put(new CommonRound(f.block(), f.fork(), f.round()), f.value()));
        return byRound;
    }
}
