package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One trial in one round: N workers warm up until the means of their service times are steady, then measure a window.
 *
 * @param operations by operation type; empty where the trial failed
 * @param openLoop empty in a closed loop, or where the trial failed
 * @param latency merged over the workers, by operation type and the other names of {@link Sample#histograms}
 * @param elapsedNanos of the slowest worker, verification taken off
 */
public record TrialRun(
        Outcome outcome,
        Sample.WarmUp warmUp,
        long elapsedNanos,
        SortedMap<String, Sample.Operations> operations,
        Optional<Sample.OpenLoop> openLoop,
        SortedMap<String, Histogram> latency,
        SortedMap<String, Long> errors,
        List<String> flags,
        List<String> events,
        double clientCpuNanosPerOp,
        double allocatedBytesPerOp) {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Parts of a trial's seed. */
    private static final long WARM_UP_ARRIVALS = 1;

    private static final long WINDOW_ARRIVALS = 2;

    /** A rate at which less than this share of the operations offered was done has not been reached. */
    static final double REACHED = 0.99;

    /** Arrivals that are started later than this, though a thread was free, are not at the rate asked for. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Runs a trial; what goes wrong in it becomes its outcome. */
    public static TrialRun of(TrialSpec spec) throws InterruptedException {
        Phase phase = new Phase(spec.workers());
        SplittableRandom seeds = new SplittableRandom(spec.seed());
        List<Worker> workers = new ArrayList<>();
        Optional<Worker.Timetable> timetable = timetable(spec);
        for (int i = 0; i < spec.workers(); i++) {
            workers.add(new Worker(spec, i, phase, timetable, seeds.nextLong()));
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
            boolean steady = SteadyWatch.await(
                    phase,
                    workers.stream().map(Worker::warmUpSubWindows).toList(),
                    spec.workload().operationTypes().size());
            warmUp = new Sample.WarmUp((spec.clock().nanoTime() - begin) / 1e9, steady);
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
                : account(spec, workers, timetable.map(Worker.Timetable::window), warmUp, cpu);
    }

    private static TrialRun failed(String reason, Sample.WarmUp warmUp) {
        return new TrialRun(
                new Outcome.Failed(reason),
                warmUp,
                0,
                new TreeMap<>(),
                Optional.empty(),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(),
                List.of(),
                0,
                0);
    }

    private static Optional<Worker.Timetable> timetable(TrialSpec spec) {
        return spec.load() instanceof Load.Open open
                ? Optional.of(new Worker.Timetable(
                        Arrivals.endless(open, Seeds.mix(spec.seed(), WARM_UP_ARRIVALS)),
                        Arrivals.in(spec.window(), open, Seeds.mix(spec.seed(), WINDOW_ARRIVALS))))
                : Optional.empty();
    }

    private static TrialRun account(
            TrialSpec spec, List<Worker> workers, Optional<Arrivals> arrivals, Sample.WarmUp warmUp, long cpuNanos) {
        List<String> types = spec.workload().operationTypes();
        List<Worker.Account> accounts = workers.stream().map(Worker::account).toList();
        SortedMap<String, Sample.Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        List<String> events = new ArrayList<>();
        long elapsed = 0;
        long total = 0;
        long allocated = 0;
        for (Worker.Account account : accounts) {
            elapsed = Math.max(elapsed, account.elapsedNanos);
            total += account.operations;
            allocated += account.allocatedBytes;
            account.errors.forEach((code, count) -> errors.merge(code, count, Long::sum));
        }
        if (total == 0 && arrivals.isPresent()) {
            return failed(
                    "no operation arrived at " + spec.load() + " in a window of " + spec.window()
                            + "; give a longer window or a higher rate",
                    warmUp);
        }
        arrivals.ifPresent(Arrivals::end);
        for (int number = 0; number < types.size(); number++) {
            int type = number;
            String word = types.get(type);
            long count = 0;
            long applicationBytes = 0;
            long storedBytes = 0;
            double bytesPerSecond = 0;
            double operationsPerSecond = 0;
            for (Worker.Account account : accounts) {
                count += account.count[type];
                applicationBytes += account.applicationBytes[type];
                storedBytes += account.storedBytes[type];
                // in an open loop a worker's last operation says nothing of how long it was ready for more
                long nanos = arrivals.isPresent()
                        ? Math.max(elapsed, arrivals.get().spanNanos())
                        : spec.workload().typesApart() ? account.busyNanos[type] : account.elapsedNanos;
                if (account.count[type] > 0) {
                    bytesPerSecond += account.applicationBytes[type] / (nanos / 1e9);
                    operationsPerSecond += account.count[type] / (nanos / 1e9);
                }
            }
            if (count > 0) {
                latency.put(word, merged(accounts, account -> account.latency[type]));
                if (arrivals.isPresent()) {
                    latency.put(Sample.responseOf(word), merged(accounts, account -> account.response[type]));
                }
                operations.put(
                        word,
                        new Sample.Operations(
                                count,
                                bytesPerSecond,
                                operationsPerSecond,
                                Sample.Latency.of(latency.get(word)),
                                applicationBytes,
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalLong.of(storedBytes),
                                Optional.ofNullable(latency.get(Sample.responseOf(word)))
                                        .map(Sample.Latency::of)));
                TwoLevels.find(
                                accounts.stream()
                                        .map(account -> account.subWindows)
                                        .toList(),
                                type,
                                word)
                        .ifPresent(events::add);
            }
        }
        Optional<Sample.OpenLoop> openLoop = Optional.empty();
        if (spec.load() instanceof Load.Open open) {
            latency.put(Sample.SCHEDULE_LAG, merged(accounts, account -> account.lag));
            openLoop = Optional.of(new Sample.OpenLoop(
                    open.perSecond(),
                    arrivals.get().offered(),
                    arrivals.get().offered() - arrivals.get().dropped(),
                    total,
                    arrivals.get().dropped(),
                    Sample.Latency.of(latency.get(Sample.SCHEDULE_LAG))));
        }
        return new TrialRun(
                openLoop.flatMap(TrialRun::saturated).orElseGet(() -> outcome(spec, warmUp)),
                warmUp,
                elapsed,
                operations,
                openLoop,
                latency,
                errors,
                events.isEmpty() ? List.of() : List.of(Sample.BIMODAL),
                events,
                (double) cpuNanos / total,
                (double) allocated / total);
    }

    private static Outcome outcome(TrialSpec spec, Sample.WarmUp warmUp) {
        return warmUp.steady()
                ? new Outcome.Measured()
                : new Outcome.Unsteady("still changing after " + spec.warmUp().toMillis()
                        + " ms of warm-up; a longer --warm-up or a quieter machine helps");
    }

    /** An open loop whose rate was not reached. */
    private static Optional<Outcome> saturated(Sample.OpenLoop open) {
        if (open.completed() < REACHED * open.offered()) {
            return Optional.of(new Outcome.Saturated(String.format(
                    Locale.ROOT,
                    "completed %,.0f of %,.0f offered per second; dropped %,d of %,d; lower the --rate, or add --threads"
                            + " if the server has room for more at once",
                    open.ratePerSecond() * open.completed() / open.offered(),
                    open.ratePerSecond(),
                    open.dropped(),
                    open.offered())));
        }
        if (open.scheduleLag().p99() > LATE_NANOS) {
            return Optional.of(new Outcome.Saturated(String.format(
                    Locale.ROOT,
                    "one operation in a hundred began %.0f ms late or more though a thread was free; lower the --rate, or"
                            + " take a quieter machine or one with more cores",
                    open.scheduleLag().p99() / 1e6)));
        }
        return Optional.empty();
    }

    private static Histogram merged(List<Worker.Account> accounts, Function<Worker.Account, Histogram> histogram) {
        Histogram merged = Latencies.newHistogram();
        accounts.forEach(account -> merged.add(histogram.apply(account)));
        return merged;
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
                flags,
                events,
                errors,
                Optional.of(warmUp),
                measured ? OptionalLong.of(elapsedNanos) : OptionalLong.empty(),
                operations,
                openLoop,
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
