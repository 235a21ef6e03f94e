package dev.blobmark.analysis;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Ranking.SizeShare;
import dev.blobmark.analysis.Ranking.Unranked;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.MethodComparisons;
import dev.blobmark.stats.OwnLevels;
import dev.blobmark.stats.ToBaseline;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Ranks samples by the rules of {@code docs/statistics.md}. The result does not depend on the order of the samples.
 *
 * @param latencies the histogram of a sample's operations of one type, in nanoseconds
 * @param equalWithin the difference up to which methods may be called equal; 0.02 for 2 %
 */
public record Rankings(
        Manifest manifest, BiFunction<Sample, String, Optional<Histogram>> latencies, double equalWithin) {

    /** Why no verdict is given on a method, see {@link #areLimitedByClients}. */
    public static final String LIMITED_BY_CLIENTS = "clients, not the server, limited the rate";

    /** Average bytes of an operation below which its time is that of the way to the server and back. */
    private static final long LEAST_TELLING_BYTES = 1024;

    /** All rankings of a run, in the order of the study's conditions; those of one workload are together. */
    public List<Ranking> rankings(Collection<Sample> samples) {
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
                conditions.stream().map(Rankings::workload).distinct().toList();
        return conditions.stream()
                .sorted(Comparator.comparingInt(condition -> workloads.indexOf(workload(condition))))
                .flatMap(condition -> operations(byCondition.get(condition)).stream()
                        .flatMap(operation -> rankings(condition, operation, byCondition.get(condition))))
                .toList();
    }

    /** The ranking of all operations of a type, followed by one for each size class if there are several. */
    private Stream<Ranking> rankings(Levels condition, String operation, List<Sample> samples) {
        List<Operations> all = samples.stream()
                .flatMap(sample -> Stream.ofNullable(sample.operations().get(operation)))
                .toList();
        return Stream.concat(
                Stream.of(ranking(condition, operation, Optional.empty(), samples)),
                all.stream()
                        .flatMap(operations -> operations.bySize().keySet().stream())
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

    /** @param sizes the class to which the samples are reduced */
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
        byMethod.forEach((method, tried) -> unranked(method, tried).ifPresent(unranked::add));
        byMethod.keySet().removeAll(unranked.stream().map(Unranked::method).toList());
        byMethod.values()
                .removeIf(tried -> tried.stream()
                        .allMatch(sample -> sample.value(metric, operation).isEmpty()));

        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        byMethod.forEach((method, tried) -> figures.put(
                method,
                tried.stream()
                        .flatMap(sample -> sample.figures(metric, operation).stream())
                        .toList()));
        MethodComparisons comparisons = new MethodComparisons(figures, confidence());
        ToBaseline toBaseline =
                ToBaseline.of(comparisons, study.baseline(), study.control(), equalWithin, metric.higherIsBetter());
        Margin margin = toBaseline.margin();
        Set<String> limited = limitedByClients(byMethod);

        Map<String, OwnLevels> levels = OwnLevels.of(figures);
        Rows of = new Rows(this, operation, sizes, metric);
        List<Row> rows = new ArrayList<>();
        byMethod.forEach((method, tried) -> rows.add(of.row(
                method,
                tried,
                figures.get(method),
                Optional.ofNullable(levels.get(method)),
                toBaseline
                        .find(method)
                        .map(found -> Judgement.of(found, withheld(limited, found, toBaseline.verdict(found)))))));
        sort(rows, study.baseline(), metric);
        List<String> candidates = Ranking.candidates(rows, study.control()).stream()
                .map(Row::method)
                .toList();
        double floor = Double.isFinite(margin.noiseFloor()) ? margin.noiseFloor() : 0;
        List<Judgement> toBest = candidates.isEmpty()
                ? List.of()
                : comparisons.toBest(candidates, floor).stream()
                        .map(comparison -> Judgement.of(
                                comparison,
                                withheld(
                                        limited,
                                        comparison,
                                        Verdict.of(comparison.effect(), metric.higherIsBetter(), margin))))
                        .toList();
        return new Ranking(
                new Ranking.RankedSubject(condition, operation, sizes, metric),
                study.baseline(),
                study.control(),
                margin,
                rows,
                toBest,
                comparisons.tiers(candidates, floor, limited),
                unranked);
    }

    /** The methods whose rate was limited by the clients. */
    private static Set<String> limitedByClients(Map<String, List<Sample>> byMethod) {
        return byMethod.entrySet().stream()
                .filter(of -> areLimitedByClients(of.getValue()))
                .map(Map.Entry::getKey)
                .collect(toSet());
    }

    /** Whether the clients, not the server, limited the rate in at least half of the samples. */
    public static boolean areLimitedByClients(Collection<Sample> samples) {
        return 2
                        * samples.stream()
                                .filter(sample -> sample.flags().contains(Sample.CLIENT_LIMITED))
                                .count()
                >= samples.size();
    }

    private static Verdict withheld(Set<String> limited, MethodComparisons.Comparison comparison, Verdict verdict) {
        return limited.contains(comparison.method()) || limited.contains(comparison.other())
                ? new Verdict.Inconclusive(LIMITED_BY_CLIENTS)
                : verdict;
    }

    /**
     * The study's metric, except that values of a few bytes are ranked by operations per second instead of bytes per
     * second.
     */
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

    /** The confidence of one interval, before the correction for several. */
    Confidence confidence() {
        return confidence(manifest);
    }

    /** The confidence of the intervals of a run; for a merged run, that of its most cautious part. */
    public static Confidence confidence(Manifest manifest) {
        return manifest.sources().stream()
                .map(source -> confidence(source.manifest()))
                .min(Comparator.comparingDouble(Confidence::share))
                .orElseGet(() -> manifest.study().schedule().confidence());
    }

    /**
     * The best first, by the effect if there is one, else by the ratio of the figures. What the machine does to both
     * sides cancels in effects, and not in medians.
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

    /** The outcome that prevents a ranking. A crash does not, unless no round is left. */
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

    /** All types together come before each type. */
    private static Collection<String> operations(List<Sample> samples) {
        Set<String> types = samples.stream()
                .flatMap(sample -> sample.operations().keySet().stream())
                .collect(toCollection(
                        () -> new TreeSet<>(Comparator.comparing((String type) -> !type.equals(Sample.MIX))
                                .thenComparing(Comparator.naturalOrder()))));
        return types.isEmpty() ? List.of(workload(samples.get(0).condition())) : types;
    }

    static String workload(Levels condition) {
        return condition.find(Workload.FACTOR).orElse("");
    }

    /** Index of the first condition of the study that agrees in the relevant factors. */
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

    /**
     * What ends a window under a condition. A number of operations that depends on the rows of the table is not
     * resolved.
     */
    public static Window window(Manifest manifest, Levels condition) {
        return new Design(condition)
                .get(Workload.FACTOR)
                .window(new Design(condition), manifest.study().schedule().window(), 1);
    }
}
