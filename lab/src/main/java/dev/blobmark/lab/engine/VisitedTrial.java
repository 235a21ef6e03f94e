package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.stats.Settling;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A trial that is opened, swept and warmed up once, and then visited repeatedly. Its connections, statements and
 * workers stay open. Other trials of the process run between its visits, never during one.
 *
 * <p>CPU time and garbage are counted from the beginning of a visit to its end, over both settling and measured
 * operations. The server is queried for its pages only in some visits, because a query can take longer than a visit.
 */
public final class VisitedTrial implements AutoCloseable {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * How long operations run at the beginning of a visit before they are measured, initially: other trials have
     * changed the state of caches and clocks.
     */
    public static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The longest time that operations run before they are measured. */
    private static final long MAX_SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private final TrialSpec spec;
    private final TrialPhase phase;
    private final VisitQueues visitQueues;
    private final List<Worker> workers;
    private final ServerWatch watch;
    private final Settling settling = new Settling();
    private final List<String> events = new ArrayList<>();
    private WarmUp warmUp = new WarmUp(0, false);
    private final Compilation compilation;
    private double compilingShare;
    private long settleNanos;
    private int firstCounted;
    private long cpuNanos;
    private Garbage garbage = Garbage.NONE;
    private ServerAccounts server = new ServerAccounts();
    private Instant startedAt = Instant.now();
    private long startedNanos;

    /** Opens a trial that watches no server, and waits until it has warmed up. */
    public static VisitedTrial open(TrialSpec spec, Compilation compilation) throws InterruptedException {
        VisitedTrial trial = new VisitedTrial(spec, ServerWatch.none("no server"), compilation, SETTLE_NANOS);
        trial.awaitWarm();
        return trial;
    }

    /**
     * Begins to open a trial.
     *
     * @param watch may be shared with other trials
     * @param compilation may be shared with other trials
     * @param settleNanos how long operations run at the beginning of a visit before they are measured, initially
     */
    public VisitedTrial(TrialSpec spec, ServerWatch watch, Compilation compilation, long settleNanos) {
        this.spec = spec;
        this.watch = watch;
        this.compilation = compilation;
        this.settleNanos = settleNanos;
        phase = new TrialPhase(spec.workers());
        visitQueues = new VisitQueues(spec.workers());
        workers = WindowedTrial.start(spec, phase, Optional.empty(), Optional.of(visitQueues));
    }

    /** Waits until it has warmed up; false if it has failed, with the reason in {@link #finish}. */
    public boolean awaitWarm() throws InterruptedException {
        long begin = spec.clock().nanoTime();
        phase.awaitSwept();
        boolean steady = SteadyWatch.await(
                phase,
                workers.stream().map(Worker::warmUpSubWindows).toList(),
                spec.workload().operationTypes().size());
        warmUp = new WarmUp((spec.clock().nanoTime() - begin) / 1e9, steady);
        phase.endWarmUp();
        return !phase.hasFailed();
    }

    /** Runs without measuring; false if it has failed, with the reason in {@link #finish}. */
    public boolean warmUp(long nanos) throws InterruptedException {
        runVisit(0, nanos, 0);
        return !phase.hasFailed();
    }

    /** CPU time of the JVM's compilers ÷ elapsed time, in the last visit. */
    public double compiling() {
        return compilingShare;
    }

    private void runVisit(int round, long unmeasuredNanos, long nanos) throws InterruptedException {
        long compiledBefore = compilation.nanos();
        long begin = System.nanoTime();
        visitQueues.run(round, unmeasuredNanos, nanos);
        compilingShare = Math.max(0, compilation.nanos() - compiledBefore) / (double) (System.nanoTime() - begin);
    }

    /**
     * Measures a visit; false if it has failed, with the reason in {@link #finish}.
     *
     * @param round of visits to all open trials
     * @param nanos of the window
     */
    public boolean visit(int round, long nanos) throws InterruptedException {
        int done = workers.get(0).visits().size();
        if (done == 0) {
            startedAt = Instant.now();
            startedNanos = spec.clock().nanoTime();
        }
        boolean queries = server.queriesIn(done);
        watch.begin(queries);
        Garbage garbageBefore = Garbage.sinceStart();
        long cpuBefore = PROCESS.getProcessCpuTime();
        long operationsBefore = operations();
        runVisit(round, settleNanos, nanos);
        cpuNanos += PROCESS.getProcessCpuTime() - cpuBefore;
        garbage = garbage.plus(Garbage.sinceStart().since(garbageBefore));
        if (phase.hasFailed()) {
            return false;
        }
        server.add(watch.end(queries), operations() - operationsBefore, queries);
        settle(logSpeedup(done));
        return true;
    }

