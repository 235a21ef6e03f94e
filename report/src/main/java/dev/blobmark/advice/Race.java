package dev.blobmark.advice;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.MethodComparisons;
import dev.blobmark.lab.study.Study;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Measures candidates against each other with fetches of the values, until each is faster or slower than the one that
 * is predicted to be fastest, or equal to it, or the time is over.
 */
final class Race {

    /** The level of the intervals of an advice. */
    static final double LEVEL = 0.9;

    private static final String FETCH = "fetch";

    private Race() {}

    /** @param favourite id of the candidate with which the others are compared */
    static Study study(Question question, List<Candidate> candidates, String favourite, Duration limit) {
        Map<String, Map<String, String>> methods = new LinkedHashMap<>();
        candidates.forEach(candidate -> methods.put(candidate.id(), candidate.levels()));
        return StudyText.study(
                "advice",
                "How are these values best stored?",
                favourite,
                methods,
                StudyText.fetches(question.dataset(), question.size(), question.link(), question.threads()),
                Map.of(
                        "rounds",
                        6,
                        "forks",
                        3,
                        "window",
                        "150ms",
                        "visit",
                        "25ms",
                        "warm-up",
                        "200ms",
                        "budget",
                        limit.toSeconds() + "s",
                        "seed",
                        question.seed()));
    }

    /**
     * What the race found, by candidate.
     *
     * @param missing reasons why candidates have no figures, by candidate
     */
    record Result(Map<String, Raced> raced, Map<String, String> missing) {}

    static Result result(RunDirectory directory, int threads) {
        Analysis analysis = Analysis.of(directory);
        Ranking ranking = analysis.rankings().stream()
                .filter(candidate ->
                        candidate.operation().equals(FETCH) && candidate.sizes().isEmpty())
                .findFirst()
                .orElseThrow(() -> new AdviceException("nothing was measured"));
        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        ranking.rows()
                .forEach(row -> figures.put(
                        row.method(),
                        analysis.samples(ranking, row.method()).stream()
                                .flatMap(sample -> sample.figures(Metric.THROUGHPUT, FETCH).stream())
                                .toList()));
        MethodComparisons comparisons = new MethodComparisons(figures, new Confidence(LEVEL, 1, 1));
        Map<String, Raced> raced = new LinkedHashMap<>();
        for (Ranking.Row row : ranking.rows()) {
            Map<String, Raced.Ratio> toOthers = new LinkedHashMap<>();
            figures.keySet().stream()
                    .filter(other -> !other.equals(row.method()))
                    .forEach(other ->
                            ratio(comparisons, other, row.method()).ifPresent(ratio -> toOthers.put(other, ratio)));
            List<Sample> samples = analysis.samples(ranking, row.method());
            raced.put(
                    row.method(),
                    new Raced(
                            nanos(samples, threads),
                            diskBytes(row, samples),
                            row.wireBytes(),
                            row.time().map(TimeSpent::decode).orElse(0.0),
                            toOthers));
        }
        Map<String, String> missing = new LinkedHashMap<>();
        ranking.unranked()
                .forEach(method -> missing.put(method.method(), method.outcome().reason()));
        return new Result(raced, missing);
    }

    /** Time is the inverse of throughput: the time of {@code method} ÷ that of {@code other}. */
    private static Optional<Raced.Ratio> ratio(MethodComparisons comparisons, String other, String method) {
        return comparisons
                .pair(other, method, 2)
                .flatMap(comparison -> comparison.effect().interval() instanceof Interval.Range range
                        ? Optional.of(new Raced.Ratio(comparison.effect().ratio(), range.low(), range.high(), LEVEL))
                        : Optional.empty());
    }

    private static double nanos(List<Sample> samples, int threads) {
        return 1e9
                * threads
                / samples.stream()
                        .mapToDouble(sample -> sample.operations().get(FETCH).operationsPerSecond())
                        .average()
                        .orElseThrow();
    }

    private static OptionalDouble diskBytes(Ranking.Row row, List<Sample> samples) {
        OptionalDouble perByte = row.stored().bytesPerUsedByte();
        double application = samples.stream()
                        .mapToDouble(sample -> sample.operations().get(FETCH).applicationBytes())
                        .sum()
                / samples.stream()
                        .mapToLong(sample -> sample.operations().get(FETCH).count())
                        .sum();
        return perByte.orElse(0) > 0 ? OptionalDouble.of(application / perByte.getAsDouble()) : OptionalDouble.empty();
    }
}
