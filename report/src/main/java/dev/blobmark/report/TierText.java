package dev.blobmark.report;

import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The methods of a ranking in a line, by the speed of each tier: {@code fastest, tied: lz4, none · half as fast: zstd,
 * snappy · a quarter: gzip}.
 */
final class TierText {

    /** Shares of the best speed that have a word. */
    private enum SpeedShare {
        NEARLY(0.95, "nearly as fast"),
        THREE_QUARTERS(0.75, "three quarters as fast"),
        TWO_THIRDS(2 / 3.0, "two thirds"),
        HALF(0.5, "half as fast"),
        THIRD(1 / 3.0, "a third"),
        QUARTER(0.25, "a quarter"),
        FIFTH(0.2, "a fifth"),
        SIXTH(1 / 6.0, "a sixth"),
        SEVENTH(1 / 7.0, "a seventh"),
        EIGHTH(0.125, "an eighth"),
        TENTH(0.1, "a tenth");

        /** The largest difference, as a logarithm, at which a word is used. */
        private static final double MOST_OFF = 0.09;

        private final double share;
        private final String words;

        SpeedShare(double share, String words) {
            this.share = share;
            this.words = words;
        }

        private double off(double of) {
            return Math.abs(Math.log(of / share));
        }

        /** The word for a share, or the figure if no word is close. */
        static String words(double share) {
            SpeedShare nearest = Stream.of(values())
                    .min(Comparator.comparingDouble(candidate -> candidate.off(share)))
                    .orElseThrow();
            return nearest.off(share) > MOST_OFF ? Figures.percent(share) + " as fast" : nearest.words;
        }
    }

    /** Smaller shares are written as fractions. */
    private static final double LEAST_SHARE = 0.08;

    private static final String BETWEEN = "*";

    private TierText() {}

    /** Empty for less than two methods, or if no method has an interval. */
    static Optional<String> of(Ranking ranking) {
        List<List<String>> steps = ranking.tiers().steps();
        if (ranking.tiers().ranked().size() < 2
                || ranking.toBest().stream()
                        .allMatch(judgement -> judgement.range().isEmpty())) {
            return Optional.empty();
        }
        int methods = ranking.tiers().ranked().size();
        if (steps.size() == 1) {
            return Optional.of(
                    methods == 2
                            ? "the two cannot be distinguished"
                            : "none of the " + methods + " can be distinguished");
        }
        boolean isSpeed = RankingTable.isSpeed(ranking.metric());
        List<String> parts = new ArrayList<>();
        String before = "";
        boolean anyBetween = false;
        for (int i = 0; i < steps.size(); i++) {
            List<String> step = steps.get(i);
            List<String> names = new ArrayList<>();
            for (String method : step) {
                boolean isBetween = ranking.tiers().isBetween(method);
                anyBetween |= isBetween;
                names.add(method + (isBetween ? BETWEEN : ""));
            }
            String label = i == 0
                    ? (isSpeed ? "fastest" : "best") + (step.size() > 1 ? ", tied" : "")
                    : label(ranking, step, isSpeed);
            if (label.equals(before)) {
                parts.set(parts.size() - 1, parts.get(parts.size() - 1) + "; " + String.join(", ", names));
            } else {
                parts.add(label + ": " + String.join(", ", names));
            }
            before = label;
        }
        return Optional.of(String.join(" · ", parts)
                + (anyBetween ? " (" + BETWEEN + " not distinguishable from a better one)" : ""));
    }

    private static String label(Ranking ranking, List<String> step, boolean isSpeed) {
        double ratio = Math.exp(step.stream()
                .mapToDouble(method -> Math.log(relative(ranking, method)))
                .average()
                .orElse(0));
        double share = ranking.metric().higherIsBetter() ? ratio : 1 / ratio;
        if (!isSpeed) {
            return Figures.number(ratio) + " times as much";
        }
        return share < LEAST_SHARE ? "1/" + Figures.count(Math.round(1 / share)) + " as fast" : SpeedShare.words(share);
    }

    /** A method's figure ÷ that of the best, by the effects that order the rows. */
    private static double relative(Ranking ranking, String method) {
        return effect(ranking, method)
                / effect(ranking, ranking.best().orElseThrow().method());
    }

    private static double effect(Ranking ranking, String method) {
        return ranking.find(method)
                .flatMap(Ranking.Row::toBaseline)
                .map(judgement -> judgement.effect().ratio())
                .orElseGet(() -> {
                    Metric metric = ranking.metric();
                    double base = ranking.find(ranking.baseline())
                            .map(row -> row.figure(metric))
                            .filter(figure -> figure > 0)
                            .orElse(1.0);
                    return ranking.find(method).orElseThrow().figure(metric) / base;
                });
    }
}