    /** Operations of all workers, including those that were not measured. */
    private long operations() {
        return workers.stream()
                .mapToLong(worker -> worker.account().operations + worker.settlingOperations())
                .sum();
    }

    /** The logarithm of the speed of a visit's second half ÷ that of its first; NaN if a half has no operations. */
    private double logSpeedup(int visit) {
        double first = 0;
        double second = 0;
        for (Worker worker : workers) {
            VisitAccount account = worker.visits().get(visit);
            long laterNanos = account.nanos() - account.firstNanos();
            long laterOperations = account.operations() - account.firstOperations();
            if (account.firstOperations() == 0 || laterOperations == 0) {
                return Double.NaN;
            }
            first += (double) account.firstOperations() / account.firstNanos();
            second += (double) laterOperations / laterNanos;
        }
        return Math.log(second / first);
    }

    /** If visits begin slower or faster than they continue, later ones settle for longer, and replace them. */
    private void settle(double logSpeedup) {
        settling.add(logSpeedup);
        if (settling.isSettled() || settleNanos >= MAX_SETTLE_NANOS) {
            return;
        }
        events.add(String.format(
                Locale.ROOT,
                "operations were %.1f %% %s in the first half of visits that had settled for %.0f ms: these %d visits are left"
                        + " out, and later ones settle for %.0f ms",
                100 * Math.abs(Math.expm1(-settling.mean())),
                settling.mean() > 0 ? "slower" : "faster",
                settleNanos / 1e6,
                settling.count(),
                2 * settleNanos / 1e6));
        settleNanos *= 2;
        firstCounted = workers.get(0).visits().size();
        settling.clear();
    }

    /** The results since it was opened, or since the last call. Must not be called after a failure. */
    public TrialRun account() {
        TrialRun run = run();
        workers.forEach(Worker::renew);
        warmUp = new WarmUp(0, warmUp.steady());
        cpuNanos = 0;
        garbage = Garbage.NONE;
        server = new ServerAccounts();
        events.clear();
        settling.clear();
        firstCounted = 0;
        return run;
    }

    /** Ends the trial; returns the results since the last {@link #account}. */
    public TrialRun finish() throws InterruptedException {
        visitQueues.end();
        phase.awaitEnded();
        return phase.hasFailed() ? TrialRun.without(TrialRun.outcome(phase.failure()), warmUp) : run();
    }

    private TrialRun run() {
        Visits visits = visits();
        TrialRun run = new Tally(spec, workers, Optional.empty())
                .run(
                        warmUp,
                        startedAt,
                        startedNanos,
                        cpuNanos,
                        server.total(workers.stream()
                                .mapToLong(worker -> worker.account().operations)
                                .sum()),
                        garbage)
                .visited(startedAt, visits, events);
        return settling.isSettled() ? run : run.flagged(Sample.UNSETTLED, unsettled());
    }

    private String unsettled() {
        return String.format(
                Locale.ROOT,
                "operations were %.1f %% %s in the first half of visits, although they had settled for %.0f ms",
                100 * Math.abs(Math.expm1(-settling.mean())),
                settling.mean() > 0 ? "slower" : "faster",
                settleNanos / 1e6);
    }

    private Visits visits() {
        List<Integer> rounds = new ArrayList<>();
        List<Double> operations = new ArrayList<>();
        List<Double> bytes = new ArrayList<>();
        for (int visit = firstCounted; visit < workers.get(0).visits().size(); visit++) {
            double operationsPerSecond = 0;
            double bytesPerSecond = 0;
            for (Worker worker : workers) {
                VisitAccount account = worker.visits().get(visit);
                operationsPerSecond += account.operations() * 1e9 / account.nanos();
                bytesPerSecond += account.bytes() * 1e9 / account.nanos();
            }
            rounds.add(workers.get(0).visits().get(visit).round());
            operations.add(rounded(operationsPerSecond));
            bytes.add(rounded(bytesPerSecond));
        }
        return new Visits(
                settleNanos / 1e6,
                rounds,
                operations,
                bytes,
                settling.count() < 2
                        ? List.of()
                        : List.of(rounded(settling.mean()), rounded(settling.standardError())));
    }

    /** Rounded to five digits, so that a sample with dozens of visits is a readable line. */
    private static double rounded(double x) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.4e", x));
    }

    /** Ends the trial if it has not ended. */
    @Override
    public void close() {
        phase.fail(new IllegalStateException("closed"));
        visitQueues.end();
    }
}
