package dev.blobmark.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Collectors;
import org.apache.commons.statistics.descriptive.Mean;

/**
 * The logarithms of a method's ratios to the baseline, grouped by the unit of the comparison.
 *
 * @param unit of a group
 * @param logRatios the log ratios of each unit, at least one each
 * @param unmatched number of figures of both sides that were left out because they have no counterpart
 */
public record Ratios(Unit unit, List<List<Double>> logRatios, int unmatched) {

    /**
     * If one side has this many times the figures of the other in a fork, it was measured in visits, and the other in
     * whole windows.
     */
    private static final int VISITS_TO_WINDOWS = 3;

    public Ratios {
        logRatios = logRatios.stream().map(List::copyOf).toList();
        for (List<Double> group : logRatios) {
            if (group.isEmpty() || !group.stream().allMatch(Double::isFinite)) {
                throw new IllegalArgumentException(unit.word() + " " + logRatios.indexOf(group) + ": " + group
                        + " are no log ratios; give at least one, all finite");
            }
        }
    }

    /**
     * Matches figures that the same fork measured in the same round of the same block, so that the machine's effect on
     * both sides cancels. Several visits in a round count as their geometric mean. If one side was measured in visits
     * and the other in whole windows, round numbers mean different things, so the geometric means of the fork are
     * matched. A figure without a counterpart (because the other trial failed, for example) is dropped and counted.
     * Forks are the unit; if there is only one, its rounds are.
     */
    public static Ratios byRound(List<Figure> method, List<Figure> baseline) {
        List<ForkPairs> forks = forks(method, baseline);
        List<List<Double>> groups = results(forks, (figure, other) -> Math.log(figure / other));
        int unmatched = Figure.averaged(method).size()
                + Figure.averaged(baseline).size()
                - forks.stream().mapToInt(ForkPairs::used).sum();
        if (groups.size() == 1) {
            return new Ratios(Unit.ROUND, groups.get(0).stream().map(List::of).toList(), unmatched);
        }
        return new Ratios(Unit.FORK, groups, unmatched);
    }

    /** The results of an operation on figures that are matched like {@link #byRound}, by fork. */
    static List<List<Double>> byFork(List<Figure> method, List<Figure> baseline, DoubleBinaryOperator operation) {
        return results(forks(method, baseline), operation);
    }

    private static List<List<Double>> results(List<ForkPairs> forks, DoubleBinaryOperator operation) {
        return forks.stream()
                .map(fork -> fork.pairs().stream()
                        .map(pair -> operation.applyAsDouble(pair[0], pair[1]))
                        .toList())
                .toList();
    }

    /**
     * Paired figures of a fork.
     *
     * @param pairs at least one
     * @param used number of figures of both sides that they were made from
     */
    private record ForkPairs(List<double[]> pairs, int used) {}

    private static List<ForkPairs> forks(List<Figure> method, List<Figure> baseline) {
        Map<RoundPosition, Map<RoundPosition, Double>> methods = byPlace(method);
        Map<RoundPosition, Map<RoundPosition, Double>> baselines = byPlace(baseline);
        List<ForkPairs> forks = new ArrayList<>();
        methods.forEach((fork, places) -> {
            Map<RoundPosition, Double> others = baselines.getOrDefault(fork, Map.of());
            if (isInTurns(places, others) != isInTurns(others, places)) {
                forks.add(new ForkPairs(
                        List.of(new double[] {mean(places), mean(others)}), places.size() + others.size()));
                return;
            }
            List<double[]> pairs = places.keySet().stream()
                    .filter(others::containsKey)
                    .map(place -> new double[] {places.get(place), others.get(place)})
                    .toList();
            if (!pairs.isEmpty()) {
                forks.add(new ForkPairs(pairs, 2 * pairs.size()));
            }
        });
        return forks;
    }

    /** Whether a side's figures in a fork are visits, and the other side's whole windows. */
    private static boolean isInTurns(Map<RoundPosition, Double> side, Map<RoundPosition, Double> other) {
        return !other.isEmpty() && side.size() >= VISITS_TO_WINDOWS * other.size();
    }

    private static double mean(Map<RoundPosition, Double> figures) {
        return Math.exp(mean(figures.values().stream().map(Math::log).toList()));
    }

    /**
     * Matches figures of sides that ran in different blocks (on servers with different variables, for example) by pass,
     * which is the fork's number. The unit is the pass; its ratio is that of both sides' geometric means. A pass that
     * lacks a side is dropped, and its figures are counted.
     */
    public static Ratios byPass(List<Figure> method, List<Figure> baseline) {
        Map<Integer, List<Double>> methods = logsByPass(method);
        Map<Integer, List<Double>> baselines = logsByPass(baseline);
        List<List<Double>> groups = new ArrayList<>();
        int matched = 0;
        for (var pass : methods.entrySet()) {
            List<Double> others = baselines.get(pass.getKey());
            if (others != null) {
                groups.add(List.of(mean(pass.getValue()) - mean(others)));
                matched += pass.getValue().size() + others.size();
            }
        }
        return new Ratios(Unit.BLOCK, groups, method.size() + baseline.size() - matched);
    }

    /** Matches by round if the sides share a block, otherwise by pass. */
    public static Ratios matched(List<Figure> method, List<Figure> baseline) {
        Set<Integer> blocks = method.stream().map(Figure::block).collect(Collectors.toSet());
        return baseline.stream().map(Figure::block).anyMatch(blocks::contains)
                ? byRound(method, baseline)
                : byPass(method, baseline);
    }

    /** The number of units. */
    public int units() {
        return logRatios.size();
    }

    /** The mean log ratio of each unit. All units have the same weight, however many rounds they have. */
    public double[] unitMeans() {
        return logRatios.stream().mapToDouble(Ratios::mean).toArray();
    }

    /**
     * The mean log ratio over units. It is exact if all agree, so that rounding makes no difference between figures
     * that do not vary.
     */
    public double mean() {
        return Mean.of(unitMeans()).getAsDouble();
    }

    static double mean(List<Double> figures) {
        return Mean.of(figures.stream().mapToDouble(Double::doubleValue).toArray())
                .getAsDouble();
    }

    /** Figures by fork, then by round. */
    private static Map<RoundPosition, Map<RoundPosition, Double>> byPlace(List<Figure> figures) {
        Map<RoundPosition, Map<RoundPosition, Double>> byFork = new TreeMap<>();
        Figure.averaged(figures).forEach(f -> {
            RoundPosition place = new RoundPosition(f.block(), f.fork(), f.round());
            byFork.computeIfAbsent(place.ofFork(), fork -> new TreeMap<>()).put(place, f.value());
        });
        return byFork;
    }

    private static Map<Integer, List<Double>> logsByPass(List<Figure> figures) {
        return figures.stream()
                .collect(Collectors.groupingBy(
                        Figure::fork,
                        TreeMap::new,
                        Collectors.mapping(figure -> Math.log(figure.value()), Collectors.toList())));
    }

    private record RoundPosition(int block, int fork, int round) implements Comparable<RoundPosition> {

        private static final Comparator<RoundPosition> ORDER = Comparator.comparingInt(RoundPosition::block)
                .thenComparingInt(RoundPosition::fork)
                .thenComparingInt(RoundPosition::round);

        RoundPosition ofFork() {
            return new RoundPosition(block, fork, 0);
        }

        @Override
        public int compareTo(RoundPosition other) {
            return ORDER.compare(this, other);
        }
    }
}
