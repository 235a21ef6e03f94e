package dev.blobmark.stats;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The noise of each of several methods that were measured together: the variance of its mean logarithm in one unit (a
 * fork, or a round if there is one fork), without the effects that the machine has on all methods.
 *
 * <p>The expected variance of a method has two parts: a variance between units that all methods share, and the method's
 * own variance between visits ÷ the number of visits in a unit. A fork has many visits, so the second part is well
 * known. The deviations from the expected variance are moderated ({@link ModeratedVariances}).
 */
final class MethodVariances {

    /** The first gives all methods the same weight, the second less weight to those that are far noisier than most. */
    private static final int PASSES = 2;

    private final Unit unit;
    private final double betweenUnits;
    private final Map<String, Noise> byMethod;

    private MethodVariances(Unit unit, double betweenUnits, Map<String, Noise> byMethod) {
        this.unit = unit;
        this.betweenUnits = betweenUnits;
        this.byMethod = byMethod;
    }

    /**
     * @param visitVariance the variance between visits of a unit
     * @param factor the moderated variance ÷ the expected one
     * @param freedom degrees of freedom of the factor
     * @param allFreedom degrees of freedom of all methods together
     */
    private record Noise(double visitVariance, double factor, double freedom, double allFreedom) {}

    /** The estimated variance of a difference of two methods' means in one unit. */
    record OfDifference(double variance, double shareOfSecond, double freedom) {}

    private record ForkPosition(int block, int fork) implements Comparable<ForkPosition> {
        @Override
        public int compareTo(ForkPosition other) {
            return block != other.block ? Integer.compare(block, other.block) : Integer.compare(fork, other.fork);
        }
    }

    /**
     * Empty for fewer than three methods that vary and share two or more units: there is nothing to moderate a single
     * difference with.
     */
    static Optional<MethodVariances> of(Map<String, List<Figure>> figures) {
        SortedMap<ForkPosition, SortedMap<String, SortedMap<Integer, Double>>> logs = new TreeMap<>();
        figures.forEach((method, ofMethod) -> {
            if (ofMethod.stream().mapToDouble(Figure::value).distinct().count() > 1) {
                Figure.averaged(ofMethod)
                        .forEach(f -> logs.computeIfAbsent(new ForkPosition(f.block(), f.fork()), p -> new TreeMap<>())
                                .computeIfAbsent(method, m -> new TreeMap<>())
                                .put(f.round(), Math.log(f.value())));
            }
        });
        List<String> methods = List.copyOf(new TreeSet<>(logs.values().stream()
                .flatMap(ofFork -> ofFork.keySet().stream())
                .toList()));
        if (logs.size() > 1) { // a method with a single unit does not show how units vary
            methods = methods.stream()
                    .filter(method -> logs.values().stream()
                                    .filter(ofFork -> ofFork.containsKey(method))
                                    .count()
                            > 1)
                    .toList();
            List<String> repeated = methods;
            logs.values().forEach(ofFork -> ofFork.keySet().retainAll(repeated));
            logs.values().removeIf(Map::isEmpty);
        }
        if (methods.size() < 3) {
            return Optional.empty();
        }
        return logs.size() == 1
                ? of(Unit.ROUND, methods, table(logs.get(logs.firstKey()), methods), new double[methods.size()], null)
                : ofForks(methods, List.copyOf(logs.values()));
    }

    private static Optional<MethodVariances> ofForks(
            List<String> methods, List<SortedMap<String, SortedMap<Integer, Double>>> forks) {
        int n = methods.size();
        double[][] means = new double[n][forks.size()];
        double[][] visits = new double[n][forks.size()];
        double[] visitVariance = new double[n];
        double[] weights = new double[n];
        Arrays.fill(weights, 1);
        for (int pass = 0; pass < PASSES; pass++) {
            double[] squares = new double[n];
            double[] freedom = new double[n];
            for (int fork = 0; fork < forks.size(); fork++) {
                SortedMap<String, SortedMap<Integer, Double>> byMethod = forks.get(fork);
                List<String> present = List.copyOf(byMethod.keySet());
                double[] presentWeights = present.stream()
                        .mapToDouble(method -> weights[methods.indexOf(method)])
                        .toArray();
                AdditiveFit fit = AdditiveFit.of(table(byMethod, present), presentWeights);
                for (int m = 0; m < n; m++) {
                    int row = present.indexOf(methods.get(m));
                    means[m][fork] = row < 0 ? Double.NaN : fit.rows()[row];
                    visits[m][fork] = row < 0 ? Double.NaN : fit.cells(row);
                    if (row >= 0) {
                        squares[m] += fit.squares(row);
                        freedom[m] += (fit.cells(row) - 1) * AdditiveFit.residualShare(presentWeights, row);
                    }
                }
            }
            for (int m = 0; m < n; m++) {
                visitVariance[m] = freedom[m] == 0 ? 0 : squares[m] / freedom[m];
            }
            System.arraycopy(AdditiveFit.weights(visitVariance), 0, weights, 0, n);
        }
        return of(Unit.FORK, methods, means, visitVariance, visits);
    }

