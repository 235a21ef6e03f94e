package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.LoadedStore;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.MethodComparisons;
import dev.blobmark.lab.stats.OwnLevels;
import dev.blobmark.lab.stats.Percentile;
import dev.blobmark.lab.stats.Ratios;
import dev.blobmark.lab.store.PartsTable;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.report.Ranking.Flagged;
import dev.blobmark.report.Ranking.Longest;
import dev.blobmark.report.Ranking.PerKey;
import dev.blobmark.report.Ranking.Placement;
import dev.blobmark.report.Ranking.Row;
import dev.blobmark.report.Ranking.SizeShare;
import dev.blobmark.report.Ranking.Unranked;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Makes rankings of samples, by the rules of {@code docs/statistics.md}. What it makes is a function of what it is given, whatever the order
 * of the samples.
 *
 * @param latencies the histogram of a sample's operations of one type, in nanoseconds
 * @param equalWithin how far apart methods may be to be called equal; 0.02 for 2 %
 */
record Judge(Manifest manifest, BiFunction<Sample, String, Optional<Histogram>> latencies, double equalWithin) {

    /** In these words an event tells of a flag; one without them tells of any other. */
    private static final Map<String, String> EVENTS =
            Map.of(Sample.BIMODAL, "two levels", Sample.DEGRADED, " was lost");

    /** Of an operation, on average: below, its time is that of its way to the server and back. */
    private static final long LEAST_TELLING_BYTES = 1024;

    /** Of a latency curve, as HdrHistogram's own tools print it. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** Percentiles of service times that are known of every method. */
    private static final List<Metric> USUAL = List.of(Metric.P50, Metric.P95, Metric.P99, Metric.P999);

    /** All rankings of a run, in the order of the study's conditions; those of one workload stand together. */
    List<Ranking> rankings(Collection<Sample> samples) {
        Map<Levels, List<Sample>> byCondition =
                samples.stream().collect(groupingBy(Sample::condition, LinkedHashMap::new, toList()));
        List<Levels> written = manifest.study().conditions().stream()
                .flatMap(block -> block.expand().stream())
                .toList();
        List<Levels> conditions = byCondition.keySet().stream()
                .sorted(Comparator.<Levels>comparingInt(condition -> place(condition, written))
                        .thenComparing(Levels::toString))
                .toList();
        List<String> workloads =
                conditions.stream().map(Judge::workload).distinct().toList();
        return conditions.stream()
                .sorted(Comparator.comparingInt(condition -> workloads.indexOf(workload(condition))))
                .flatMap(condition -> operations(byCondition.get(condition)).stream()
                        .flatMap(operation -> rankings(condition, operation, byCondition.get(condition))))
                .toList();
    }

    /** That of all operations of a type; where their values are of several size classes, one of each class follows. */
    private Stream<Ranking> rankings(Levels condition, String operation, List<Sample> samples) {
        List<Operations> all = samples.stream()
                .flatMap(sample -> Stream.ofNullable(sample.operations().get(operation)))
                .toList();
        return Stream.concat(
                Stream.of(ranking(condition, operation, Optional.empty(), samples)),
                all.stream()
                        .flatMap(its -> its.bySize().keySet().stream())
                        .distinct()
                        .sorted()
                        .map(size -> ranking(
                                condition,
                                operation,
                                Optional.of(SizeShare.of(size, all)),
                                samples.stream()
                                        .flatMap(sample -> sample.outcome().isMeasurement()
                                                ? sample.ofSize(size).stream()
                                                : Stream.of(sample))
                                        .toList()))
                        .filter(ranking -> !ranking.rows().isEmpty()));
    }

