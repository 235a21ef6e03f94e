package dev.blobmark.analysis;

import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.Ranking.Flagged;
import dev.blobmark.analysis.Ranking.Longest;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Ranking.SizeShare;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.study.Window;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.OwnLevels;
import dev.blobmark.stats.Percentile;
import dev.blobmark.stats.Ratios;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Makes the rows of a ranking. */
record Rows(Rankings rankings, String operation, Optional<SizeShare> sizes, Metric metric) {

    /** Percentiles of service times that all methods have. */
    private static final List<Metric> USUAL = List.of(Metric.P50, Metric.P95, Metric.P99, Metric.P999);

    /** Words by which an event belongs to a flag; an event without them belongs to any other flag. */
    private static final Map<String, String> EVENTS =
            Map.of(Sample.BIMODAL, "two levels", Sample.DEGRADED, " was lost");

    /**
     * @param samples of the method, at least one with operations of this type
     * @param figures of the ranking's metric
     */
    Row row(
            String method,
            List<Sample> samples,
            List<Figure> figures,
            Optional<OwnLevels> levels,
            Optional<Judgement> toBaseline) {
        List<Sample> with = samples.stream()
                .filter(sample -> sample.operations().containsKey(operation))
                .toList();
        List<Operations> operations = with.stream().map(this::operations).toList();
        boolean isWhole = sizes.isEmpty();
        return new Row(
                method,
                with.stream().allMatch(Rows::isCopy),
                new Ranking.RankedFigure(
                        Summary.of(with.stream()
                                .flatMapToDouble(sample -> sample.value(metric, operation).stream())
                                .boxed()
                                .toList()),
                        mean(figures),
                        levels,
                        levels.flatMap(own -> slower(with, own.slowForks()))),
                toBaseline,
                latencies(with, operations),
                medians(with),
                TimeSpent.mean(operations),
                isWhole ? sqlNodes(with) : List.of(),
                new StoredFigures(rankings.manifest(), with).stored(isWhole),
                new Ranking.Doubts(
                        reasons(with, Outcome.Unsteady.class),
                        reasons(with, Outcome.Saturated.class),
                        samples.stream()
                                .filter(Sample::isCrashed)
                                .map(sample -> sample.outcome().reason())
                                .toList(),
                        flags(with)));
    }

    private Operations operations(Sample sample) {
        return sample.operations().get(operation);
    }

    private Ranking.PooledLatencies latencies(List<Sample> samples, List<Operations> operations) {
        LatencyFigures service = LatencyFigures.of(
                samples,
                sizes.map(share -> Sample.ofSize(operation, share.size())).orElse(operation),
                rankings.latencies());
        LatencyFigures response = LatencyFigures.of(samples, Sample.responseOf(operation), rankings.latencies());
        SortedMap<Metric, Percentile> percentiles = new TreeMap<>();
        for (Metric percentile : Metric.values()) {
            if (percentile.isResponse() || USUAL.contains(percentile) || percentile == metric) {
                (percentile.isResponse() ? response : service)
                        .percentile(percentile, rankings.confidence())
                        .ifPresent(known -> percentiles.put(percentile, known));
            }
        }
        return new Ranking.PooledLatencies(
                operations.stream().mapToLong(Operations::count).sum(),
                percentiles,
                service.curve(),
                sizes.isEmpty() ? longest(samples) : Optional.empty());
    }

    /**
     * Medians over the rounds of all known metrics. The time of a window counts only if the window is a number of
     * operations of one type.
     */
    private SortedMap<Metric, Double> medians(List<Sample> samples) {
        SortedMap<Metric, Double> medians = new TreeMap<>();
        for (Metric known : Metric.values()) {
            Summary.median(
                            samples,
                            sample -> known != Metric.ELAPSED
                                            || sample.operations().size() == 1 && isCounted(sample)
                                    ? sample.value(known, operation)
                                    : OptionalDouble.empty())
                    .ifPresent(median -> medians.put(known, median));
        }
        return medians;
    }

