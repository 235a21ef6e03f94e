package dev.blobmark.analysis;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.MethodComparisons;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.ToBaseline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The number of threads up to which the operations per second of each method grew by more than the noise, in a closed
 * loop under conditions that differ only in their threads.
 *
 * <p>From one thread count to the next, the rate grew if the whole interval of the ratio, paired by round, is above 1
 * and above the noise floors of both counts. A method is saturated at the last count that it reached by growth. The
 * intervals of a method hold together.
 *
 * @param condition the common levels: all except {@code threads}
 * @param threads the counts, rising; at least {@value #LEAST_COUNTS}
 * @param methods in the order of the study, without the control
 */
public record Saturation(Levels condition, String operation, List<Integer> threads, List<MethodSaturation> methods) {

    static final int LEAST_COUNTS = 3;

    static final String THREADS = "threads";

    /** The point up to which the rate of a method grew. */
    public sealed interface Point {

        /** The word in JSON. */
        String word();

        /** The thread count up to which the rate grew; empty if unknown. */
        Optional<Integer> threads();
    }

    /**
     * No later step is known to have grown.
     *
     * @param isSure whether no later step may have grown: a mean beyond the noise whose interval is not leaves it open
     */
    public record At(int count, boolean isSure) implements Point {

        @Override
        public String word() {
            return isSure ? "at" : "at-least";
        }

        @Override
        public Optional<Integer> threads() {
            return Optional.of(count);
        }

        @Override
        public String toString() {
            return count + (count == 1 ? " thread" : " threads") + (isSure ? "" : " or more");
        }
    }

    /** The last step still grew. */
    public record NotReached(int count) implements Point {

        @Override
        public String word() {
            return "not-reached";
        }

        @Override
        public Optional<Integer> threads() {
            return Optional.of(count);
        }

        @Override
        public String toString() {
            return "not by " + count;
        }
    }

    /** The point is unknown. */
    public record Unknown(String reason) implements Point {

        @Override
        public String word() {
            return "unknown";
        }

        @Override
        public Optional<Integer> threads() {
            return Optional.empty();
        }

        @Override
        public String toString() {
            return "unknown: " + reason;
        }
    }

    /**
     * From one thread count to the next that was measured.
     *
     * @param rate the rate at the next count ÷ that at this count; empty if no round has both
     * @param noiseFloor the distance above 1 that the interval must have; infinite if the control has no interval
     */
    public record Step(int from, int to, Optional<Effect> rate, double noiseFloor) {

        public boolean isGrowth() {
            return rate.map(Effect::interval)
                    .filter(interval -> interval instanceof Interval.Range range && range.low() > 1 + noiseFloor)
                    .isPresent();
        }

        /** Whether the mean exceeds negligible growth; a wide noise floor does not hide growth. */
        private boolean mayHaveGrown(double negligible) {
            Margin margin = new Margin(negligible, noiseFloor);
            double beyond = margin.allowsEqual() ? margin.effective() : margin.wanted();
            return rate.filter(effect -> effect.ratio() > 1 + beyond).isPresent();
        }

        /** Why the step cannot be judged. */
        private Optional<String> obstacle() {
            String step = "from " + from + " to " + to + " threads ";
            if (rate.isEmpty()) {
                return Optional.of(step + "no round has both");
            }
            return rate.get().interval() instanceof Interval.None none
                    ? Optional.of(step + "there is no interval (" + none.reason() + ")")
                    : Double.isInfinite(noiseFloor)
                            ? Optional.of("the noise floor at " + from + " or " + to + " threads is unknown")
                            : Optional.empty();
        }
    }

    /**
     * One method.
     *
     * @param steps between the thread counts at which it was ranked, rising
     * @param operationsPerSecond at the point; the median over the rounds
     * @param p95Nanos at the point, of all operations together
     */
    public record MethodSaturation(
            String method, Point point, List<Step> steps, OptionalDouble operationsPerSecond, OptionalDouble p95Nanos) {

        /** The first step after the last growth. */
        public Optional<Step> next() {
            return point instanceof At at
                    ? steps.stream().filter(step -> step.from() == at.count()).findFirst()
                    : Optional.empty();
        }
    }

    /** All saturations of a run. If types of operations compete for one window, only that of all types together. */
    public static List<Saturation> of(Analysis report) {
        Map<ConditionFamily, List<Ranking>> families = families(report.rankings().stream()
                .filter(ranking -> ranking.condition()
                        .find(Load.FACTOR)
                        .map("closed"::equals)
                        .orElse(true))
                .toList());
        List<Saturation> all = new ArrayList<>();
        families.forEach((family, rankings) -> {
            SortedMap<Integer, Ranking> byThreads = byThreads(rankings);
            if (byThreads.size() >= LEAST_COUNTS) {
                Optional.of(of(report, family, byThreads))
                        .filter(saturation -> !saturation.methods().isEmpty())
                        .ifPresent(all::add);
            }
        });
        return all;
    }

    /** The key of rankings of one type of operation whose conditions differ only in their threads. */
    record ConditionFamily(Levels condition, String operation) {}

    /**
     * The rankings of all values, in their order; if types of operations compete for one window, only those of all
     * types together.
     */
    public static Map<ConditionFamily, List<Ranking>> families(List<Ranking> rankings) {
        List<Levels> mixed = rankings.stream()
                .filter(ranking -> ranking.operation().equals(Sample.MIX))
                .map(Ranking::condition)
                .toList();
        return rankings.stream()
                .filter(ranking -> ranking.sizes().isEmpty() && !ranking.rows().isEmpty())
                .filter(ranking -> ranking.operation().equals(Sample.MIX) || !mixed.contains(ranking.condition()))
                .collect(groupingBy(
                        ranking -> new ConditionFamily(
                                ranking.condition().only(factor -> !factor.equals(THREADS)), ranking.operation()),
                        LinkedHashMap::new,
                        toList()));
    }

    /** The rankings whose condition states the threads. */
    public static SortedMap<Integer, Ranking> byThreads(List<Ranking> rankings) {
        SortedMap<Integer, Ranking> byThreads = new TreeMap<>();
        rankings.forEach(ranking -> ranking.condition()
                .find(THREADS)
                .ifPresent(threads -> byThreads.put(Integer.valueOf(threads), ranking)));
        return byThreads;
    }

    private static Saturation of(Analysis report, ConditionFamily family, SortedMap<Integer, Ranking> byThreads) {
        SortedMap<Integer, Double> floors = new TreeMap<>();
        byThreads.forEach((threads, ranking) -> floors.put(threads, noiseFloor(report, ranking)));
        Optional<String> control = report.manifest().study().control();
        List<MethodSaturation> methods = report.manifest().study().methods().stream()
                .map(method -> method.id())
                .filter(method -> !control.equals(Optional.of(method)))
                .flatMap(method -> saturated(report, method, byThreads, floors).stream())
                .toList();
        return new Saturation(family.condition(), family.operation(), List.copyOf(byThreads.keySet()), methods);
    }

    /** The noise floor of rates. That of the ranking may belong to another metric. */
    private static double noiseFloor(Analysis report, Ranking ranking) {
        if (ranking.control().isEmpty()) {
            return 0;
        }
        Map<String, List<Figure>> rates = new LinkedHashMap<>();
        ranking.rows().forEach(row -> rates.put(row.method(), rates(report, ranking, row.method())));
        return ToBaseline.of(
                        new MethodComparisons(rates, Rankings.confidence(report.manifest())),
                        ranking.baseline(),
                        ranking.control(),
                        0,
                        true)
                .margin()
                .noiseFloor();
    }

    private static List<Figure> rates(Analysis report, Ranking ranking, String method) {
        return report.samples(ranking, method).stream()
                .flatMap(sample -> sample.figures(Metric.OPERATIONS, ranking.operation()).stream())
                .toList();
    }

    /** Empty if the method was ranked at less than two thread counts. */
    private static Optional<MethodSaturation> saturated(
            Analysis report, String method, SortedMap<Integer, Ranking> byThreads, SortedMap<Integer, Double> floors) {
        List<Integer> counts = byThreads.keySet().stream()
                .filter(threads -> byThreads.get(threads).find(method).isPresent())
                .toList();
        if (counts.size() < 2) {
            return Optional.empty();
        }
        Confidence confidence = Rankings.confidence(report.manifest()).among(counts.size() - 1);
        List<List<Figure>> rates = counts.stream()
                .map(threads -> rates(report, byThreads.get(threads), method))
                .toList();
        List<Step> steps = IntStream.range(1, counts.size())
                .mapToObj(i -> new Step(
                        counts.get(i - 1),
                        counts.get(i),
                        ratio(rates.get(i), rates.get(i - 1), confidence),
                        Math.max(floors.get(counts.get(i - 1)), floors.get(counts.get(i)))))
                .toList();
        Point point = point(steps, report.equalWithin());
        Optional<Row> there = point.threads().map(byThreads::get).flatMap(ranking -> ranking.find(method));
        return Optional.of(new MethodSaturation(
                method,
                point,
                steps,
                there.map(row -> row.median(Metric.OPERATIONS)).orElse(OptionalDouble.empty()),
                there.flatMap(row -> Optional.ofNullable(row.percentiles().get(Metric.P95)))
                        .map(p95 -> OptionalDouble.of(p95.value()))
                        .orElse(OptionalDouble.empty())));
    }

    private static Optional<Effect> ratio(List<Figure> next, List<Figure> previous, Confidence confidence) {
        Ratios ratios = Ratios.matched(next, previous);
        return ratios.units() == 0 ? Optional.empty() : Optional.of(Effect.of(ratios, confidence));
    }

    /**
     * The saturation point of one method.
     *
     * @param steps rising, at least one
     * @param negligible growth: 0.02 for 2 %
     */
    static Point point(List<Step> steps, double negligible) {
        Optional<String> obstacle =
                steps.stream().flatMap(step -> step.obstacle().stream()).findFirst();
        if (obstacle.isPresent()) {
            return new Unknown(obstacle.get());
        }
        Step last = steps.get(steps.size() - 1);
        if (last.isGrowth()) {
            return new NotReached(last.to());
        }
        int count = steps.stream()
                .filter(Step::isGrowth)
                .mapToInt(Step::to)
                .max()
                .orElse(steps.get(0).from());
        return new At(
                count,
                steps.stream().filter(step -> step.from() >= count).noneMatch(step -> step.mayHaveGrown(negligible)));
    }
}