    /** @param sizes the class that the samples have been reduced to */
    private Ranking ranking(Levels condition, String operation, Optional<SizeShare> sizes, List<Sample> samples) {
        Study study = manifest.study();
        Metric metric = metric(operation, samples);
        List<String> order = study.methods().stream().map(method -> method.id()).toList();
        SortedMap<String, List<Sample>> byMethod = new TreeMap<>(
                Comparator.<String>comparingInt(id -> order.contains(id) ? order.indexOf(id) : order.size())
                        .thenComparing(Comparator.naturalOrder()));
        samples.stream()
                .sorted(Comparator.comparing(Sample::block)
                        .thenComparing(Sample::fork)
                        .thenComparing(Sample::round))
                .forEach(s -> byMethod.computeIfAbsent(s.method(), id -> new ArrayList<>())
                        .add(s));
        List<Unranked> unranked = new ArrayList<>();
        byMethod.forEach((method, its) -> unranked(method, its).ifPresent(unranked::add));
        byMethod.keySet().removeAll(unranked.stream().map(Unranked::method).toList());
        byMethod.values()
                .removeIf(its -> its.stream()
                        .allMatch(sample -> sample.value(metric, operation).isEmpty()));

        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        byMethod.forEach((method, its) -> figures.put(
                method,
                its.stream()
                        .flatMap(sample -> sample.figures(metric, operation).stream())
                        .toList()));
        MethodComparisons comparisons = new MethodComparisons(figures, confidence());
        Map<String, MethodComparisons.Comparison> toBaseline = comparisons.to(study.baseline()).stream()
                .collect(toMap(MethodComparisons.Comparison::method, Function.identity()));
        Margin margin = margin(study.control(), toBaseline);
        // what shows the noise floor is not held against it
        Margin ofControl = Margin.of(equalWithin);

        Map<String, OwnLevels> levels = OwnLevels.of(figures);
        List<Row> rows = new ArrayList<>();
        byMethod.forEach((method, its) -> rows.add(row(
                its,
                operation,
                sizes,
                metric,
                method,
                figures.get(method),
                Optional.ofNullable(levels.get(method)),
                Optional.ofNullable(toBaseline.get(method))
                        .map(comparison -> Judgement.of(
                                comparison,
                                metric.higherIsBetter(),
                                study.control().equals(Optional.of(method)) ? ofControl : margin)))));
        sort(rows, study.baseline(), metric);
        List<String> candidates = Ranking.candidates(rows, study.control()).stream()
                .map(Row::method)
                .toList();
        double floor = Double.isFinite(margin.noiseFloor()) ? margin.noiseFloor() : 0;
        List<Judgement> toBest = candidates.isEmpty()
                ? List.of()
                : comparisons.toBest(candidates, floor).stream()
                        .map(comparison -> Judgement.of(comparison, metric.higherIsBetter(), margin))
                        .toList();
        return new Ranking(
                condition,
                operation,
                sizes,
                metric,
                study.baseline(),
                study.control(),
                confidence().among(Math.max(1, figures.size() - 1)),
                margin,
                rows,
                toBest,
                comparisons.tiers(candidates, floor),
                unranked);
    }

    /** The study's; but bytes per second of values of a few bytes tell nothing that operations per second do not tell better. */
    private Metric metric(String operation, List<Sample> samples) {
        List<Operations> all = samples.stream()
                .flatMap(sample -> Stream.ofNullable(sample.operations().get(operation)))
                .toList();
        long bytes = all.stream().mapToLong(Operations::applicationBytes).sum();
        long count = all.stream().mapToLong(Operations::count).sum();
        return manifest.study().metric() == Metric.THROUGHPUT
                        && bytes < count * LEAST_TELLING_BYTES
                        && !workload(samples.get(0).condition()).equals("codec")
                ? Metric.OPERATIONS
                : manifest.study().metric();
    }

    /** Of one interval, before it is one of several. */
    private Confidence confidence() {
        return confidence(manifest);
    }

    /** The same, of the intervals of any run; of a merged one, that of its most cautious part. */
    static Confidence confidence(Manifest manifest) {
        return manifest.sources().stream()
                .map(source -> confidence(source.manifest()))
                .min(Comparator.comparingDouble(Confidence::share))
                .orElseGet(() -> manifest.study().schedule().confidence(Confidence.USUAL));
    }

    private Margin margin(Optional<String> control, Map<String, MethodComparisons.Comparison> toBaseline) {
        return control.isEmpty()
                ? Margin.of(equalWithin)
                : control.map(toBaseline::get)
                        .map(comparison ->
                                Margin.of(equalWithin, comparison.effect().interval()))
                        .orElseGet(() -> new Margin(equalWithin, Double.POSITIVE_INFINITY));
    }

    /**
     * The best first, by what is shown beside it: the effect where there is one, else the ratio of the figures. Effects leave out what
     * the machine did to both sides, medians do not.
     */
    private static void sort(List<Row> rows, String baseline, Metric metric) {
        double base = rows.stream()
                .filter(row -> row.method().equals(baseline))
                .mapToDouble(row -> row.figure(metric))
                .filter(figure -> figure > 0)
                .findFirst()
                .orElse(1);
        Comparator<Row> rising = Comparator.comparingDouble(row ->
                row.toBaseline().map(judgement -> judgement.effect().ratio()).orElse(row.figure(metric) / base));
        rows.sort(metric.higherIsBetter() ? rising.reversed() : rising);
    }

