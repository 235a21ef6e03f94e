package dev.blobmark.lab.engine;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.naturalOrder;

import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Optional;
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

    private MergedRuns() {}

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
        poorOverlap(runs).ifPresent(poorOverlap -> {
            flags.add(Sample.APART);
            events.add(poorOverlap);
        });
        List<TrialRun.Span> spans = runs.stream().map(TrialRun::span).toList();
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
                        sum(spans.stream().map(TrialRun.Span::progress).toList(), Long::sum)),
                new WarmUp(
                        runs.stream()
                                .mapToDouble(run -> run.warmUp().seconds())
                                .max()
                                .orElseThrow(),
                        runs.stream().allMatch(run -> run.warmUp().steady())),
                operations,
                latency,
                openLoop,
                usage(runs.stream().map(TrialRun::usage).toList()),
                Optional.empty(), // a trial of several processes is not visited
                new Remarks(List.copyOf(flags), List.copyOf(events), errors, new TreeMap<>()));
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
                new Operations.Bytes(
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

    /** An event if windows overlap too little to have measured one load. The processes must have the same clock. */
    private static Optional<String> poorOverlap(List<TrialRun> runs) {
        Instant first = runs.get(0).span().startedAt();
        LongSummaryStatistics starts = runs.stream()
                .mapToLong(run -> first.until(run.span().startedAt(), ChronoUnit.NANOS))
                .summaryStatistics();
        long firstEnd = runs.stream()
                .mapToLong(run -> first.until(run.span().startedAt(), ChronoUnit.NANOS)
                        + run.span().nanos())
                .min()
                .orElseThrow();
        long longest = runs.stream().mapToLong(run -> run.span().nanos()).max().orElseThrow();
        double overlap = Math.max(0, firstEnd - starts.getMax()) / (double) Math.max(1, longest);
        return runs.size() > 1 && overlap < MIN_OVERLAP
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "the windows of %d processes overlapped for %.0f %% of the longest, and began %.1f ms apart",
                        runs.size(),
                        overlap * 100,
                        (starts.getMax() - starts.getMin()) / 1e6))
                : Optional.empty();
    }
}
