package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Metric;
import dev.blobmark.lab.study.Study;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The methods under one condition, by what operations of one type gave: a pure function of a run's samples.
 *
 * @param operation the operation type; the workload where nothing was measured
 * @param rows the methods that were measured in each round that they were tried in, the best first
 * @param unranked the others, in the order of the study
 */
public record Ranking(
        Levels condition, String operation, Metric metric, String baseline, List<Row> rows, List<Unranked> unranked) {

    /**
     * One method. Figures other than the metric are medians over the rounds; a percentile is the median of the rounds'
     * percentiles.
     *
     * @param value the metric, in its unit
     * @param ratio to the baseline: the ratio of the medians, and the range of the ratios of one round, over the rounds
     *     that both have; empty where they have none
     * @param compressionRatio application bytes ÷ stored bytes
     * @param diskRatio application bytes ÷ disk bytes, of the whole store
     * @param clientCpuNanosPerOp empty where the samples have other operation types besides
     * @param allocatedBytesPerOp likewise
     * @param isCopy whether nothing is encoded or decoded but memory copied: the bound of the codecs, and none of them
     * @param unsteady reasons of the rounds in which the method was not steady
     * @param saturated reasons of the rounds in which the rate was not reached
     * @param response times from the intended start, medians over the rounds; empty in a closed loop
     */
    public record Row(
            String method,
            boolean isCopy,
            Spread value,
            Optional<Spread> ratio,
            OptionalDouble compressionRatio,
            OptionalDouble diskRatio,
            OptionalDouble diskBytes,
            double p50Nanos,
            double p99Nanos,
            OptionalDouble clientCpuNanosPerOp,
            OptionalDouble allocatedBytesPerOp,
            List<String> unsteady,
            List<String> saturated,
            Optional<Response> response) {}

    /** Response times of an open loop in nanoseconds. */
    public record Response(double p50Nanos, double p99Nanos, double p999Nanos) {}

    /**
     * A method that failed in a round, or is not available here.
     *
     * @param outcome the first that kept it from being ranked; a failure comes before all else
     * @param times rounds that ended so
     * @param rounds rounds in which the method was tried
     */
    public record Unranked(String method, Outcome outcome, int times, int rounds) {}

    /** What was best, a mere copy aside; empty where nothing was measured. */
    public Optional<Row> best() {
        return rows.stream()
                .filter(row -> !row.isCopy())
                .findFirst()
                .or(() -> rows.stream().findFirst());
    }

    public Optional<Row> find(String method) {
        return rows.stream().filter(row -> row.method().equals(method)).findFirst();
    }

    /** The methods whose ranges overlap with that of the best, in order. */
    public List<String> notSeparatedFromBest() {
        return best().stream()
                .flatMap(best -> rows.stream()
                        .filter(row -> row != best && !row.isCopy())
                        .filter(row -> row.value().overlaps(best.value())))
                .map(Row::method)
                .toList();
    }

    /** All rankings of a run, in the order of the study's conditions; those of one workload stand together. */
    public static List<Ranking> of(Manifest manifest, Collection<Sample> samples) {
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
                conditions.stream().map(Ranking::workload).distinct().toList();
        return conditions.stream()
                .sorted(Comparator.comparingInt(condition -> workloads.indexOf(workload(condition))))
                .flatMap(condition -> operations(byCondition.get(condition)).stream()
                        .map(operation -> of(manifest, condition, operation, byCondition.get(condition))))
                .toList();
    }

    private static Ranking of(Manifest manifest, Levels condition, String operation, List<Sample> samples) {
        Study study = manifest.study();
        List<String> order = study.methods().stream().map(method -> method.id()).toList();
        Map<String, List<Sample>> byMethod = new TreeMap<>(
                Comparator.<String>comparingInt(id -> order.contains(id) ? order.indexOf(id) : order.size())
                        .thenComparing(Comparator.naturalOrder()));
        samples.forEach(s ->
                byMethod.computeIfAbsent(s.method(), id -> new ArrayList<>()).add(s));

        List<Unranked> unranked = new ArrayList<>();
        byMethod.forEach((method, its) -> unranked(method, its).ifPresent(unranked::add));
        byMethod.keySet().removeAll(unranked.stream().map(Unranked::method).toList());

        Map<Round, Double> base =
                byRound(byMethod.getOrDefault(study.baseline(), List.of()), study.metric(), operation);
        List<Row> rows = new ArrayList<>();
        byMethod.forEach((method, its) -> {
            Map<Round, Double> values = byRound(its, study.metric(), operation);
            if (!values.isEmpty()) {
                rows.add(row(method, its, operation, values, base, manifest));
            }
        });
        Comparator<Row> rising = Comparator.comparingDouble(row -> row.value().median());
        rows.sort(study.metric().higherIsBetter() ? rising.reversed() : rising);
        return new Ranking(
                condition, operation, study.metric(), study.baseline(), List.copyOf(rows), List.copyOf(unranked));
    }

    private static Row row(
            String method,
            List<Sample> samples,
            String operation,
            Map<Round, Double> values,
            Map<Round, Double> base,
            Manifest manifest) {
        List<Sample> with = samples.stream()
                .filter(s -> s.operations().containsKey(operation))
                .toList();
        Function<Sample, Sample.Operations> of = sample -> sample.operations().get(operation);
        OptionalDouble diskBytes = median(with, s -> real(s.diskBytes()));
        return new Row(
                method,
                samples.stream().allMatch(Ranking::isCopy),
                Spread.of(values.values()),
                ratio(values, base),
                median(
                        with,
                        s -> divide(
                                of.apply(s).applicationBytes(), real(of.apply(s).storedBytes()))),
                median(
                        with,
                        s -> manifest.storeOf(s)
                                .map(store -> divide(store.applicationBytes(), real(s.diskBytes())))
                                .orElse(OptionalDouble.empty())),
                diskBytes,
                median(with, s -> OptionalDouble.of(of.apply(s).latency().p50()))
                        .orElseThrow(),
                median(with, s -> OptionalDouble.of(of.apply(s).latency().p99()))
                        .orElseThrow(),
                median(with, s -> s.value(Metric.CPU, operation)),
                median(with, s -> s.value(Metric.ALLOCATION, operation)),
                reasons(with, Outcome.Unsteady.class),
                reasons(with, Outcome.Saturated.class),
                response(with, operation));
    }

    private static List<String> reasons(List<Sample> samples, Class<? extends Outcome> kind) {
        return samples.stream()
                .map(Sample::outcome)
                .filter(kind::isInstance)
                .map(Outcome::reason)
                .toList();
    }

    private static Optional<Response> response(List<Sample> samples, String operation) {
        OptionalDouble p50 = median(samples, s -> s.value(Metric.RESPONSE_P50, operation));
        OptionalDouble p99 = median(samples, s -> s.value(Metric.RESPONSE_P99, operation));
        OptionalDouble p999 = median(samples, s -> s.value(Metric.RESPONSE_P999, operation));
        return p50.isPresent()
                ? Optional.of(new Response(p50.getAsDouble(), p99.getAsDouble(), p999.getAsDouble()))
                : Optional.empty();
    }

    private static boolean isCopy(Sample sample) {
        return workload(sample.condition()).equals("codec")
                && sample.methodLevels().find("codec").filter("none"::equals).isPresent();
    }

    private record Round(int block, int number) {}

    private static Map<Round, Double> byRound(List<Sample> samples, Metric metric, String operation) {
        Map<Round, Double> values = new LinkedHashMap<>();
        for (Sample sample : samples) {
            sample.value(metric, operation)
                    .ifPresent(value -> values.put(new Round(sample.block(), sample.round()), value));
        }
        return values;
    }

    /**
     * The ratio of the medians always lies in the range of the rounds' ratios: where each value is at least r times the
     * baseline's of the same round, so is their median.
     */
    private static Optional<Spread> ratio(Map<Round, Double> values, Map<Round, Double> base) {
        Set<Round> both = new HashSet<>(values.keySet());
        both.retainAll(base.keySet());
        both.removeIf(round -> base.get(round) == 0);
        if (both.isEmpty()) {
            return Optional.empty();
        }
        Spread ratios =
                Spread.of(both.stream().map(r -> values.get(r) / base.get(r)).toList());
        double medians = Spread.of(both.stream().map(values::get).toList()).median()
                / Spread.of(both.stream().map(base::get).toList()).median();
        return Optional.of(new Spread(medians, ratios.min(), ratios.max(), ratios.rounds()));
    }

    private static Optional<Unranked> unranked(String method, List<Sample> samples) {
        return Stream.<Class<? extends Outcome>>of(Outcome.Failed.class, Outcome.Unavailable.class)
                .map(kind -> samples.stream()
                        .map(Sample::outcome)
                        .filter(kind::isInstance)
                        .toList())
                .filter(outcomes -> !outcomes.isEmpty())
                .map(outcomes -> new Unranked(method, outcomes.get(0), outcomes.size(), samples.size()))
                .findFirst();
    }

    private static Collection<String> operations(List<Sample> samples) {
        Set<String> types = samples.stream()
                .flatMap(sample -> sample.operations().keySet().stream())
                .collect(toCollection(TreeSet::new));
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

    private static OptionalDouble divide(double by, OptionalDouble divisor) {
        return divisor.isPresent() && divisor.getAsDouble() > 0
                ? OptionalDouble.of(by / divisor.getAsDouble())
                : OptionalDouble.empty();
    }
}