    private Row row(
            List<Sample> samples,
            String operation,
            Optional<SizeShare> sizes,
            Metric metric,
            String method,
            List<Figure> figures,
            Optional<OwnLevels> levels,
            Optional<Judgement> toBaseline) {
        List<Sample> with = samples.stream()
                .filter(s -> s.operations().containsKey(operation))
                .toList();
        Function<Sample, Operations> of = sample -> sample.operations().get(operation);
        List<List<Histogram>> service = byFork(
                with, sizes.map(its -> Sample.ofSize(operation, its.size())).orElse(operation));
        boolean isWhole = sizes.isEmpty();
        return new Row(
                method,
                with.stream().allMatch(Judge::isCopy),
                new Ranking.Headline(
                        Spread.of(with.stream()
                                .flatMapToDouble(s -> s.value(metric, operation).stream())
                                .boxed()
                                .toList()),
                        mean(figures),
                        levels,
                        levels.flatMap(its -> slower(with, operation, its.slowForks()))),
                toBaseline,
                new Ranking.Latencies(
                        with.stream().map(of).mapToLong(Operations::count).sum(),
                        percentiles(service, byFork(with, Sample.responseOf(operation)), metric),
                        curve(service),
                        isWhole ? longest(with, of) : Optional.empty()),
                medians(with, operation),
                TimeSpent.mean(with.stream().map(of).toList()),
                isWhole ? sqlNodes(with, operation) : List.of(),
                new Ranking.Stored(
                        median(with, s -> applicationBytesPer(s.disk().allocatedBytes(), s)),
                        median(with, s -> applicationBytesPer(s.disk().usedBytes(), s)),
                        isWhole ? median(with, this::encodedBytesPerSecond) : OptionalDouble.empty(),
                        perKey(with),
                        isWhole ? placement(with) : Optional.empty()),
                new Ranking.Doubts(
                        reasons(with, Outcome.Unsteady.class),
                        reasons(with, Outcome.Saturated.class),
                        samples.stream()
                                .filter(Sample::isCrashed)
                                .map(s -> s.outcome().reason())
                                .toList(),
                        flags(with, operation)));
    }

    /** Over the rounds, of all metrics that are known; of the time of a window, where it is a number of operations of one type. */
    private SortedMap<Metric, Double> medians(List<Sample> samples, String operation) {
        SortedMap<Metric, Double> medians = new TreeMap<>();
        for (Metric metric : Metric.values()) {
            median(
                            samples,
                            sample -> metric != Metric.ELAPSED
                                            || sample.operations().size() == 1 && isCounted(sample)
                                    ? sample.value(metric, operation)
                                    : OptionalDouble.empty())
                    .ifPresent(median -> medians.put(metric, median));
        }
        return medians;
    }

    /** What an operation takes longer in slow forks, where there are such and it is known: the part that has grown most. */
    private static Optional<Bottleneck.Growth> slower(List<Sample> samples, String operation, Set<Integer> slowForks) {
        Map<Boolean, List<Operations>> bySpeed = samples.stream()
                .collect(partitioningBy(
                        sample -> slowForks.contains(sample.fork()),
                        mapping(sample -> sample.operations().get(operation), toList())));
        return TimeSpent.mean(bySpeed.get(true))
                .flatMap(slow -> TimeSpent.mean(bySpeed.get(false)).map(fast -> Bottleneck.growth(fast, slow)));
    }

    private static Optional<Longest> longest(List<Sample> samples, Function<Sample, Operations> of) {
        return samples.stream()
                .max(Comparator.comparingLong(
                        sample -> of.apply(sample).latency().max()))
                .map(sample -> new Longest(
                        of.apply(sample).latency().max(),
                        sample.fork(),
                        sample.round(),
                        sample.resources().counters()));
    }

    /** Empty but for sets, whose memory is known. */
    private Optional<PerKey> perKey(List<Sample> samples) {
        List<LoadedStore> sets = stores(samples, Judge::isOfSet)
                .filter(store -> store.placement().memoryBytes().isPresent())
                .toList();
        return sets.isEmpty()
                ? Optional.empty()
                : Optional.of(new PerKey(
                        perRow(sets, store -> store.amount().diskBytes()),
                        perRow(sets, store -> store.amount().diskUsedBytes()),
                        perRow(sets, store -> store.placement().memoryBytes())));
    }

