package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.stats.Settling;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A trial that is opened, swept and warmed up once, and then visited now and then: its connections, statements and workers stay. Other
 * trials of the process run between its visits, never in one.
 *
 * <p>What the trial takes besides its time, CPU and garbage, is counted from the beginning of a visit to its end, and is per operation of both
 * its parts. The server is asked for its pages in one visit of some, as the answer takes longer than a visit.
 */
public final class VisitedTrial implements AutoCloseable {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** How long operations of a visit go on before they are measured, at first: caches and clocks find what others have left. */
    public static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The longest time that operations go on before they are measured. */
    private static final long MAX_SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private final TrialSpec spec;
    private final Phase phase;
    private final Turns turns;
    private final List<Worker> workers;
    private final ServerWatch watch;
    private final Settling settling = new Settling();
    private final List<String> events = new ArrayList<>();
    private WarmUp warmUp = new WarmUp(0, false);
    private final Compilation compilation;
    private double compiling;
    private long settleNanos;
    private int firstSettled;
    private long cpuNanos;
    private Garbage garbage = Garbage.NONE;
    private ServerAccounts server = new ServerAccounts();
    private Instant begun = Instant.now();
    private long begunNanos;

    /** Opens one that watches no server, and waits until it has warmed up. */
    public static VisitedTrial open(TrialSpec spec, Compilation compilation) throws InterruptedException {
        VisitedTrial trial = new VisitedTrial(spec, ServerWatch.none("no server"), compilation, SETTLE_NANOS);
        trial.awaitWarm();
        return trial;
    }

    /**
     * Begins to open one.
     *
     * @param watch may be shared with other trials
     * @param compilation may be shared with other trials
     * @param settleNanos how long operations go on at the beginning of a visit before they are measured, at first
     */
    public VisitedTrial(TrialSpec spec, ServerWatch watch, Compilation compilation, long settleNanos) {
        this.spec = spec;
        this.watch = watch;
        this.compilation = compilation;
        this.settleNanos = settleNanos;
        phase = new Phase(spec.workers());
        turns = new Turns(spec.workers());
        workers = WindowedTrial.start(spec, phase, Optional.empty(), Optional.of(turns));
    }

    /** Waits until it has warmed up; false if it has failed, as {@link #finish} tells. */
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

    /** Goes on without measuring; false if it has failed, as {@link #finish} tells. */
    public boolean warmUp(long nanos) throws InterruptedException {
        take(0, nanos, 0);
        return !phase.hasFailed();
    }

    /** CPU time that the JVM's compilers took in the last visit, of the time that it took. */
    public double compiling() {
        return compiling;
    }

    private void take(int round, long unmeasuredNanos, long nanos) throws InterruptedException {
        long compiledBefore = compilation.nanos();
        long begin = System.nanoTime();
        turns.take(round, unmeasuredNanos, nanos);
        compiling = Math.max(0, compilation.nanos() - compiledBefore) / (double) (System.nanoTime() - begin);
    }

    /**
     * Measures once more; false if it has failed, as {@link #finish} tells.
     *
     * @param round in which all open trials are visited
     * @param nanos of the window
     */
    public boolean visit(int round, long nanos) throws InterruptedException {
        int done = workers.get(0).visits().size();
        if (done == 0) {
            begun = Instant.now();
            begunNanos = spec.clock().nanoTime();
        }
        boolean asks = server.asksIn(done);
        watch.begin(asks);
        Garbage garbageBefore = Garbage.sinceStart();
        long cpuBefore = PROCESS.getProcessCpuTime();
        long operationsBefore = operations();
        take(round, settleNanos, nanos);
        cpuNanos += PROCESS.getProcessCpuTime() - cpuBefore;
        garbage = garbage.plus(Garbage.sinceStart().since(garbageBefore));
        if (phase.hasFailed()) {
            return false;
        }
        server.add(watch.end(asks), operations() - operationsBefore, asks);
        settle(halves(done));
        return true;
    }

    /** Of all workers, those that were not measured among them. */
    private long operations() {
        return workers.stream()
                .mapToLong(worker -> worker.account().operations + worker.settlingOperations())
                .sum();
    }

    /** The logarithm of how much faster the second half of a visit was than the first; NaN where it cannot be told. */
    private double halves(int visit) {
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

    /** Where visits are seen to begin slower or faster than they go on, the next ones settle for longer, and count instead. */
    private void settle(double halves) {
        settling.add(halves);
        if (settling.isSettled() || settleNanos >= MAX_SETTLE_NANOS) {
            return;
        }
        events.add(String.format(
                Locale.ROOT,
                "operations were %.1f %% %s in the first half of visits that had gone on for %.0f ms: those %d are left out, and"
                        + " later ones go on for %.0f ms before they are measured",
                100 * Math.abs(Math.expm1(-settling.mean())),
                settling.mean() > 0 ? "slower" : "faster",
                settleNanos / 1e6,
                settling.count(),
                2 * settleNanos / 1e6));
        settleNanos *= 2;
        firstSettled = workers.get(0).visits().size();
        settling.clear();
    }

    /** What it has given since it was opened, or since this was asked last. Not to be called when it has failed. */
    public TrialRun account() {
        TrialRun run = run();
        workers.forEach(Worker::renew);
        warmUp = new WarmUp(0, warmUp.steady());
        cpuNanos = 0;
        garbage = Garbage.NONE;
        server = new ServerAccounts();
        events.clear();
        settling.clear();
        firstSettled = 0;
        return run;
    }

    /** Ends it, and says what it has given since it was asked last. */
    public TrialRun finish() throws InterruptedException {
        turns.end();
        phase.awaitEnded();
        return phase.hasFailed() ? TrialRun.without(TrialRun.outcome(phase.failure()), warmUp) : run();
    }

    private TrialRun run() {
        Visits visits = visits();
        TrialRun run = new Tally(spec, workers, Optional.empty())
                .run(
                        warmUp,
                        begun,
                        begunNanos,
                        cpuNanos,
                        server.total(workers.stream()
                                .mapToLong(worker -> worker.account().operations)
                                .sum()),
                        garbage)
                .visited(begun, visits, events);
        return settling.isSettled() ? run : run.flagged(Sample.UNSETTLED, unsettled());
    }

    private String unsettled() {
        return String.format(
                Locale.ROOT,
                "operations were %.1f %% %s in the first half of its visits, though they had gone on for %.0f ms",
                100 * Math.abs(Math.expm1(-settling.mean())),
                settling.mean() > 0 ? "slower" : "faster",
                settleNanos / 1e6);
    }

    private Visits visits() {
        List<Integer> rounds = new ArrayList<>();
        List<Double> operations = new ArrayList<>();
        List<Double> bytes = new ArrayList<>();
        for (int visit = firstSettled; visit < workers.get(0).visits().size(); visit++) {
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

    /** To five digits: a sample with dozens of visits stays a line that can be read. */
    private static double rounded(double x) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.4e", x));
    }

    /** Ends it, if it has not ended. */
    @Override
    public void close() {
        phase.fail(new IllegalStateException("closed"));
        turns.end();
    }
}