    /** The part of an operation whose time grows most in the slow forks; empty without slow forks, or if unknown. */
    private Optional<Bottleneck.Growth> slower(List<Sample> samples, Set<Integer> slowForks) {
        Map<Boolean, List<Operations>> bySpeed = samples.stream()
                .collect(partitioningBy(
                        sample -> slowForks.contains(sample.fork()), mapping(this::operations, toList())));
        return TimeSpent.mean(bySpeed.get(true))
                .flatMap(slow -> TimeSpent.mean(bySpeed.get(false)).map(fast -> Bottleneck.growth(fast, slow)));
    }

    private Optional<Longest> longest(List<Sample> samples) {
        return samples.stream()
                .max(Comparator.comparingLong(
                        sample -> operations(sample).latency().max()))
                .map(sample -> new Longest(
                        operations(sample).latency().max(),
                        sample.fork(),
                        sample.round(),
                        sample.resources().counters()));
    }

    /** Medians over the rounds; empty if the samples have other types of operations too. */
    private List<Double> sqlNodes(List<Sample> samples) {
        List<Sample> known = samples.stream()
                .filter(sample ->
                        operation.equals(Sample.MIX) || sample.operations().size() == 1)
                .toList();
        int nodes = known.stream()
                .mapToInt(sample -> sample.resources().sqlNodes().size())
                .max()
                .orElse(0);
        return IntStream.range(0, nodes)
                .mapToObj(node -> Summary.median(
                        known,
                        sample -> node < sample.resources().sqlNodes().size()
                                ? OptionalDouble.of(
                                        sample.resources().sqlNodes().get(node))
                                : OptionalDouble.empty()))
                .map(OptionalDouble::orElseThrow)
                .toList();
    }

    /** The geometric mean of figures over forks, or over the rounds of a single fork, as the ratio to 1. */
    private Optional<Effect> mean(List<Figure> figures) {
        List<Figure> ones = Figure.averaged(figures).stream()
                .map(f -> new Figure(f.block(), f.fork(), f.round(), 1))
                .toList();
        return figures.isEmpty()
                ? Optional.empty()
                : Optional.of(Effect.of(Ratios.byRound(figures, ones), rankings.confidence()));
    }

    /** The flags of the samples, each with its first event; without events of another type of operation alone. */
    private SortedMap<String, Flagged> flags(List<Sample> samples) {
        SortedMap<String, Flagged> flags = new TreeMap<>();
        for (Sample sample : samples) {
            for (String flag : sample.flags()) {
                List<String> events = sample.events().stream()
                        .filter(event -> belongs(flag, event))
                        .toList();
                Optional<String> own = events.stream()
                        .filter(event -> sample.operations().keySet().stream()
                                .noneMatch(type -> !type.equals(operation) && event.startsWith(type + " ")))
                        .findFirst();
                if (own.isPresent() || events.isEmpty()) {
                    flags.merge(
                            flag,
                            new Flagged(1, own.orElse("")),
                            (flagged, another) -> new Flagged(flagged.rounds() + 1, flagged.event()));
                }
            }
        }
        return flags;
    }

    private static boolean belongs(String flag, String event) {
        return EVENTS.containsKey(flag)
                ? event.contains(EVENTS.get(flag))
                : EVENTS.values().stream().noneMatch(event::contains);
    }

    private static List<String> reasons(List<Sample> samples, Class<? extends Outcome> kind) {
        return samples.stream()
                .map(Sample::outcome)
                .filter(kind::isInstance)
                .map(Outcome::reason)
                .toList();
    }

    private static boolean isCopy(Sample sample) {
        return Rankings.workload(sample.condition()).equals("codec")
                && sample.trial()
                        .methodLevels()
                        .find(StoredCodec.FACTOR)
                        .filter("none"::equals)
                        .isPresent();
    }

    private boolean isCounted(Sample sample) {
        return Rankings.window(rankings.manifest(), sample.condition()) instanceof Window.Count;
    }
}
