package dev.blobmark.advice;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkModel;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Study;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.MethodComparisons;
import java.time.Duration;
import java.util.ArrayList;
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

    /** A shorter race has fewer forks. */
    private static final Duration SHORT = Duration.ofSeconds(25);

    /** Why a candidate has no figures that an advice may rest on. */
    static final String LIMITED_BY_CLIENTS =
            Rankings.LIMITED_BY_CLIENTS + "; ask for an advice with more --hosts, or fewer --threads";

    private static final String FETCH = "fetch";

    private Race() {}

    /**
     * The link over which candidates are raced. With one thread, an emulated link adds the same to each fetch, and the
     * time of its bytes, which is arithmetic. Several threads share a link and wait for each other.
     */
    private static Link raced(AdviceQuestion question) {
        return question.threads() == 1 ? Link.LOOPBACK : Link.parse(question.link());
    }

    /** @param favourite id of the candidate with which the others are compared */
    static Study study(AdviceQuestion question, List<Candidate> candidates, String favourite, Duration limit) {
        int forks = limit.compareTo(SHORT) < 0 ? 2 : 3;
        Map<String, Map<String, String>> methods = new LinkedHashMap<>();
        candidates.forEach(candidate -> methods.put(candidate.id(), candidate.levels()));
        return StudyText.study(
                "advice",
                "How are these values best stored?",
                favourite,
                methods,
                StudyText.fetches(
                        question.dataset(), question.size(), raced(question).toString(), question),
                Map.of(
                        "rounds",
                        2 * forks,
                        "forks",
                        forks,
                        "window",
                        StudyText.window(question, 150),
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
     * What the race found, by candidate; nothing if the time was over before.
     *
     * @param missing reasons why candidates have no figures, by candidate
     */
    record RaceResult(Map<String, Raced> raced, Map<String, String> missing) {

        /** The same if the present way of storing has figures; otherwise nothing, since all are compared with it. */
        RaceResult withPresent() {
            return raced.containsKey(Candidate.AS_IS) ? this : new RaceResult(Map.of(), Map.of());
        }

        /** Why all times are forecasts; empty if the present way of storing has figures. */
        Optional<String> whyForecasts() {
            if (raced.containsKey(Candidate.AS_IS)) {
                return Optional.empty();
            }
            String reason = missing.get(Candidate.AS_IS);
            return Optional.of(
                    reason == null
                            ? "the time was over before candidates were measured against each other:"
                                    + " times are forecasts; give more with --time"
                            : "nothing could be compared with the present way of storing, so times are forecasts: "
                                    + reason);
        }
    }

    /** What is known of a run. A method on which {@code run} would give no verdict has no figures. */
    static RaceResult result(Analysis analysis, AdviceQuestion question) {
        Optional<Ranking> found = analysis.rankings().stream()
                .filter(candidate ->
                        candidate.operation().equals(FETCH) && candidate.sizes().isEmpty())
                .findFirst();
        if (found.isEmpty()) {
            return new RaceResult(Map.of(), Map.of());
        }
        Ranking ranking = found.get();
        Map<String, String> missing = new LinkedHashMap<>();
        ranking.unranked()
                .forEach(method -> missing.put(method.method(), method.outcome().reason()));
        List<Ranking.Row> rows = new ArrayList<>();
        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        Map<String, Timed> timed = new LinkedHashMap<>();
        for (Ranking.Row row : ranking.rows()) {
            List<Sample> samples = analysis.samples(ranking, row.method());
            if (Rankings.areLimitedByClients(samples)) {
                missing.put(row.method(), LIMITED_BY_CLIENTS);
                continue;
            }
            rows.add(row);
            List<Figure> ofRow = samples.stream()
                    .flatMap(sample -> sample.figures(Metric.THROUGHPUT, FETCH).stream())
                    .toList();
            figures.put(row.method(), ofRow);
            timed.put(row.method(), Timed.of(samples, ofRow, question));
        }
        MethodComparisons comparisons = new MethodComparisons(figures, new Confidence(LEVEL, 1, 1));
        Map<String, Raced> raced = new LinkedHashMap<>();
        for (Ranking.Row row : rows) {
            Timed own = timed.get(row.method());
            Map<String, Raced.RacedRatio> toOthers = new LinkedHashMap<>();
            timed.forEach((other, itsTime) -> {
                if (!other.equals(row.method())) {
                    ratio(comparisons, other, row.method())
                            .ifPresent(ratio -> toOthers.put(other, own.overLink(ratio, itsTime)));
                }
            });
            raced.put(
                    row.method(),
                    new Raced(
                            own.nanos() + own.linkNanos(),
                            diskBytes(row, own.bytes()),
                            row.wireBytes(),
                            row.time().map(TimeSpent::decode).orElse(0.0),
                            toOthers,
                            own.parts()));
        }
        return new RaceResult(raced, missing);
    }

    /**
     * The time of a fetch as it was measured, and what the link of the question adds to it.
     *
     * @param bytes application bytes of a fetch
     */
    private record Timed(double nanos, double linkNanos, double bytes, Optional<LinkModel> parts) {

        static Timed of(List<Sample> samples, List<Figure> figures, AdviceQuestion question) {
            List<Operations> operations = samples.stream()
                    .map(sample -> sample.operations().get(FETCH))
                    .toList();
            double bytes = operations.stream()
                            .mapToDouble(Operations::applicationBytes)
                            .sum()
                    / operations.stream().mapToLong(Operations::count).sum();
            double log = figures.stream()
                    .mapToDouble(figure -> Math.log(figure.value()))
                    .average()
                    .orElseThrow(() -> new AdviceException("a candidate has no figures"));
            Link link = Link.parse(question.link());
            Optional<LinkModel> parts = raced(question).equals(Link.LOOPBACK)
                    ? LinkModel.of(operations, question.threads())
                    : Optional.empty();
            return new Timed(
                    1e9 * question.threads() * bytes / Math.exp(log),
                    parts.map(model -> model.nanos(link) - model.nanos(Link.LOOPBACK))
                            .orElse(0.0),
                    bytes,
                    parts);
        }

        /** A measured ratio of the times of this and another candidate, with what the link adds to both. */
        Raced.RacedRatio overLink(Raced.RacedRatio ratio, Timed other) {
            return new Raced.RacedRatio(
                    overLink(ratio.ratio(), other),
                    overLink(ratio.low(), other),
                    overLink(ratio.high(), other),
                    ratio.level());
        }

        private double overLink(double ratio, Timed other) {
            return (ratio * other.nanos + linkNanos) / (other.nanos + other.linkNanos);
        }
    }

    /** Time is the inverse of throughput: the time of {@code method} ÷ that of {@code other}. */
    private static Optional<Raced.RacedRatio> ratio(MethodComparisons comparisons, String other, String method) {
        return comparisons
                .pair(other, method, 2)
                .flatMap(comparison -> comparison.effect().interval() instanceof Interval.Range range
                        ? Optional.of(
                                new Raced.RacedRatio(comparison.effect().ratio(), range.low(), range.high(), LEVEL))
                        : Optional.empty());
    }

    private static OptionalDouble diskBytes(Ranking.Row row, double applicationBytes) {
        OptionalDouble perByte = row.stored().bytesPerUsedByte();
        return perByte.orElse(0) > 0
                ? OptionalDouble.of(applicationBytes / perByte.getAsDouble())
                : OptionalDouble.empty();
    }
}
