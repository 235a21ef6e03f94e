package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.SteadyState;
import java.lang.management.ManagementFactory;
import java.time.Instant;
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
import org.HdrHistogram.Histogram;

/**
 * One trial in one round: N workers warm up until the means of their service times are steady, then measure a window.
 *
 * @param operations by operation type; empty where the trial failed
 * @param latency merged over the workers, by operation type
 * @param elapsedNanos of the slowest worker, verification taken off
 */
public record TrialRun(
        Outcome outcome,
        Sample.WarmUp warmUp,
        long elapsedNanos,
        SortedMap<String, Sample.Operations> operations,
        SortedMap<String, Histogram> latency,
        SortedMap<String, Long> errors,
        double clientCpuNanosPerOp,
        double allocatedBytesPerOp) {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Short enough to see a trend in a second, long enough for a stable mean of a fast operation. */
    private static final long SUB_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** A sub-window goes on until each type has so many operations. */
    private static final long SUB_WINDOW_OPERATIONS = 1;

    /** Runs a trial; what goes wrong in it becomes its outcome. */
    public static TrialRun of(TrialSpec spec) throws InterruptedException {
        Phase phase = new Phase(spec.workers());
        SplittableRandom seeds = new SplittableRandom(spec.seed());
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < spec.workers(); i++) {
            workers.add(new Worker(spec, i, phase, seeds.nextLong()));
        }
        long begin = spec.clock().nanoTime();
        for (int i = 0; i < workers.size(); i++) {
            Thread thread = new Thread(workers.get(i), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Sample.WarmUp warmUp;
        long cpu;
        try {
            phase.awaitSwept();
            boolean steady = awaitSteady(spec, phase, workers);
            warmUp = new Sample.WarmUp((spec.clock().nanoTime() - begin) / 1e9, steady);
            cpu = -PROCESS.getProcessCpuTime();
            phase.endWarmUp();
            phase.awaitEnded();
            cpu += PROCESS.getProcessCpuTime();
        } catch (InterruptedException e) {
            phase.fail(e);
            throw e;
        }
        if (phase.hasFailed()) {
            return new TrialRun(
                    new Outcome.Failed(reason(phase.failure())),
                    warmUp,
                    0,
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    0,
                    0);
        }
        return account(spec, workers, warmUp, cpu);
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

    private static TrialRun account(TrialSpec spec, List<Worker> workers, Sample.WarmUp warmUp, long cpuNanos) {
        List<String> types = spec.workload().operationTypes();
        SortedMap<String, Sample.Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        long elapsed = 0;
        long total = 0;
        long allocated = 0;
        for (Worker worker : workers) {
            Worker.Account account = worker.account();
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
                warmUp,
                elapsed,
                operations,
                latency,
                errors,
                (double) cpuNanos / total,
                (double) allocated / total);
    }

    /** The line of this run in the run directory. */
    Sample toSample(ForkPlan plan, int round, ForkPlan.PlannedTrial planned, Instant startedAt) {
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
                startedAt,
                planned.trial().method(),
                planned.trial().methodLevels(),
                planned.trial().condition(),
                outcome,
                List.of(),
                List.of(),
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
