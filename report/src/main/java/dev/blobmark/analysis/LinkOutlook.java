package dev.blobmark.analysis;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The methods of one ranking over another link than that of the run, by forecast.
 *
 * @param predictions the fastest first
 */
public record LinkOutlook(Ranking ranking, Link link, List<LinkPrediction> predictions) {

    /** A link that is slower or faster than these is beyond what the parts of a time on loopback say. */
    private static final double LEAST_BYTES_PER_SECOND = 1e6 / 8;

    private static final double MOST_BYTES_PER_SECOND = 40e9 / 8;
    private static final Confidence LEVEL = new Confidence(0.9, 1, 1);

    /**
     * @param measuredNanos between two fetches of a thread, over the link of the run
     * @param nanos the same over the other link
     * @param interval of 90 %, from the differences between forks
     */
    public record LinkPrediction(String method, double measuredNanos, double nanos, Interval interval) {}

    /**
     * For each ranking of fetches over the machine's own link whose conditions have these levels.
     *
     * @param levels by factor
     * @throws IllegalArgumentException if nothing can be predicted; the message says what was measured
     */
    public static List<LinkOutlook> of(Analysis run, Link link, Map<String, String> levels) {
        double down = link.down().orElse(MOST_BYTES_PER_SECOND);
        if (down < LEAST_BYTES_PER_SECOND || down > MOST_BYTES_PER_SECOND) {
            throw new IllegalArgumentException("the forecast reaches from " + Link.bandwidth(LEAST_BYTES_PER_SECOND)
                    + " to " + Link.bandwidth(MOST_BYTES_PER_SECOND) + ", not to " + link);
        }
        List<LinkForecast.RankingForecast> forecasts = LinkForecast.of(run);
        if (forecasts.isEmpty()) {
            throw new IllegalArgumentException(
                    "the run has no fetch over the machine's own link whose time is known by its parts");
        }
        for (Map.Entry<String, String> level : levels.entrySet()) {
            List<String> measured = forecasts.stream()
                    .flatMap(forecast -> forecast.ranking().condition().find(level.getKey()).stream())
                    .distinct()
                    .toList();
            if (!measured.contains(level.getValue())) {
                throw new IllegalArgumentException("the run measured " + level.getKey() + " "
                        + (measured.isEmpty() ? "not at all" : String.join(", ", measured)) + ", not "
                        + level.getValue() + "; a forecast for others needs an advice: blobmark advise");
            }
        }
        return forecasts.stream()
                .filter(forecast -> levels.entrySet().stream()
                        .allMatch(level -> forecast.ranking()
                                .condition()
                                .find(level.getKey())
                                .equals(Optional.of(level.getValue()))))
                .map(forecast -> of(run, forecast, link))
                .toList();
    }

    private static LinkOutlook of(Analysis run, LinkForecast.RankingForecast forecast, Link link) {
        return new LinkOutlook(
                forecast.ranking(),
                link,
                forecast.models().entrySet().stream()
                        .map(model -> new LinkPrediction(
                                model.getKey(),
                                nanos(model.getValue(), Link.LOOPBACK),
                                nanos(model.getValue(), link),
                                interval(run, forecast.ranking(), model.getKey(), link)))
                        .sorted(Comparator.comparingDouble(LinkPrediction::nanos))
                        .toList());
    }

    private static double nanos(LinkModel model, Link link) {
        return model.threads() * model.applicationBytes() / model.throughput(link) * 1e9;
    }

    private static Interval interval(Analysis run, Ranking ranking, String method, Link link) {
        Levels condition = ranking.condition();
        Map<Integer, List<Operations>> byFork = run.samples(ranking, method).stream()
                .collect(Collectors.groupingBy(
                        Sample::fork,
                        TreeMap::new,
                        Collectors.flatMapping(
                                sample -> Stream.ofNullable(sample.operations().get(ranking.operation())),
                                Collectors.toList())));
        double[] logs = byFork.values().stream()
                .flatMap(operations -> LinkModel.of(operations, new Design(condition).get(Threads.FACTOR)).stream())
                .mapToDouble(model -> Math.log(nanos(model, link)))
                .toArray();
        return logs.length < 2 ? Interval.none(Unit.FORK, logs.length) : Interval.ofLogs(logs, LEVEL, Unit.FORK);
    }
}
