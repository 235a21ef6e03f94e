package dev.blobmark.analysis;

import static java.util.stream.Collectors.toCollection;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Surroundings;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The change of each trial from the runs of one side, the base, to those of the other side.
 *
 * <p>By default the figure of a trial is its ratio to the baseline of its own run, so that whatever slows all methods
 * alike cancels: the effect is a ratio of ratios. Within a run the unit is the fork, or the round if there is one fork.
 * Nothing pairs the forks of different runs. With several runs of a side each run is one figure, and the interval
 * covers the spread between runs.
 *
 * @param baseline id of the method that ratios refer to; empty if the figures themselves are compared
 * @param confidence of all intervals together
 * @param compared in the order of the base's plan
 * @param incomparable trials that only one side has, or that cannot be compared
 * @param differences between the surroundings of the runs
 * @param gates one for each limit
 */
public record Comparison(
        List<ComparedRun> base,
        List<ComparedRun> other,
        Optional<String> baseline,
        List<Metric> metrics,
        Confidence confidence,
        List<Compared> compared,
        List<Incomparable> incomparable,
        List<RunDifference> differences,
        List<LimitResult> gates) {

    /**
     * The change of one trial in one metric of one type of operation.
     *
     * @param baseValue the geometric mean over units: the ratio to the baseline, or the figure itself
     * @param unsteady whether a sample of either side was not steady
     */
    public record Compared(
            Metric metric,
            String trial,
            String method,
            Levels condition,
            String operation,
            double baseValue,
            double otherValue,
            Effect effect,
            Unit unit,
            boolean unsteady) {

        /** What the interval establishes, even if the difference is small. */
        public Verdict verdict() {
            return Verdict.of(effect.interval(), metric.higherIsBetter(), Margin.of(0));
        }
    }

    public record Incomparable(String trial, String method, Levels condition, String reason) {}

    /** A difference between the runs, with the values of each side; several values if the runs of a side differ. */
    public record RunDifference(String what, Set<String> base, Set<String> other) {

        /** Whether it is a variable of a server: {@code server mysql sync_binlog}. */
        public boolean isVariable() {
            return what.matches("server \\S.* [a-z0-9_]+");
        }

        /** The last word. */
        public String name() {
            return what.substring(what.lastIndexOf(' ') + 1);
        }
    }

    /** A limit, with the comparisons by its metric. */
    public record LimitResult(Limit limit, List<Compared> exceeded, List<Compared> inconclusive, List<Compared> kept) {

        static LimitResult of(Limit limit, List<Compared> all) {
            Function<Limit.LimitJudgement, List<Compared>> judged = judgement -> all.stream()
                    .filter(c -> c.metric() == limit.metric() && limit.judge(c.effect()) == judgement)
                    .toList();
            return new LimitResult(
                    limit,
                    judged.apply(Limit.LimitJudgement.EXCEEDED),
                    judged.apply(Limit.LimitJudgement.INCONCLUSIVE),
                    judged.apply(Limit.LimitJudgement.KEPT));
        }

        /** Number of comparisons that were judged. A gate that judged none has not been passed. */
        public int judged() {
            return exceeded.size() + inconclusive.size() + kept.size();
        }

        /**
         * The smallest regression that these runs would have established in each trial, as a share: 0.05 for a loss of
         * 5 %. Empty if a trial has no interval, or none was judged.
         */
        public OptionalDouble smallestEstablished() {
            double widest = -1;
            for (Compared trial : Stream.of(exceeded, inconclusive, kept)
                    .flatMap(List::stream)
                    .toList()) {
                if (!(trial.effect().interval() instanceof Interval.Range range)) {
                    return OptionalDouble.empty();
                }
                double half = range.relativeHalfWidth();
                widest = Math.max(
                        widest,
                        !limit.metric().higherIsBetter() ? half : Double.isInfinite(half) ? 1 : half / (1 + half));
            }
            return widest < 0 ? OptionalDouble.empty() : OptionalDouble.of(widest);
        }
    }

    /**
     * What to compare.
     *
     * @param metric empty for the studies' own
     * @param absolute whether the figures themselves are compared, and not their ratios to the baseline
     * @param limits whose metrics are compared too
     */
    public record Options(Optional<Metric> metric, boolean absolute, List<Limit> limits) {}

    /**
     * Compares runs; each side has at least one.
     *
     * @throws IllegalArgumentException if the studies have no metric or no baseline in common; the message has the fix
     */
    public static Comparison of(List<ComparedRun> base, List<ComparedRun> other, Options options) {
        if (base.isEmpty() || other.isEmpty()) {
            throw new IllegalArgumentException("a side of the comparison has no run");
        }
        List<ComparedRun> all = Stream.concat(base.stream(), other.stream()).toList();
        Set<Metric> metrics = new LinkedHashSet<>();
        metrics.add(options.metric()
                .orElseGet(() -> same(all, m -> m.study().metric(), "metrics", "choose one with --metric")));
        options.limits().forEach(limit -> metrics.add(limit.metric()));
        Optional<String> baseline = options.absolute()
                ? Optional.empty()
                : Optional.of(same(
                        all, m -> m.study().baseline(), "baselines", "compare the figures themselves with --absolute"));

        Matching matching = new Matching(base, other, !options.absolute());
        Set<String> trials = new LinkedHashSet<>();
        all.forEach(run -> trials.addAll(run.manifest().plan().trials()));
        all.forEach(run -> trials.addAll(run.trials().keySet()));
        for (Metric metric : metrics) {
            trials.forEach(trial -> matching.match(trial, metric));
        }
        Confidence confidence = all.stream()
                .map(run -> Rankings.confidence(run.manifest()))
                .min(Comparator.comparingDouble(Confidence::share))
                .orElse(Confidence.USUAL)
                .among(Math.max(1, matching.pairs.size()));
        List<Compared> compared =
                matching.pairs.stream().map(pair -> pair.judge(confidence)).toList();
        return new Comparison(
                base,
                other,
                baseline,
                List.copyOf(metrics),
                confidence,
                compared,
                List.copyOf(matching.incomparable),
                differences(base, other),
                options.limits().stream()
                        .map(limit -> LimitResult.of(limit, compared))
                        .toList());
    }

    private static <T> T same(List<ComparedRun> runs, Function<Manifest, T> of, String what, String mend) {
        List<T> found =
                runs.stream().map(run -> of.apply(run.manifest())).distinct().toList();
        if (found.size() > 1) {
            throw new IllegalArgumentException("the studies have different " + what + " ("
                    + String.join(
                            ", ",
                            found.stream()
                                    .map(value -> value instanceof Metric metric ? metric.word() : value.toString())
                                    .toList())
                    + "); " + mend);
        }
        return found.get(0);
    }

    /** Whether the spread between runs is in the intervals. */
    public boolean coversRuns() {
        return base.size() + other.size() > 2;
    }

    /** Whether a limit was exceeded. */
    public boolean isExceeded() {
        return gates.stream().anyMatch(gate -> !gate.exceeded().isEmpty());
    }

    private static List<RunDifference> differences(List<ComparedRun> base, List<ComparedRun> other) {
        List<Manifest> all = Stream.concat(base.stream(), other.stream())
                .map(ComparedRun::manifest)
                .toList();
        return Surroundings.differing(all).stream()
                .map(what -> new RunDifference(what, values(base, what), values(other, what)))
                .toList();
    }

    private static Set<String> values(List<ComparedRun> runs, String what) {
        return runs.stream()
                .map(run -> Surroundings.of(run.manifest()).get(what))
                .filter(Objects::nonNull)
                .collect(toCollection(LinkedHashSet::new));
    }

    /** The two sides of a trial. They become an effect when the number of comparisons is known. */
    private record TrialSides(
            Metric metric,
            Sample sample,
            String operation,
            double[] base,
            double[] other,
            Unit unit,
            boolean unsteady) {

        Compared judge(Confidence confidence) {
            // the spread of a single run is unknown: it is assumed to be that of the other side
            Effect effect = unit == Unit.RUN && Math.min(base.length, other.length) == 1
                    ? Effect.pooled(other, base, unit, confidence)
                    : Effect.unpaired(other, base, unit, confidence);
            return new Compared(
                    metric,
                    sample.trial().id(),
                    sample.method(),
                    sample.condition(),
                    operation,
                    geometricMean(base),
                    geometricMean(other),
                    effect,
                    unit,
                    unsteady);
        }

        private static double geometricMean(double[] logs) {
            return Math.exp(Arrays.stream(logs).average().orElseThrow());
        }
    }

    private static final class Matching {

        private final List<ComparedRun> base;
        private final List<ComparedRun> other;
        private final boolean isRelative;
        private final List<TrialSides> pairs = new ArrayList<>();
        private final Set<Incomparable> incomparable = new LinkedHashSet<>();

        Matching(List<ComparedRun> base, List<ComparedRun> other, boolean isRelative) {
            this.base = base;
            this.other = other;
            this.isRelative = isRelative;
        }

        void match(String trial, Metric metric) {
            List<Sample> before = samples(base, trial);
            List<Sample> after = samples(other, trial);
            if (before.isEmpty() && after.isEmpty()) {
                return; // planned, but not reached
            }
            List<Sample> both = Stream.concat(before.stream(), after.stream()).toList();
            Sample any = both.get(both.size() - 1);
            if (isRelative && runs().anyMatch(run -> run.isBaseline(trial))) {
                return;
            }
            Optional<String> obstacle = before.isEmpty()
                    ? Optional.of("only in new")
                    : after.isEmpty()
                            ? Optional.of("only in base")
                            : otherValues(trial)
                                    .or(() -> notMeasured("base", before))
                                    .or(() -> notMeasured("new", after))
                                    .or(() -> otherBaseline(any.condition()));
            if (obstacle.isPresent()) {
                refuse(any, obstacle.get());
                return;
            }
            Optional<String> baseline = isRelative
                    ? runs().flatMap(run -> run.baseline(any.condition()).stream())
                            .findFirst()
                    : Optional.empty();
            Set<String> operations =
                    both.stream().flatMap(s -> s.operations().keySet().stream()).collect(toCollection(TreeSet::new));
            for (String operation : operations) {
                List<Ratios> bases = ratios(base, trial, operation, metric, baseline);
                List<Ratios> others = ratios(other, trial, operation, metric, baseline);
                if (bases.isEmpty() || others.isEmpty()) {
                    refuse(
                            any,
                            "no " + metric.word() + " of " + operation + " in "
                                    + (bases.isEmpty() ? "base" : "new")
                                    + (isRelative ? " with one of the baseline in the same round" : ""));
                } else {
                    pairs.add(pair(
                            metric,
                            any,
                            operation,
                            bases,
                            others,
                            both.stream().anyMatch(s -> s.outcome() instanceof Outcome.Unsteady)));
                }
            }
        }

        private static TrialSides pair(
                Metric metric,
                Sample sample,
                String operation,
                List<Ratios> base,
                List<Ratios> other,
                boolean unsteady) {
            if (base.size() == 1 && other.size() == 1) {
                Ratios before = base.get(0);
                Ratios after = other.get(0);
                // both sides cover what the side with less repetition covers
                Unit unit = before.unit().compareTo(after.unit()) < 0 ? before.unit() : after.unit();
                return new TrialSides(metric, sample, operation, before.unitMeans(), after.unitMeans(), unit, unsteady);
            }
            return new TrialSides(metric, sample, operation, means(base), means(other), Unit.RUN, unsteady);
        }

        private static double[] means(List<Ratios> runs) {
            return runs.stream().mapToDouble(Ratios::mean).toArray();
        }

        private Stream<ComparedRun> runs() {
            return Stream.concat(base.stream(), other.stream());
        }

        private void refuse(Sample sample, String reason) {
            incomparable.add(new Incomparable(sample.trial().id(), sample.method(), sample.condition(), reason));
        }

        private static List<Sample> samples(Collection<ComparedRun> runs, String trial) {
            return runs.stream().flatMap(run -> run.samples(trial).stream()).toList();
        }

        private static List<Ratios> ratios(
                List<ComparedRun> runs, String trial, String operation, Metric metric, Optional<String> baseline) {
            return runs.stream()
                    .map(run -> run.ratios(trial, operation, metric, baseline))
                    .filter(ratios -> ratios.units() > 0)
                    .toList();
        }

        /** Datasets of the same name can have different values: another seed, another version of the generator. */
        private Optional<String> otherValues(String trial) {
            return runs().flatMap(run -> run.digest(trial).stream()).distinct().count() > 1
                    ? Optional.of("its values are not the same in all runs")
                    : Optional.empty();
        }

        /** As in a ranking, a trial counts only if it was measured in all rounds in which it was tried. */
        private static Optional<String> notMeasured(String side, List<Sample> samples) {
            boolean anyMeasured =
                    samples.stream().anyMatch(sample -> sample.outcome().isMeasurement());
            return samples.stream()
                    .filter(sample -> !(anyMeasured && sample.isCrashed()))
                    .map(Sample::outcome)
                    .filter(outcome -> !outcome.isMeasurement())
                    .findFirst()
                    .map(outcome -> outcome.word() + " in " + side + ": "
                            + outcome.reason().strip().replaceAll("\\s+", " "));
        }

        private Optional<String> otherBaseline(Levels condition) {
            if (!isRelative) {
                return Optional.empty();
            }
            long trials = runs().flatMap(run -> run.baseline(condition).stream())
                    .distinct()
                    .count();
            return trials == 0
                    ? Optional.of("no run has the baseline under its condition")
                    : trials > 1 ? Optional.of("the baseline is not the same trial in all runs") : Optional.empty();
        }
    }
}
