package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Percentile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.HdrHistogram.Histogram;

/**
 * The latencies of all operations of a method, of one type.
 *
 * @param byFork the histograms of the samples of each fork, in nanoseconds
 */
record LatencyFigures(List<List<Histogram>> byFork) {

    /** Ticks of a latency curve, as HdrHistogram's own tools print it. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** @param name of the histogram */
    static LatencyFigures of(
            List<Sample> samples, String name, BiFunction<Sample, String, Optional<Histogram>> latencies) {
        Map<Object, List<Histogram>> byFork = new LinkedHashMap<>();
        for (Sample sample : samples) {
            latencies
                    .apply(sample, name)
                    .ifPresent(latency -> byFork.computeIfAbsent(
                                    List.of(sample.block(), sample.fork()), fork -> new ArrayList<>())
                            .add(latency));
        }
        return new LatencyFigures(List.copyOf(byFork.values()));
    }

    /** Empty if the metric is not a percentile, or if there are no histograms. */
    Optional<Percentile> percentile(Metric metric, Confidence confidence) {
        return metric.percentile().isEmpty() || byFork.isEmpty()
                ? Optional.empty()
                : Optional.of(Percentile.of(byFork, metric.percentile().getAsDouble(), confidence));
    }

    /** Points that are denser towards 100 %, as far as operations distinguish them. */
    List<Ranking.CurvePoint> curve() {
        if (byFork.isEmpty()) {
            return List.of();
        }
        Histogram all = new Histogram(3);
        byFork.forEach(histograms -> histograms.forEach(all::add));
        List<Ranking.CurvePoint> curve = new ArrayList<>();
        all.percentiles(TICKS_PER_HALF_DISTANCE)
                .forEach(point -> curve.add(
                        new Ranking.CurvePoint(point.getPercentileLevelIteratedTo(), point.getValueIteratedTo())));
        return curve;
    }
}
