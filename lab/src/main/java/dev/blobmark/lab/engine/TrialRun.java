package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.SteadyState;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
