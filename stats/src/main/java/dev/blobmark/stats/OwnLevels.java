package dev.blobmark.stats;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.commons.statistics.descriptive.Median;

/**
 * Two levels between which the figures of one method jump while those of others do not. A machine that is slower for a
 * while slows all methods of a round, so the median deviation of the other methods is subtracted first. That needs
 * three others: with fewer, one of them that jumps would look like the machine.
 *
 * @param levels of the method's figures
 * @param slowForks forks that stay at the lower level, if each fork stays at one level; empty if levels change within
 *     forks
 */
public record OwnLevels(Bimodality.Levels levels, SortedSet<Integer> slowForks) {

    /** Fewer show two levels only if each hardly varies. */
    public static final int MIN_FIGURES = 10;

    /** A level with a smaller share of the figures is a few slow rounds. */
    private static final double MIN_SHARE = 0.2;

    /** A fork with at least this share of its figures at one level stays at that level. */
    private static final double THROUGHOUT = 0.9;

    /** Figures that forks must have on average; fewer stay at one level by chance. */
    private static final int MIN_IN_FORK = 4;

    private static final int MIN_OTHERS = 3;

    private record Round(int block, int fork, int round) {}

    /** The levels of each method that has its own. */
    public static Map<String, OwnLevels> of(Map<String, List<Figure>> figures) {
        Map<String, Map<Round, Double>> deviations = new HashMap<>();
        figures.forEach((method, ofMethod) -> {
            double usual = median(ofMethod.stream().map(OwnLevels::log).toList());
            Map<Round, Double> rounds = new HashMap<>();
            ofMethod.forEach(figure -> rounds.merge(round(figure), log(figure) - usual, (a, b) -> (a + b) / 2));
            deviations.put(method, rounds);
        });
        Map<String, OwnLevels> found = new HashMap<>();
        figures.forEach(
                (method, ofMethod) -> of(method, ofMethod, deviations).ifPresent(levels -> found.put(method, levels)));
        return found;
    }

    private static Optional<OwnLevels> of(
            String method, List<Figure> figures, Map<String, Map<Round, Double>> deviations) {
        if (figures.size() < MIN_FIGURES) {
            return Optional.empty();
        }
        double[] own = new double[figures.size()];
        for (int i = 0; i < own.length; i++) {
            Round round = round(figures.get(i));
            List<Double> others = new ArrayList<>();
            deviations.forEach((other, rounds) -> {
                if (!other.equals(method) && rounds.containsKey(round)) {
                    others.add(rounds.get(round));
                }
            });
            own[i] = Math.exp(log(figures.get(i)) - (others.size() < MIN_OTHERS ? 0 : median(others)));
        }
        return Bimodality.find(own)
                .filter(levels -> Math.min(levels.highShare(), 1 - levels.highShare()) >= MIN_SHARE)
                .map(levels -> new OwnLevels(levels, slowForks(figures, own, Math.sqrt(levels.low() * levels.high()))));
    }

    /** @param between a figure between the two levels */
    private static SortedSet<Integer> slowForks(List<Figure> figures, double[] own, double between) {
        SortedMap<Integer, List<Boolean>> slow = new TreeMap<>();
        for (int i = 0; i < own.length; i++) {
            slow.computeIfAbsent(figures.get(i).fork(), fork -> new ArrayList<>())
                    .add(own[i] < between);
        }
        SortedSet<Integer> forks = new TreeSet<>();
        for (Map.Entry<Integer, List<Boolean>> fork : slow.entrySet()) {
            double share = fork.getValue().stream()
                    .mapToInt(isSlow -> isSlow ? 1 : 0)
                    .average()
                    .orElseThrow();
            if (Math.max(share, 1 - share) < THROUGHOUT) {
                return new TreeSet<>();
            } else if (share > THROUGHOUT) {
                forks.add(fork.getKey());
            }
        }
        return slow.size() > 1 && own.length >= MIN_IN_FORK * slow.size() ? forks : new TreeSet<>();
    }

    private static double median(List<Double> logs) {
        return Median.withDefaults()
                .evaluate(logs.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static double log(Figure figure) {
        return Math.log(figure.value());
    }

    private static Round round(Figure figure) {
        return new Round(figure.block(), figure.fork(), figure.round());
    }
}
