package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.OwnLevels;
import dev.blobmark.stats.Percentile;
import dev.blobmark.stats.Tiers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The methods under one condition, ranked by the figures of one type of operation.
 *
 * @param control the study's twin of the baseline; empty if it has none
 * @param margin within which methods are called equal
 * @param rows the methods that were measured in all rounds in which they were tried, except for crashes of a JVM; the
 *     best first, by their effects if there is a baseline
 * @param toBest the other candidates compared with {@link #best}, in the order of the rows; only those with a common
 *     round
 * @param tiers the candidates, in groups that cannot be distinguished
 * @param unranked the other methods, in the order of the study
 */
public record Ranking(
        RankedSubject subject,
        String baseline,
        Optional<String> control,
        Margin margin,
        List<Row> rows,
        List<Judgement> toBest,
        Tiers tiers,
        List<Unranked> unranked) {

    /**
     * What is ranked, and by which metric.
     *
     * @param operation the type of operation; the workload if nothing was measured
     * @param sizes the class of values; empty for all values together
     */
    public record RankedSubject(Levels condition, String operation, Optional<SizeShare> sizes, Metric metric) {}

    /**
     * The share of a size class in the operations and bytes of all methods together, from 0 to 1. Operations draw rows
     * uniformly, so that the share of operations is that of the rows.
     */
    public record SizeShare(SizeClass size, double ofOperations, double ofBytes) {

        static SizeShare of(SizeClass size, List<Operations> all) {
            return new SizeShare(
                    size, share(size, all, Operations::count), share(size, all, Operations::applicationBytes));
        }

        private static double share(SizeClass size, List<Operations> all, ToLongFunction<Operations> amount) {
            double ofSize = all.stream()
                    .flatMap(operations -> Stream.ofNullable(operations.bySize().get(size)))
                    .mapToLong(amount)
                    .sum();
            return ofSize / all.stream().mapToLong(amount).sum();
        }
    }

    /**
     * One method.
     *
     * @param isCopy whether memory is only copied, and nothing encoded or decoded: a bound for the codecs, and not a
     *     candidate
     * @param headline the metric of the ranking
     * @param toBaseline empty for the baseline itself, and if there is no common round
     * @param latencies of all operations together
     * @param figures medians over the rounds of the known metrics; without what is shared with other types of
     *     operations, and without the time of a window that ends by time
     * @param time the parts of an operation's time, on average over all operations; empty if unknown for a round
     * @param sqlNodes operations per second over each SQL node of a cluster, medians over the rounds; empty for one
     *     node, and if the samples have other types of operations
     * @param stored the space that its values take
     * @param doubts what weakens its figures
     */
    public record Row(
            String method,
            boolean isCopy,
            RankedFigure headline,
            Optional<Judgement> toBaseline,
            PooledLatencies latencies,
            SortedMap<Metric, Double> figures,
            Optional<TimeSpent> time,
            List<Double> sqlNodes,
            StoredSpace stored,
            Doubts doubts) {

        /** The metric over the rounds, in its unit. */
        public Summary value() {
            return headline.value();
        }

        public SortedMap<Metric, Percentile> percentiles() {
            return latencies.percentiles();
        }

        /** The ranking's metric as it is shown: a percentile is that of all operations if it is known. */
        public double figure(Metric metric) {
            Percentile whole = percentiles().get(metric);
            return whole == null ? value().median() : whole.value();
        }

        /** The median over the rounds; empty if unknown. */
        public OptionalDouble median(Metric metric) {
            Double figure = figures.get(metric);
            return figure == null ? OptionalDouble.empty() : OptionalDouble.of(figure);
        }

        /** Bytes on the wire per operation, in both directions; a median over the rounds. */
        public OptionalDouble wireBytes() {
            OptionalDouble in = median(Metric.WIRE_IN);
            OptionalDouble out = median(Metric.WIRE_OUT);
            return in.isPresent() && out.isPresent()
                    ? OptionalDouble.of(in.getAsDouble() + out.getAsDouble())
                    : OptionalDouble.empty();
        }
    }

    /**
     * The metric of a ranking, of one method.
     *
     * @param value over the rounds
     * @param mean the geometric mean with its own uncorrected interval; empty if the figure of a round is 0
     * @param levels the two levels between which it jumps, if no other method does
     * @param slower the part that takes longer in the forks that are always at the lower level
     */
    public record RankedFigure(
            Summary value, Optional<Effect> mean, Optional<OwnLevels> levels, Optional<Bottleneck.Growth> slower) {}

    /**
     * The latencies of operations of all rounds together.
     *
     * @param operations number of operations
     * @param percentiles in nanoseconds, by metric, with their own intervals: p50, p95, p99, p99.9, those of the
     *     response time in an open loop, and the metric of the ranking if it is a percentile; empty if the run has no
     *     histograms
     * @param curve from the shortest to the longest; empty if the run has no histograms
     * @param longest empty in a ranking of one size of values
     */
    public record PooledLatencies(
            long operations,
            SortedMap<Metric, Percentile> percentiles,
            List<CurvePoint> curve,
            Optional<Longest> longest) {}

    /**
     * The space that the values of a method take.
     *
     * @param bytesPerDiskByte application bytes ÷ allocated bytes of the table's files, of the whole store
     * @param bytesPerUsedByte application bytes ÷ bytes of the used pages; empty if these were not counted
     * @param encodedBytesPerSecond application bytes that one core encoded in a second of its CPU time when the values
     *     were made; empty if nothing is encoded, or if unknown
     * @param perKey of a set, the space of a key
     * @param placement of the values in a table; empty if unknown
     */
    public record StoredSpace(
            OptionalDouble bytesPerDiskByte,
            OptionalDouble bytesPerUsedByte,
            OptionalDouble encodedBytesPerSecond,
            Optional<PerKey> perKey,
            Optional<ValuePlacement> placement) {}

    /**
     * What weakens the figures of a method.
     *
     * @param unsteady reasons of the rounds that were not steady
     * @param saturated reasons of the rounds in which the rate was not reached
     * @param crashed reasons of the rounds that were lost to a crash of the JVM
     * @param flags number of rounds by flag
     */
    public record Doubts(
            List<String> unsteady, List<String> saturated, List<String> crashed, SortedMap<String, Flagged> flags) {}

    /** The percentage of operations, up to 100, that took no longer than a time. */
    public record CurvePoint(double percentile, double nanos) {}

    /**
     * The longest operation of a method.
     *
     * @param window what happened in its window; empty if not recorded
     */
    public record Longest(double nanos, int fork, int round, Optional<Resources.ServerCounters> window) {}

    /**
     * The bytes per key of a set.
     *
     * @param disk of the table's files; empty if there are none
     * @param used of their used pages; empty if they were not counted
     * @param memory in the buffer pool, or in Redis
     */
    public record PerKey(OptionalDouble disk, OptionalDouble used, OptionalDouble memory) {}

    /**
     * The placement of the values of a table. Memory is that of all data nodes of a cluster together: each replica
     * counts.
     *
     * @param inRow share of the values that are stored entirely in their row, from 0 to 1
     * @param inlineBytes bytes of each value in the main table; empty without a table of parts
     * @param mainBytes memory of the main table per value
     * @param partsBytes memory of the table of parts per value; 0 without that table
     */
    public record ValuePlacement(
            OptionalDouble inRow, OptionalDouble inlineBytes, OptionalDouble mainBytes, OptionalDouble partsBytes) {

        /** Memory of both tables; empty if the table is not in a cluster. */
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
     * The rounds of a method that have a flag.
     *
     * @param event what happened in the first of them; may be empty
     */
    public record Flagged(int rounds, String event) {}

    /**
     * A method that failed in a round, or is not available here.
     *
     * @param outcome the first outcome that prevents a ranking; a failure has precedence
     * @param times number of rounds with this outcome
     * @param rounds number of rounds in which the method was tried
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

    /** Whether operations look up keys in sets, which are not encoded and take memory. */
    public boolean isOfSets() {
        return rows.stream().anyMatch(row -> row.stored().perKey().isPresent());
    }

    /**
     * The disk space of a method per application byte, as a share of the baseline's: 0.41 for 41 %. Empty if the used
     * pages of either were not counted: files grow in steps, so that the share of their bytes would depend on the
     * number of rows.
     */
    public OptionalDouble diskShare(Row row) {
        OptionalDouble base =
                find(baseline).map(found -> found.stored().bytesPerUsedByte()).orElse(OptionalDouble.empty());
        OptionalDouble bytes = row.stored().bytesPerUsedByte();
        return bytes.orElse(0) > 0 && base.isPresent()
                ? OptionalDouble.of(base.getAsDouble() / bytes.getAsDouble())
                : OptionalDouble.empty();
    }

    /** The best candidate; empty if nothing was measured. */
    public Optional<Row> best() {
        return candidates(rows, control).stream().findFirst();
    }

    /** The rows that can be the best: not the control, and not a mere copy if there is anything else. */
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

    /** The methods that cannot be distinguished from the best, in order; includes those without a common round. */
    public List<String> rivals() {
        return tiers.steps().isEmpty()
                ? List.of()
                : tiers.steps().get(0).stream().skip(1).toList();
    }

    /** The control compared with the baseline; empty without a control, or if it could not be compared. */
    public Optional<Judgement> controlJudgement() {
        return control.flatMap(this::find).flatMap(Row::toBaseline);
    }

    /** An interval of this ranking; all have the same unit. Empty if there is none. */
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