    /** @param visits number of visits by method and unit; null for one in each */
    private static Optional<MethodVariances> of(
            Unit unit, List<String> methods, double[][] means, double[] visitVariance, double[][] visits) {
        int n = methods.size();
        double[] estimates = new double[n];
        int[] freedom = new int[n];
        double[] weights = new double[n];
        Arrays.fill(weights, 1);
        AdditiveFit fit = AdditiveFit.of(means, weights);
        if (fit.freedom() == 0 || IntStream.range(0, n).map(fit::cells).min().orElse(0) < 1) {
            return Optional.empty();
        }
        for (int pass = 0; pass < PASSES; pass++) {
            fit = AdditiveFit.of(means, weights);
            for (int m = 0; m < n; m++) {
                freedom[m] = Math.max(1, fit.cells(m) - 1);
                estimates[m] = fit.squares(m) / freedom[m] / AdditiveFit.residualShare(weights, m);
            }
            weights = AdditiveFit.weights(estimates);
        }
        double[] visitParts = new double[n];
        double between = 0;
        for (int m = 0; m < n; m++) {
            visitParts[m] = visits == null
                    ? 0
                    : visitVariance[m]
                            * Arrays.stream(visits[m])
                                    .filter(x -> !Double.isNaN(x))
                                    .map(x -> 1 / x)
                                    .average()
                                    .orElseThrow();
            between += (estimates[m] - visitParts[m]) / n;
        }
        between = Math.max(0, between);
        double usual = Arrays.stream(estimates).average().orElseThrow();
        if (usual == 0) {
            return Optional.empty();
        }
        double[] expected = new double[n];
        for (int i = 0; i < n; i++) {
            expected[i] = Math.max(between + visitParts[i], usual * 1e-6);
        }
        ModeratedVariances moderated = ModeratedVariances.of(estimates, expected, freedom);
        Map<String, Noise> byMethod = new TreeMap<>();
        for (int m = 0; m < n; m++) {
            byMethod.put(
                    methods.get(m),
                    new Noise(
                            visitVariance[m],
                            moderated.factors()[m],
                            Math.min(freedom[m] + moderated.priorFreedom(), fit.freedom()),
                            fit.freedom()));
        }
        return Optional.of(new MethodVariances(unit, between, byMethod));
    }

    private static double[][] table(SortedMap<String, SortedMap<Integer, Double>> logs, List<String> methods) {
        List<Integer> rounds = List.copyOf(new TreeSet<>(logs.values().stream()
                .flatMap(ofFork -> ofFork.keySet().stream())
                .toList()));
        double[][] table = new double[methods.size()][rounds.size()];
        for (int m = 0; m < methods.size(); m++) {
            for (int r = 0; r < rounds.size(); r++) {
                table[m][r] = logs.get(methods.get(m)).getOrDefault(rounds.get(r), Double.NaN);
            }
        }
        return table;
    }

    /** Empty if there is no variance of one of them, or none for the unit of the ratios. */
    Optional<OfDifference> ofDifference(String one, String other, Ratios ratios) {
        if (ratios.unit() != unit || !byMethod.containsKey(one) || !byMethod.containsKey(other)) {
            return Optional.empty();
        }
        double visits = 1
                / ratios.logRatios().stream()
                        .mapToDouble(rounds -> 1.0 / rounds.size())
                        .average()
                        .orElse(1);
        Noise first = byMethod.get(one);
        Noise second = byMethod.get(other);
        double variance = first.factor * (betweenUnits + first.visitVariance / visits);
        double otherVariance = second.factor * (betweenUnits + second.visitVariance / visits);
        double sum = variance + otherVariance;
        if (sum == 0) {
            return Optional.empty();
        }
        double freedom =
                sum * sum / (variance * variance / first.freedom + otherVariance * otherVariance / second.freedom);
        return Optional.of(new OfDifference(sum, otherVariance / sum, Math.min(freedom, first.allFreedom)));
    }
}
