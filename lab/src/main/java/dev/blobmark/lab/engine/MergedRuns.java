package dev.blobmark.lab.engine;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.reverseOrder;

import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Skew;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Merges the runs of a trial's processes, each with its share, into one. */
public final class MergedRuns {

    /**
     * Processes whose windows overlap for less than this share of the longest window did not load the server together.
     */
    private static final double MIN_OVERLAP = 0.9;

    /** Processes with the same number of threads on the same server differ by less. */
    private static final double MAX_UNEVEN = 1.5;

    /** Windows of processes, and that in which the server's counters are read, differ a little. */
    private static final double LEAST_COUNTED = 0.85;

    /** An operation of this type is one statement, or several. */
    private static final Set<String> AT_LEAST_A_STATEMENT = Set.of("fetch");

    /** With fewer, a rate is mostly chance. */
    private static final int LEAST_OPERATIONS = 50;

    private MergedRuns() {}

    /**
     * Merges the runs of processes, and flags them if the rate of one differs by more than its threads explain.
     *
     * @param threads of each process
     */
    public static TrialRun of(List<TrialRun> runs, List<Integer> threads) {
        TrialRun merged = of(runs);
        return unevenly(runs, threads)
                .map(uneven -> merged.flagged(Sample.CLIENT_LIMITED, uneven))
                .orElse(merged);
    }

    /**
     * Merges the runs: adds rates and counts, merges latencies, takes the longest elapsed time, and CPU time and
     * allocation per operation of all. It is steady only if all are. The server's figures are those of the process that
     * watched it.
     */
    public static TrialRun of(List<TrialRun> runs) {
        SortedMap<String, Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        Set<String> flags = new LinkedHashSet<>();
        Set<String> events = new LinkedHashSet<>();
        for (TrialRun run : runs) {
            run.latency()
                    .forEach((type, histogram) -> latency.computeIfAbsent(type, t -> Latencies.newHistogram())
                            .add(histogram));
            run.remarks().errors().forEach((code, count) -> errors.merge(code, count, Long::sum));
            flags.addAll(run.remarks().flags());
            events.addAll(run.remarks().events());
        }
        runs.stream()
                .flatMap(run -> run.operations().keySet().stream())
                .distinct()
                .forEach(type -> operations.put(
                        type,
                        merged(
                                type,
                                runs.stream()
                                        .flatMap(run -> Stream.ofNullable(
                                                run.operations().get(type)))
                                        .toList(),
                                latency)));
        List<OpenLoop> open =
                runs.stream().flatMap(run -> run.openLoop().stream()).toList();
        Optional<OpenLoop> openLoop = open.isEmpty()
                ? Optional.empty()
                : Optional.of(OpenLoop.sum(open, Latency.of(latency.get(Sample.SCHEDULE_LAG))));
        Optional<Skew> skew = runs.size() > 1 ? Optional.of(skew(runs)) : Optional.empty();
        skew.filter(apart -> apart.common() < MIN_OVERLAP).ifPresent(apart -> {
            flags.add(Sample.APART);
            events.add(apartInWords(apart));
        });
        List<TrialRun.Span> spans = runs.stream().map(TrialRun::span).toList();
        TrialRun.Usage usage = usage(runs.stream().map(TrialRun::usage).toList());
        miscounted(operations, usage.server()).ifPresent(event -> {
            flags.add(Sample.MISCOUNTED);
            events.add(event);
        });
        return new TrialRun(
                openLoop.flatMap(Tally::saturated)
                        .orElseGet(() -> runs.stream()
                                .map(TrialRun::outcome)
                                .filter(Outcome.Unsteady.class::isInstance)
                                .findFirst()
                                .orElse(new Outcome.Measured())),
                new TrialRun.Span(
                        spans.stream()
                                .map(TrialRun.Span::startedAt)
                                .min(naturalOrder())
                                .orElseThrow(),
                        spans.stream().mapToLong(TrialRun.Span::nanos).max().orElseThrow(),
                        sum(spans.stream().map(TrialRun.Span::progress).toList(), Long::sum),
                        spans.stream()
                                .mapToLong(TrialRun.Span::clockNanos)
                                .max()
                                .orElseThrow()),
                new WarmUp(
                        runs.stream()
                                .mapToDouble(run -> run.warmUp().seconds())
                                .max()
                                .orElseThrow(),
                        runs.stream().allMatch(run -> run.warmUp().steady())),
                operations,
                latency,
                openLoop,
                usage,
                Optional.empty(), // a trial of several processes is not visited
                new Remarks(List.copyOf(flags), List.copyOf(events), errors, new TreeMap<>()),
                skew);
    }

