package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.OwnLevels;
import dev.blobmark.lab.stats.Percentile;
import dev.blobmark.lab.stats.Tiers;
import dev.blobmark.lab.study.Levels;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The methods under one condition, by what operations of one type gave.
 *
 * @param control the study's twin of the baseline; empty where it has none
 * @param margin within which methods are called equal
 * @param rows the methods that were measured in each round that they were tried in, a crashed JVM's aside, the best first: by their
 *     effects, where there is a baseline
 * @param toBest the other methods that may be the best against {@link #best}, in the order of the rows, as far as they have a
 *     round in common
 * @param tiers the methods that may be the best, in groups that cannot be told apart
 * @param unranked the other methods, in the order of the study
 */
public record Ranking(
        Subject subject,
        String baseline,
        Optional<String> control,
        Margin margin,
        List<Row> rows,
        List<Judgement> toBest,
        Tiers tiers,
        List<Unranked> unranked) {

    /**
     * What is ranked by what.
     *
     * @param operation the operation type; the workload where nothing was measured
     * @param sizes the class of values; empty for all values together
     */
    public record Subject(Levels condition, String operation, Optional<SizeShare> sizes, Metric metric) {}

    /**
     * The values of a size class among those that were worked on, by all methods together; shares from 0 to 1. Operations draw rows
     * uniformly, so that their share is that of the rows.
     */
    public record SizeShare(SizeClass size, double ofOperations, double ofBytes) {

        static SizeShare of(SizeClass size, List<Operations> all) {
            return new SizeShare(
                    size, share(size, all, Operations::count), share(size, all, Operations::applicationBytes));
        }

        private static double share(SizeClass size, List<Operations> all, ToLongFunction<Operations> amount) {
            double its = all.stream()
                    .flatMap(one -> Stream.ofNullable(one.bySize().get(size)))
                    .mapToLong(amount)
                    .sum();
            return its / all.stream().mapToLong(amount).sum();
        }
    }

    /**
     * One method.
     *
     * @param isCopy whether nothing is encoded or decoded but memory copied: the bound of the codecs, and none of them
     * @param headline the metric of the ranking
     * @param toBaseline empty for the baseline itself, and where there is no round that both have
     * @param latencies of all operations together
     * @param figures medians over the rounds of the metrics that are known; not of what an operation shares with those of other types, nor of the
     *     time of a window that ends by time
     * @param time where an operation's time went, on average over all operations; empty where that is not known of all rounds
     * @param sqlNodes operations per second over each SQL node of a cluster, medians over the rounds; none where there is but one, or
     *     where the samples have other operation types besides
     * @param stored what its values take where they are stored
     * @param doubts what weakens its figures
     */
    public record Row(
            String method,
            boolean isCopy,
            Headline headline,
            Optional<Judgement> toBaseline,
            Latencies latencies,
            SortedMap<Metric, Double> figures,
            Optional<TimeSpent> time,
            List<Double> sqlNodes,
            Stored stored,
            Doubts doubts) {

        /** The metric over the rounds, in its unit. */
        public Summary value() {
            return headline.value();
        }

        public SortedMap<Metric, Percentile> percentiles() {
            return latencies.percentiles();
        }

        /** The figure of the ranking's metric as it is shown: a percentile is that of all operations, where it is known. */
        public double figure(Metric metric) {
            Percentile whole = percentiles().get(metric);
            return whole == null ? value().median() : whole.value();
        }

        /** The median over the rounds; empty where it is not known. */
        public OptionalDouble median(Metric metric) {
            Double its = figures.get(metric);
            return its == null ? OptionalDouble.empty() : OptionalDouble.of(its);
        }
    }

    /**
     * The metric of a ranking, of one method.
     *
     * @param value over the rounds
     * @param mean the geometric mean with an interval of its own, uncorrected; empty where a round's figure is 0
     * @param levels the two levels between which it jumps, of this method alone
     * @param slower what takes longer in the forks that are at the lower level throughout
     */
    public record Headline(
            Summary value, Optional<Effect> mean, Optional<OwnLevels> levels, Optional<Bottleneck.Growth> slower) {}

    /**
     * How long operations took, all rounds together.
     *
     * @param operations how many there were
     * @param percentiles in nanoseconds, by their metric, with intervals of their own: p50, p95, p99, p99.9, those of the response time in an
     *     open loop, and the metric of the ranking if it is one; none where the run has no histograms
     * @param curve from the shortest to the longest; empty where the run has no histograms
     * @param longest empty in a ranking of one size of values
     */
    public record Latencies(
            long operations,
            SortedMap<Metric, Percentile> percentiles,
            List<CurvePoint> curve,
            Optional<Longest> longest) {}

    /**
     * What the values of a method take where they are stored.
     *
     * @param bytesPerDiskByte application bytes ÷ allocated bytes of the table's files, of the whole store
     * @param bytesPerUsedByte application bytes ÷ bytes of their pages that are in use; empty where these were not counted
     * @param encodedBytesPerSecond application bytes that one core encoded in a second of its time, when the values were made; empty where
     *     nothing is encoded, or that is not known
     * @param perKey of a set, what a key of it takes
     * @param placement of a table, how its values lie; empty where that is not known
     */
    public record Stored(
            OptionalDouble bytesPerDiskByte,
            OptionalDouble bytesPerUsedByte,
            OptionalDouble encodedBytesPerSecond,
            Optional<PerKey> perKey,
            Optional<Placement> placement) {}

    /**
     * What weakens the figures of a method.
     *
     * @param unsteady reasons of the rounds in which it was not steady
     * @param saturated reasons of the rounds in which the rate was not reached
     * @param crashed reasons of the rounds that were lost with their JVM
     * @param flags rounds by what was observed in them
     */
    public record Doubts(
            List<String> unsteady, List<String> saturated, List<String> crashed, SortedMap<String, Flagged> flags) {}

    /** So many percent of the operations, up to 100, took no longer than so many nanoseconds. */
    public record CurvePoint(double percentile, double nanos) {}

    /**
     * The longest operation of a method.
     *
     * @param beside what went on in its window; empty where that was not recorded
     */
    public record Longest(double nanos, int fork, int round, Optional<Resources.Counters> beside) {}

    /**
     * What a set takes for each of its keys, in bytes.
     *
     * @param disk of the table's files; empty where there are none
     * @param used of their pages that are in use; empty where they were not counted
     * @param memory in the buffer pool, or in Redis
     */
    public record PerKey(OptionalDouble disk, OptionalDouble used, OptionalDouble memory) {}

    /**
     * How the values of a table lie. Memory is that of all data nodes of a cluster together: each replica counts.
     *
     * @param inRow share of the values that are stored entirely in their row, from 0 to 1
     * @param inlineBytes so many bytes of each value lie in the main table; empty where there is no table for the rest
     * @param mainBytes memory of the main table, for each value
     * @param partsBytes memory of the table for the rest, for each value; 0 where there is no such table
     */
    public record Placement(
            OptionalDouble inRow, OptionalDouble inlineBytes, OptionalDouble mainBytes, OptionalDouble partsBytes) {

        /** Of both tables; empty where the table is in no cluster. */
        public OptionalDouble memoryBytes() {
            return mainBytes.isPresent()
                    ? OptionalDouble.of(mainBytes.getAsDouble() + partsBytes.orElse(0))
                    : OptionalDouble.empty();
        }

        boolean isKnown() {
            return inRow.isPresent() || inlineBytes.isPresent() || mainBytes.isPresent();
        }
    }

    /**
     * Rounds of a method that had a flag.
     *
     * @param event what happened in the first of them; may be empty
     */
    public record Flagged(int rounds, String event) {}

    /**
     * A method that failed in a round, or is not available here.
     *
     * @param outcome the first that kept it from being ranked; a failure comes before all else
     * @param times rounds that ended so
     * @param rounds rounds in which the method was tried
     */
    public record Unranked(String method, Outcome outcome, int times, int rounds) {}

    public Ranking {
        rows = List.copyOf(rows);
        toBest = List.copyOf(toBest);
        unranked = List.copyOf(unranked);
    }

    public Levels condition() {
        return subject.condition();
    }

    public String operation() {
        return subject.operation();
    }

    public Optional<SizeShare> sizes() {
        return subject.sizes();
    }

    public Metric metric() {
        return subject.metric();
    }

    /** Whether what was asked for were the keys of sets: they are not encoded, and take memory. */
    public boolean isOfSets() {
        return rows.stream().anyMatch(row -> row.stored().perKey().isPresent());
    }

    /**
     * What a method takes on disk for as many application bytes, as a share of the baseline's: 0.41 for 41 %. Empty where the used pages of either
     * were not counted: files grow in steps, and so the share of their bytes depends on the number of rows.
     */
    public OptionalDouble diskShare(Row row) {
        OptionalDouble base =
                find(baseline).map(its -> its.stored().bytesPerUsedByte()).orElse(OptionalDouble.empty());
        OptionalDouble its = row.stored().bytesPerUsedByte();
        return its.orElse(0) > 0 && base.isPresent()
                ? OptionalDouble.of(base.getAsDouble() / its.getAsDouble())
                : OptionalDouble.empty();
    }

    /** What was best, the control and, if there is anything else, a mere copy aside; empty where nothing was measured. */
    public Optional<Row> best() {
        return candidates(rows, control).stream().findFirst();
    }

    /** The rows that may be the best. */
    static List<Row> candidates(List<Row> rows, Optional<String> control) {
        List<Row> methods = rows.stream()
                .filter(row -> !control.equals(Optional.of(row.method())))
                .toList();
        List<Row> codecs = methods.stream().filter(row -> !row.isCopy()).toList();
        return codecs.isEmpty() ? methods : codecs;
    }

    public Optional<Row> find(String method) {
        return rows.stream().filter(row -> row.method().equals(method)).findFirst();
    }

    /** The methods that cannot be told from the best, in order, those without a round in common with it among them. */
    public List<String> rivals() {
        return tiers.steps().isEmpty()
                ? List.of()
                : tiers.steps().get(0).stream().skip(1).toList();
    }

    /** The control against the baseline; empty without a control, or where it could not be compared. */
    public Optional<Judgement> controlJudgement() {
        return control.flatMap(this::find).flatMap(Row::toBaseline);
    }

    /** An interval of this ranking, of which all have the same unit; empty where there is none. */
    public Optional<Interval.Range> anyRange() {
        return rows.stream()
                .flatMap(row -> row.toBaseline().stream())
                .flatMap(judgement -> judgement.range().stream())
                .findFirst()
                .or(() -> toBest.stream()
                        .flatMap(judgement -> judgement.range().stream())
                        .findFirst());
    }
}