    /** Empty for sets, and where nothing is known of it. */
    private Optional<Placement> placement(List<Sample> samples) {
        List<LoadedStore> tables = stores(samples, sample -> !isOfSet(sample)).toList();
        List<LoadedStore> ofCluster = tables.stream()
                .filter(store -> store.placement().memoryBytes().isPresent())
                .toList();
        return Optional.of(new Placement(
                        perRow(tables, store -> store.placement().inRow()),
                        tables.stream()
                                .flatMap(store -> store.placement().parts().stream())
                                .mapToDouble(PartsTable::inlineBytes)
                                .average(),
                        perRow(
                                ofCluster,
                                store -> OptionalLong.of(
                                        store.placement().memoryBytes().getAsLong() - partsBytes(store))),
                        perRow(ofCluster, store -> OptionalLong.of(partsBytes(store)))))
                .filter(Placement::isKnown);
    }

    private static long partsBytes(LoadedStore store) {
        return store.placement().parts().map(PartsTable::memoryBytes).orElse(0L);
    }

    private Stream<LoadedStore> stores(List<Sample> samples, Predicate<Sample> which) {
        return samples.stream()
                .filter(which)
                .flatMap(sample -> manifest.storeOf(sample).stream())
                .distinct();
    }

    private static boolean isOfSet(Sample sample) {
        return workload(sample.condition()).equals("membership");
    }

    private static OptionalDouble perRow(List<LoadedStore> stores, Function<LoadedStore, OptionalLong> amount) {
        return stores.stream()
                .filter(store ->
                        amount.apply(store).isPresent() && store.amount().rows() > 0)
                .mapToDouble(store -> (double) amount.apply(store).getAsLong()
                        / store.amount().rows())
                .average();
    }

    /** Medians over the rounds; none where what is told for the sample as a whole is not of this type alone. */
    private static List<Double> sqlNodes(List<Sample> samples, String operation) {
        List<Sample> told = samples.stream()
                .filter(sample ->
                        operation.equals(Sample.MIX) || sample.operations().size() == 1)
                .toList();
        int nodes = told.stream()
                .mapToInt(sample -> sample.resources().sqlNodes().size())
                .max()
                .orElse(0);
        return IntStream.range(0, nodes)
                .mapToObj(node -> median(
                        told,
                        sample -> node < sample.resources().sqlNodes().size()
                                ? OptionalDouble.of(
                                        sample.resources().sqlNodes().get(node))
                                : OptionalDouble.empty()))
                .map(OptionalDouble::orElseThrow)
                .toList();
    }

    /** The geometric mean of figures over their forks, or the rounds of the only one: the ratio to 1. */
    private Optional<Effect> mean(List<Figure> figures) {
        List<Figure> ones = Figure.averaged(figures).stream()
                .map(f -> new Figure(f.block(), f.fork(), f.round(), 1))
                .toList();
        return figures.isEmpty()
                ? Optional.empty()
                : Optional.of(Effect.of(Ratios.byRound(figures, ones), confidence()));
    }