    private static TrialRun.Usage usage(List<TrialRun.Usage> all) {
        return new TrialRun.Usage(
                all.stream().mapToLong(TrialRun.Usage::elapsedNanos).max().orElseThrow(),
                all.stream().mapToLong(TrialRun.Usage::operations).sum(),
                all.stream().mapToLong(TrialRun.Usage::cpuNanos).sum(),
                all.stream().mapToLong(TrialRun.Usage::allocatedBytes).sum(),
                all.stream()
                        .map(TrialRun.Usage::server)
                        .min(comparingInt(server -> server.unknown().size()))
                        .orElseThrow(),
                all.stream().map(TrialRun.Usage::garbage).reduce(Garbage.NONE, Garbage::plus),
                all.get(0).pool(),
                sum(all.stream().map(TrialRun.Usage::sqlNodes).toList(), Double::sum));
    }

    private static Operations merged(String type, List<Operations> shares, SortedMap<String, Histogram> latency) {
        SortedMap<SizeClass, Operations> bySize = new TreeMap<>();
        shares.stream()
                .flatMap(one -> one.bySize().keySet().stream())
                .distinct()
                .forEach(size -> bySize.put(
                        size,
                        merged(
                                Sample.ofSize(type, size),
                                shares.stream()
                                        .flatMap(one ->
                                                Stream.ofNullable(one.bySize().get(size)))
                                        .toList(),
                                latency)));
        return new Operations(
                shares.stream().mapToLong(Operations::count).sum(),
                shares.stream()
                        .mapToDouble(Operations::throughputBytesPerSecond)
                        .sum(),
                shares.stream().mapToDouble(Operations::operationsPerSecond).sum(),
                Latency.of(latency.get(type)),
                new Operations.ByteCounts(
                        shares.stream().mapToLong(Operations::applicationBytes).sum(),
                        sum(shares, Operations::wireBytesIn),
                        sum(shares, Operations::wireBytesOut),
                        sum(shares, Operations::storedBytes)),
                Optional.ofNullable(latency.get(Sample.responseOf(type))).map(Latency::of),
                TimeSpent.mean(shares),
                bySize);
    }

    /** Element by element. */
    private static <T> List<T> sum(List<List<T>> lists, BinaryOperator<T> plus) {
        return lists.stream()
                .reduce((a, b) -> IntStream.range(0, Math.min(a.size(), b.size()))
                        .mapToObj(i -> plus.apply(a.get(i), b.get(i)))
                        .toList())
                .orElse(List.of());
    }

    /**
     * The operations of all types that share a window, as one type. Their merged latencies are added to
     * {@code latency}.
     */
    static Operations allTypes(SortedMap<String, Operations> operations, SortedMap<String, Histogram> latency) {
        for (Function<String, String> name : List.<Function<String, String>>of(type -> type, Sample::responseOf)) {
            List<Histogram> ofType = operations.keySet().stream()
                    .flatMap(type -> Stream.ofNullable(latency.get(name.apply(type))))
                    .toList();
            if (!ofType.isEmpty()) {
                Histogram all = Latencies.newHistogram();
                ofType.forEach(all::add);
                latency.put(name.apply(Sample.MIX), all);
            }
        }
        return merged(
                Sample.MIX,
                operations.values().stream().map(Operations::ofAllSizes).toList(),
                latency);
    }

