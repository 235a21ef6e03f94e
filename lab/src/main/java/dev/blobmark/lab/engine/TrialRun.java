package dev.blobmark.lab.engine;

import static java.util.Comparator.naturalOrder;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.SteadyState;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * One trial in one round: N workers warm up until the means of their service times are steady, then measure a window. What
 * one process measured, or all processes of the trial together.
 *
 * @param startedAt start of the first worker's window, to the microsecond where the system tells it
 * @param windowNanos from there to the end of the last worker's last operation, verification included
 * @param operations by operation type; empty where the trial failed
 * @param latency merged over the workers, by operation type
 * @param elapsedNanos of the slowest worker, verification taken off
 * @param flags observations that weaken the figures
 * @param events what happened meanwhile
 */
public record TrialRun(
        Outcome outcome,
        Instant startedAt,
        long windowNanos,
        Sample.WarmUp warmUp,
        long elapsedNanos,
        SortedMap<String, Sample.Operations> operations,
        SortedMap<String, Histogram> latency,
        SortedMap<String, Long> errors,
        double clientCpuNanosPerOp,
        double allocatedBytesPerOp,
        List<String> flags,
        List<String> events) {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Short enough to see a trend in a second, long enough for a stable mean of a fast operation. */
    private static final long SUB_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** A sub-window goes on until each type has so many operations. */
    private static final long SUB_WINDOW_OPERATIONS = 1;

    /** Processes whose windows have less than this share of the longest in common have not loaded the server together. */
    private static final double LEAST_OVERLAP = 0.9;

    /** Runs a trial that has this process to itself; what goes wrong in it becomes its outcome. */
    public static TrialRun of(TrialSpec spec) throws InterruptedException {
        Phase phase = new Phase(spec.share().count());
        phase.go();
        return of(spec, phase, () -> {});
    }

    /**
     * Runs one process's share of a trial.
     *
     * @param phase of this share alone: the window begins when it is told to go
     * @param ready is run when the share has warmed up, which goes on until then; not if it has failed before
     */
    static TrialRun of(TrialSpec spec, Phase phase, Runnable ready) throws InterruptedException {
        SplittableRandom seeds = new SplittableRandom(spec.seed());
        seeds.longs(spec.share().first()).forEach(those -> {}); // of workers that others run
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < spec.share().count(); i++) {
            workers.add(new Worker(spec, spec.share().first() + i, phase, seeds.nextLong()));
        }
        long begin = spec.clock().nanoTime();
        for (int i = 0; i < workers.size(); i++) {
            Thread thread = new Thread(workers.get(i), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Sample.WarmUp warmUp;
        Instant go;
        long goNanos;
        long cpu;
        try {
            phase.awaitSwept();
            boolean steady = awaitSteady(spec, phase, workers);
            if (!phase.hasFailed()) {
                ready.run();
            }
            phase.awaitGo();
            go = Instant.now();
            goNanos = spec.clock().nanoTime();
            warmUp = new Sample.WarmUp((goNanos - begin) / 1e9, steady);
            cpu = -PROCESS.getProcessCpuTime();
            phase.endWarmUp();
            phase.awaitEnded();
            cpu += PROCESS.getProcessCpuTime();
        } catch (InterruptedException e) {
            phase.fail(e);
            throw e;
        }
        return phase.hasFailed()
                ? failed(reason(phase.failure()), warmUp)
                : account(spec, workers, warmUp, go, goNanos, cpu);
    }

    /** One that has no figures to show. */
    static TrialRun failed(String reason, Sample.WarmUp warmUp) {
        return new TrialRun(
                new Outcome.Failed(reason),
                Instant.now(),
                0,
                warmUp,
                0,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                0,
                0,
                List.of(),
                List.of());
    }

    /**
     * Waits until the service times of every type are steady; false if the warm-up's cap came first. The sweep, in which
     * everything is read for the first time, is no part of the series.
     */
    private static boolean awaitSteady(TrialSpec spec, Phase phase, List<Worker> workers) throws InterruptedException {
        int types = spec.workload().operationTypes().size();
        double[][] means = new double[types][64];
        int[] lengths = new int[types];
        long[] countMarks = new long[types];
        long[] busyMarks = new long[types];
        for (int type = 0; type < types; type++) {
            for (Worker worker : workers) {
                countMarks[type] += worker.warmUpOperations(type);
                busyMarks[type] += worker.warmUpBusyNanos(type);
            }
        }
        long begin = spec.clock().nanoTime();
        while (!phase.hasFailed()
                && spec.clock().nanoTime() - begin < spec.warmUp().toNanos()) {
            TimeUnit.NANOSECONDS.sleep(SUB_WINDOW_NANOS);
            boolean steady = true;
            for (int type = 0; type < types; type++) {
                long count = 0;
                long busy = 0;
                for (Worker worker : workers) {
                    count += worker.warmUpOperations(type);
                    busy += worker.warmUpBusyNanos(type);
                }
                if (count - countMarks[type] >= SUB_WINDOW_OPERATIONS) {
                    if (lengths[type] == means[type].length) {
                        means[type] = Arrays.copyOf(means[type], 2 * lengths[type]);
                    }
                    means[type][lengths[type]++] = (double) (busy - busyMarks[type]) / (count - countMarks[type]);
                    countMarks[type] = count;
                    busyMarks[type] = busy;
                }
                steady &= SteadyState.isSteady(means[type], lengths[type]);
            }
            if (steady) {
                return true;
            }
        }
        return false;
    }

    private static TrialRun account(
            TrialSpec spec, List<Worker> workers, Sample.WarmUp warmUp, Instant go, long goNanos, long cpuNanos) {
        List<String> types = spec.workload().operationTypes();
        SortedMap<String, Sample.Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        long elapsed = 0;
        long total = 0;
        long allocated = 0;
        long start = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        for (Worker worker : workers) {
            Worker.Account account = worker.account();
            start = Math.min(start, account.startNanos);
            end = Math.max(end, account.endNanos);
            elapsed = Math.max(elapsed, account.elapsedNanos);
            total += account.operations;
            allocated += account.allocatedBytes;
            account.errors.forEach((code, count) -> errors.merge(code, count, Long::sum));
        }
        for (int type = 0; type < types.size(); type++) {
            Histogram merged = Latencies.newHistogram();
            long count = 0;
            long applicationBytes = 0;
            long storedBytes = 0;
            double bytesPerSecond = 0;
            double operationsPerSecond = 0;
            for (Worker worker : workers) {
                Worker.Account account = worker.account();
                merged.add(account.latency[type]);
                count += account.count[type];
                applicationBytes += account.applicationBytes[type];
                storedBytes += account.storedBytes[type];
                double seconds = (spec.workload().typesApart() ? account.busyNanos[type] : account.elapsedNanos) / 1e9;
                if (account.count[type] > 0) {
                    bytesPerSecond += account.applicationBytes[type] / seconds;
                    operationsPerSecond += account.count[type] / seconds;
                }
            }
            if (count > 0) {
                operations.put(
                        types.get(type),
                        new Sample.Operations(
                                count,
                                bytesPerSecond,
                                operationsPerSecond,
                                Sample.Latency.of(merged),
                                applicationBytes,
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalLong.of(storedBytes)));
                latency.put(types.get(type), merged);
            }
        }
        Outcome outcome = warmUp.steady()
                ? new Outcome.Measured()
                : new Outcome.Unsteady("still changing after " + spec.warmUp().toMillis()
                        + " ms of warm-up; a longer --warm-up or a quieter machine helps");
        return new TrialRun(
                outcome,
                go.plusNanos(start - goNanos),
                end - start,
                warmUp,
                elapsed,
                operations,
                latency,
                errors,
                // a count that is less than the workers leaves some of them, and so perhaps all of these, without
                (double) cpuNanos / Math.max(1, total),
                (double) allocated / Math.max(1, total),
                List.of(),
                List.of());
    }

    /**
     * What the processes of a trial measured, as one: rates and counts added up, latencies merged, the elapsed time of the
     * slowest, CPU and allocation per operation of all, steady only where all were.
     */
    static TrialRun merged(List<TrialRun> runs) {
        SortedMap<String, Sample.Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        Set<String> flags = new LinkedHashSet<>();
        Set<String> events = new LinkedHashSet<>();
        for (TrialRun run : runs) {
            run.latency.forEach((type, histogram) ->
                    latency.computeIfAbsent(type, t -> Latencies.newHistogram()).add(histogram));
            run.errors.forEach((code, count) -> errors.merge(code, count, Long::sum));
            flags.addAll(run.flags);
            events.addAll(run.events);
        }
        latency.forEach((type, histogram) -> operations.put(type, merged(type, runs, Sample.Latency.of(histogram))));
        apart(runs).ifPresent(apart -> {
            flags.add(Sample.APART);
            events.add(apart);
        });
        long total = runs.stream().mapToLong(TrialRun::count).sum();
        return new TrialRun(
                runs.stream()
                        .map(TrialRun::outcome)
                        .filter(outcome -> !(outcome instanceof Outcome.Measured))
                        .findFirst()
                        .orElse(new Outcome.Measured()),
                runs.stream().map(TrialRun::startedAt).min(naturalOrder()).orElseThrow(),
                runs.stream().mapToLong(TrialRun::windowNanos).max().orElseThrow(),
                new Sample.WarmUp(
                        runs.stream()
                                .mapToDouble(run -> run.warmUp.seconds())
                                .max()
                                .orElseThrow(),
                        runs.stream().allMatch(run -> run.warmUp.steady())),
                runs.stream().mapToLong(TrialRun::elapsedNanos).max().orElseThrow(),
                operations,
                latency,
                errors,
                runs.stream()
                                .mapToDouble(run -> run.clientCpuNanosPerOp * run.count())
                                .sum()
                        / total,
                runs.stream()
                                .mapToDouble(run -> run.allocatedBytesPerOp * run.count())
                                .sum()
                        / total,
                List.copyOf(flags),
                List.copyOf(events));
    }

    private static Sample.Operations merged(String type, List<TrialRun> runs, Sample.Latency latency) {
        List<Sample.Operations> its = runs.stream()
                .flatMap(run -> Stream.ofNullable(run.operations.get(type)))
                .toList();
        return new Sample.Operations(
                its.stream().mapToLong(Sample.Operations::count).sum(),
                its.stream()
                        .mapToDouble(Sample.Operations::throughputBytesPerSecond)
                        .sum(),
                its.stream().mapToDouble(Sample.Operations::operationsPerSecond).sum(),
                latency,
                its.stream().mapToLong(Sample.Operations::applicationBytes).sum(),
                sum(its, Sample.Operations::wireBytesIn),
                sum(its, Sample.Operations::wireBytesOut),
                sum(its, Sample.Operations::storedBytes));
    }

    /** Known only where all are. */
    private static OptionalLong sum(List<Sample.Operations> some, Function<Sample.Operations, OptionalLong> amount) {
        return some.stream().allMatch(one -> amount.apply(one).isPresent())
                ? OptionalLong.of(some.stream()
                        .mapToLong(one -> amount.apply(one).getAsLong())
                        .sum())
                : OptionalLong.empty();
    }

    /** What to say of windows that lie too far apart to have measured one load. The clocks of all must agree. */
    private static Optional<String> apart(List<TrialRun> runs) {
        LongSummaryStatistics starts = runs.stream()
                .mapToLong(run -> runs.get(0).startedAt.until(run.startedAt, ChronoUnit.NANOS))
                .summaryStatistics();
        long firstEnd = runs.stream()
                .mapToLong(run -> runs.get(0).startedAt.until(run.startedAt, ChronoUnit.NANOS) + run.windowNanos)
                .min()
                .orElseThrow();
        long longest = runs.stream().mapToLong(TrialRun::windowNanos).max().orElseThrow();
        double overlap = Math.max(0, firstEnd - starts.getMax()) / (double) Math.max(1, longest);
        return runs.size() > 1 && overlap < LEAST_OVERLAP
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "the windows of %d processes overlapped for %.0f %% of the longest, and began %.1f ms apart",
                        runs.size(),
                        overlap * 100,
                        (starts.getMax() - starts.getMin()) / 1e6))
                : Optional.empty();
    }

    /** Operations of all types. */
    private long count() {
        return operations.values().stream().mapToLong(Sample.Operations::count).sum();
    }

    /** The same, with one more thing that happened. */
    TrialRun with(String event) {
        return new TrialRun(
                outcome,
                startedAt,
                windowNanos,
                warmUp,
                elapsedNanos,
                operations,
                latency,
                errors,
                clientCpuNanosPerOp,
                allocatedBytesPerOp,
                flags,
                Stream.concat(events.stream(), Stream.of(event)).toList());
    }

    /** The line of this run in the run directory. */
    Sample toSample(ForkPlan plan, int round, ForkPlan.PlannedTrial planned) {
        boolean measured = !operations.isEmpty();
        SortedMap<String, String> unknown = new TreeMap<>();
        if (measured) {
            unknown.put("wire_bytes_in", "sockets are not instrumented");
            unknown.put("wire_bytes_out", "sockets are not instrumented");
            unknown.put("server_cpu_ns_per_op", "the server's process is not watched");
            if (planned.place()
                    .flatMap(p -> p.diskBytes().stream().boxed().findFirst())
                    .isEmpty()) {
                unknown.put("disk_bytes", planned.place().isEmpty() ? "no table" : "the server does not tell");
            }
        }
        return new Sample(
                planned.trial().id(),
                plan.block(),
                plan.fork(),
                round,
                startedAt.truncatedTo(ChronoUnit.MILLIS),
                planned.trial().method(),
                planned.trial().methodLevels(),
                planned.trial().condition(),
                outcome,
                flags,
                events,
                errors,
                Optional.of(warmUp),
                measured ? OptionalLong.of(elapsedNanos) : OptionalLong.empty(),
                operations,
                planned.place().map(ForkPlan.Place::diskBytes).orElse(OptionalLong.empty()),
                measured ? OptionalDouble.of(clientCpuNanosPerOp) : OptionalDouble.empty(),
                OptionalDouble.empty(),
                measured ? OptionalDouble.of(allocatedBytesPerOp) : OptionalDouble.empty(),
                unknown);
    }

    /** The innermost message says what went wrong; the types around it where. */
    private static String reason(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable e = failure; e != null && e != e.getCause(); e = e.getCause()) {
            String message = e.getMessage() == null
                    ? e.getClass().getSimpleName()
                    : e.getMessage().strip();
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ")
                        .append(message.lines().findFirst().orElse(""));
            }
        }
        return failure.getClass().getSimpleName() + ": " + text;
    }
}