    /** Ever closer together towards 100 %, as far as there are operations to tell them apart. */
    private static List<Ranking.CurvePoint> curve(List<List<Histogram>> byFork) {
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

    private SortedMap<Metric, Percentile> percentiles(
            List<List<Histogram>> service, List<List<Histogram>> response, Metric metric) {
        SortedMap<Metric, Percentile> percentiles = new TreeMap<>();
        for (Metric wanted : Metric.values()) {
            List<List<Histogram>> its = wanted.isResponse() ? response : service;
            if (wanted.percentile().isPresent()
                    && !its.isEmpty()
                    && (wanted.isResponse() || USUAL.contains(wanted) || wanted == metric)) {
                percentiles.put(wanted, Percentile.of(its, wanted.percentile().getAsDouble(), confidence()));
            }
        }
        return percentiles;
    }

    private List<List<Histogram>> byFork(List<Sample> samples, String histogram) {
        Map<Object, List<Histogram>> byFork = new LinkedHashMap<>();
        for (Sample sample : samples) {
            latencies
                    .apply(sample, histogram)
                    .ifPresent(latency -> byFork.computeIfAbsent(
                                    List.of(sample.block(), sample.fork()), fork -> new ArrayList<>())
                            .add(latency));
        }
        return List.copyOf(byFork.values());
    }

    /** What the samples were flagged with, and the first event that tells more; what befell another type of operation alone is left out. */
    private static SortedMap<String, Flagged> flags(List<Sample> samples, String operation) {
        SortedMap<String, Flagged> flags = new TreeMap<>();
        for (Sample sample : samples) {
            for (String flag : sample.flags()) {
                List<String> events = sample.events().stream()
                        .filter(event -> tellsOf(flag, event))
                        .toList();
                Optional<String> its = events.stream()
                        .filter(event -> sample.operations().keySet().stream()
                                .noneMatch(type -> !type.equals(operation) && event.startsWith(type + " ")))
                        .findFirst();
                if (its.isPresent() || events.isEmpty()) {
                    flags.merge(
                            flag,
                            new Flagged(1, its.orElse("")),
                            (some, one) -> new Flagged(some.rounds() + 1, some.event()));
                }
            }
        }
        return flags;
    }

    private static boolean tellsOf(String flag, String event) {
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
        return workload(sample.condition()).equals("codec")
                && sample.trial()
                        .methodLevels()
                        .find("codec")
                        .filter("none"::equals)
                        .isPresent();
    }

    /** What keeps a method from being ranked. A crash does not, unless it left nothing. */
    private static Optional<Unranked> unranked(String method, List<Sample> samples) {
        boolean anyMeasured =
                samples.stream().anyMatch(sample -> sample.outcome().isMeasurement());
        return Stream.<Class<? extends Outcome>>of(Outcome.Failed.class, Outcome.Unavailable.class)
                .map(kind -> samples.stream()
                        .filter(sample -> !(anyMeasured && sample.isCrashed()))
                        .map(Sample::outcome)
                        .filter(kind::isInstance)
                        .toList())
                .filter(outcomes -> !outcomes.isEmpty())
                .map(outcomes -> new Unranked(method, outcomes.get(0), outcomes.size(), samples.size()))
                .findFirst();
    }

    /** All types together come before each of them. */
    private static Collection<String> operations(List<Sample> samples) {
        Set<String> types = samples.stream()
                .flatMap(sample -> sample.operations().keySet().stream())
                .collect(toCollection(
                        () -> new TreeSet<>(Comparator.comparing((String type) -> !type.equals(Sample.MIX))
                                .thenComparing(Comparator.naturalOrder()))));
        return types.isEmpty() ? List.of(workload(samples.get(0).condition())) : types;
    }

    private static String workload(Levels condition) {
        return condition.find("workload").orElse("");
    }

    /** The first of the study's conditions that says nothing else about the factors that matter here. */
    private static int place(Levels condition, List<Levels> written) {
        for (int i = 0; i < written.size(); i++) {
            if (written.get(i).byFactor().entrySet().stream()
                    .allMatch(level -> condition
                            .find(level.getKey())
                            .map(level.getValue()::equals)
                            .orElse(true))) {
                return i;
            }
        }
        return written.size();
    }

    private static OptionalDouble median(List<Sample> samples, Function<Sample, OptionalDouble> figure) {
        List<Double> known = samples.stream()
                .map(figure)
                .filter(OptionalDouble::isPresent)
                .collect(mapping(OptionalDouble::getAsDouble, toList()));
        return known.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Spread.of(known).median());
    }

    private static OptionalDouble real(OptionalLong whole) {
        return whole.isPresent() ? OptionalDouble.of(whole.getAsLong()) : OptionalDouble.empty();
    }

    private boolean isCounted(Sample sample) {
        return window(manifest, sample.condition()) instanceof Window.Count;
    }

    /** What ends a window under a condition. Of how many operations one is, its table's rows may decide, which are not asked for here. */
    static Window window(Manifest manifest, Levels condition) {
        return Workload.FACTOR
                .of(condition)
                .window(condition, manifest.study().schedule().window(), 1);
    }

    /** What the window has put into a table that was empty before. */
    private static long inserted(Sample sample) {
        return Optional.ofNullable(sample.operations().get("insert"))
                .map(Operations::applicationBytes)
                .orElse(0L);
    }

    /** Of the whole store, by each byte that it takes. */
    private OptionalDouble applicationBytesPer(OptionalLong bytes, Sample sample) {
        return manifest.storeOf(sample)
                .map(store -> divide(store.amount().applicationBytes() + inserted(sample), real(bytes)))
                .orElse(OptionalDouble.empty());
    }

    private OptionalDouble encodedBytesPerSecond(Sample sample) {
        return manifest.storeOf(sample)
                .map(store -> store.amount().encodedBytesPerS())
                .orElse(OptionalDouble.empty());
    }

    private static OptionalDouble divide(double by, OptionalDouble divisor) {
        return divisor.isPresent() && divisor.getAsDouble() > 0
                ? OptionalDouble.of(by / divisor.getAsDouble())
                : OptionalDouble.empty();
    }
}