    /** Empty if one is unknown. */
    private static OptionalLong sum(List<Operations> operations, Function<Operations, OptionalLong> amount) {
        return operations.stream().allMatch(one -> amount.apply(one).isPresent())
                ? OptionalLong.of(operations.stream()
                        .mapToLong(one -> amount.apply(one).getAsLong())
                        .sum())
                : OptionalLong.empty();
    }

    /** An event if the server received fewer statements than the processes completed operations. */
    private static Optional<String> miscounted(SortedMap<String, Operations> operations, ServerAccount server) {
        long count = Sample.count(operations);
        return operations.keySet().equals(AT_LEAST_A_STATEMENT)
                        && server.statements().isPresent()
                        && server.statements().getAsLong() < LEAST_COUNTED * count
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "the processes completed %,d operations, but the server received %,d statements",
                        count,
                        server.statements().getAsLong()))
                : Optional.empty();
    }

    private static Skew skew(List<TrialRun> runs) {
        List<TrialRun.Span> spans = runs.stream().map(TrialRun::span).toList();
        Instant first = spans.get(0).startedAt();
        LongSummaryStatistics starts = spans.stream()
                .mapToLong(span -> first.until(span.startedAt(), ChronoUnit.NANOS))
                .summaryStatistics();
        LongSummaryStatistics ends = spans.stream()
                .mapToLong(span -> first.until(span.startedAt(), ChronoUnit.NANOS) + span.nanos())
                .summaryStatistics();
        long longest = spans.stream().mapToLong(TrialRun.Span::nanos).max().orElseThrow();
        // two clocks may be wrong in opposite directions
        long clocks = spans.stream()
                .map(TrialRun.Span::clockNanos)
                .sorted(reverseOrder())
                .limit(2)
                .mapToLong(nanos -> nanos)
                .sum();
        return new Skew(
                runs.size(),
                (starts.getMax() - starts.getMin()) / 1e6,
                (ends.getMax() - ends.getMin()) / 1e6,
                Math.max(0, ends.getMin() - starts.getMax()) / (double) Math.max(1, longest),
                clocks == 0 ? OptionalDouble.empty() : OptionalDouble.of(clocks / 1e6));
    }

    /** The processes did not load the server together. */
    private static String apartInWords(Skew skew) {
        return String.format(
                Locale.ROOT,
                "the windows of %d processes overlapped for %.0f %% of the longest, and began %.1f ms apart",
                skew.processes(),
                skew.common() * 100,
                skew.startsMs());
    }

    /**
     * An event if processes of a closed loop had rates that differ by more than the number of their threads explains:
     * the server treats them alike, so that the slow ones were limited by themselves or by their way to the server.
     */
    private static Optional<String> unevenly(List<TrialRun> runs, List<Integer> threads) {
        if (runs.size() < 2
                || runs.stream()
                        .anyMatch(run ->
                                run.openLoop().isPresent() || Sample.count(run.operations()) < LEAST_OPERATIONS)) {
            return Optional.empty();
        }
        List<Double> perThread = IntStream.range(0, runs.size())
                .mapToObj(i -> Sample.count(runs.get(i).operations())
                        / (double) threads.get(i)
                        / Math.max(1, runs.get(i).usage().elapsedNanos()))
                .sorted()
                .toList();
        double slowest = perThread.get(0);
        double usual = perThread.get(perThread.size() / 2);
        return slowest * MAX_UNEVEN < usual
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "the slowest of %d processes completed %.0f %% of the usual operations per thread; the server"
                                + " treats them alike, so clients or their network were the limit",
                        runs.size(),
                        100 * slowest / usual))
                : Optional.empty();
    }
}
