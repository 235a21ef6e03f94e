package dev.blobmark.lab.engine;

import com.sun.management.ThreadMXBean;
import dev.blobmark.lab.client.TimeAccount;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs one of a trial's concurrent operations on its own thread, back to back or as they arrive, and records the
 * results. Warm-up and window use the same code, so that it is compiled before the window. Nothing is allocated per
 * operation.
 */
final class BlockingWorker implements Worker {

    /** Attempts at an operation that fails with a transient error; the time of all attempts counts. */
    private static final int ATTEMPTS = 20;

    /** Half of the longest pause before the second attempt; doubled for each of the next nine. */
    private static final long FIRST_PAUSE_NANOS = 50_000;

    private static final int MOST_DOUBLINGS = 10;

    /** In the window, content is checked once in this many operations; in the warm-up always. */
    private static final int CONTENT_CHECK_INTERVAL = 64;

    private static final TimeAccount.TimedPart[] PARTS = TimeAccount.TimedPart.values();

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** How often a worker that waits for an arrival checks whether the warm-up has ended or the trial has failed. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final TrialSpec spec;
    private final int number;
    private final TrialPhase phase;
    private final Optional<Timetable> timetable;
    private final Optional<VisitQueues> visitQueues;
    private final List<VisitAccount> visits = new ArrayList<>();
    private final RowOrder warmUpRows;
    private final RowOrder windowRows;
    private final AtomicLong warmUpTurns;
    private final AtomicLong windowTurns;
    private final Account warmUp;
    private Account window;
    private long settlingOperations;
    private Traffic traffic;
    private long bytesInBefore;
    private long bytesOutBefore;

    /** The arrivals of an open loop, the same for all workers of a trial. */
    record Timetable(Arrivals warmUp, Arrivals window) {}

    /**
     * @param number among the workers of all processes
     * @param timetable empty in a closed loop
     * @param visitQueues empty if there is one window
     */
    BlockingWorker(
            TrialSpec spec,
            int number,
            TrialPhase phase,
            Optional<Timetable> timetable,
            Optional<VisitQueues> visitQueues,
            RowOrder.Shared numbering,
            long seed) {
        this.spec = spec;
        this.number = number;
        this.phase = phase;
        this.timetable = timetable;
        this.visitQueues = visitQueues;
        // two generators, so that the rows of the window do not depend on the length of the warm-up
        SplittableRandom warmUpRandom = new SplittableRandom(seed);
        SplittableRandom windowRandom = warmUpRandom.split();
        int inWarmUp = spec.setup().warmUpRows();
        int inWindow = spec.setup().windowRows();
        this.warmUpRows = numbering.warmUp().orElse(() -> warmUpRandom.nextInt(inWarmUp));
        this.windowRows = numbering.window().orElse(() -> windowRandom.nextInt(inWindow));
        this.warmUpTurns = numbering.warmUpTurns();
        this.windowTurns = numbering.windowTurns();
        int types = spec.workload().operationTypes().size();
        boolean isOpen = timetable.isPresent();
        this.warmUp = new Account(spec, SteadyWatch.subWindows(types, spec.warmUp()), false, isOpen, false);
        if (visitQueues.isPresent()) {
            this.window = Account.ofVisits(spec);
        } else if (isOpen) {
            long span = timetable.get().window().spanNanos();
            this.window = new Account(spec, TwoLevels.subWindows(types, span), false, true, true);
        } else if (spec.window() instanceof Window.Time time) {
            long length = time.length().toNanos();
            this.window = new Account(spec, TwoLevels.subWindows(types, length), false, false, true);
        } else {
            this.window = new Account(spec, TwoLevels.subWindows(types, share()), true, false, true);
        }
    }

    /** The worker's share of a window that is a number of operations. */
    private long share() {
        long operations = ((Window.Count) spec.window()).operations();
        int all = spec.share().total();
        return operations / all + (number < operations % all ? 1 : 0);
    }

    @Override
    public void run() {
        try (Operation operation = spec.workload().open(spec.setup().forWorker(number))) {
            window.countsWire = operation.traffic().isPresent();
            traffic = operation.traffic().orElseGet(Traffic::new);
            traffic.time().useClock(spec.clock()::nanoTime);
            sweep(operation);
            phase.swept();
            warmUp(operation);
            operation.verifyEffective();
            operation.beginWindow();
            if (visitQueues.isPresent()) {
                measureVisits(operation, visitQueues.get());
            } else {
                measure(operation);
            }
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
        }
    }

    /**
     * Works on each row once, together with the other workers. With a table, each worker does at least one operation,
     * because {@link Operation#verifyEffective} checks what it used.
     */
    private void sweep(Operation operation) throws Exception {
        if (number == 0) {
            operation.readThrough();
        }
        int end = spec.workload().sweep(spec.setup().design(), spec.setup().warmUpRows());
        for (int row = number;
                row < end && phase.isWarmUp();
                row += spec.share().total()) {
            step(operation, warmUp, row, true);
        }
        if (warmUp.operations == 0 && spec.workload().usesTable()) {
            step(operation, warmUp, warmUpRows.next(), true);
        }
    }

    private void warmUp(Operation operation) throws Exception {
        Arrivals arrivals = timetable.map(Timetable::warmUp).orElse(null);
        if (arrivals != null) {
            arrivals.begin(spec.clock().nanoTime());
        }
        boolean hasBegun = false;
        while (phase.isWarmUp()) {
            if (!hasBegun && phase.isSwept()) {
                warmUp.begin(spec.clock().nanoTime());
                hasBegun = true;
            }
            if (arrivals == null) {
                step(operation, warmUp, warmUpRows.next(), true);
            } else {
                arrive(operation, warmUp, arrivals, warmUpRows, true);
            }
        }
    }

    private void measure(Operation operation) throws Exception {
        if (timetable.isPresent()) {
            phase.awaitReady();
        }
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        if (timetable.isPresent()) {
            Arrivals arrivals = timetable.get().window();
            window.begin(arrivals.begin(spec.clock().nanoTime()));
            boolean isOver = false;
            while (!isOver && !phase.hasFailed()) {
                isOver = !arrive(operation, window, arrivals, windowRows, checksContent());
            }
        } else if (spec.window() instanceof Window.Time time) {
            window.begin(spec.clock().nanoTime());
            long nanos = time.length().toNanos();
            do {
                step(operation, window, windowRows.next(), checksContent());
            } while (window.endNanos - window.startNanos < nanos && !phase.hasFailed());
        } else {
            window.begin(spec.clock().nanoTime());
            long share = share();
            while (window.operations < share && !phase.hasFailed()) {
                step(operation, window, windowRows.next(), checksContent());
            }
        }
        if (window.operations > 0 && !phase.hasFailed()) {
            endWindow(operation);
        }
        window.allocatedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }

    private void measureVisits(Operation operation, VisitQueues all) throws Exception {
        int own = number - spec.share().first();
        for (Optional<Visit> visit = all.next(own); visit.isPresent(); visit = all.next(own)) {
            try {
                visit(operation, visit.get());
            } finally {
                visit.get().running().countDown();
            }
        }
    }

    @Override
    public void renew() {
        window = window.renewed(spec);
        visits.clear();
        settlingOperations = 0;
    }

    /** Runs until the effects of other trials have gone, then measures. */
    private void visit(Operation operation, Visit visit) throws Exception {
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        long begin = spec.clock().nanoTime();
        long settlingBefore = warmUp.operations;
        warmUp.resume(begin);
        do {
            step(operation, warmUp, windowRows.next(), warmUp.operations % CONTENT_CHECK_INTERVAL == 0);
        } while (warmUp.endNanos - begin < visit.settleNanos() && !phase.hasFailed());
        if (visit.warmsUp()) {
            return;
        }
        settlingOperations += warmUp.operations - settlingBefore;

        long operationsBefore = window.operations;
        long bytesBefore = window.totalApplicationBytes();
        long nanosBefore = window.elapsedNanos;
        long firstOperations = 0;
        long firstNanos = 0;
        long start = spec.clock().nanoTime();
        window.resume(start);
        do {
            step(operation, window, windowRows.next(), checksContent());
            if (firstOperations == 0 && window.endNanos - start >= visit.nanos() / 2) {
                firstOperations = window.operations - operationsBefore;
                firstNanos = window.elapsedNanos - nanosBefore;
            }
        } while (window.endNanos - start < visit.nanos() && !phase.hasFailed());
        if (!phase.hasFailed()) {
            endWindow(operation);
        }
        visits.add(new VisitAccount(
                visit.round(),
                window.operations - operationsBefore,
                window.totalApplicationBytes() - bytesBefore,
                window.elapsedNanos - nanosBefore,
                firstOperations,
                firstNanos));
        window.allocatedBytes += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }

    /** Completes what the last operation has left open, and adds the time to the window. */
    private void endWindow(Operation operation) throws Exception {
        long before = spec.clock().nanoTime();
        operation.endWindow();
        long took = spec.clock().nanoTime() - before;
        window.endNanos += took;
        window.elapsedNanos += took;
    }

    private boolean checksContent() {
        return window.operations % CONTENT_CHECK_INTERVAL == 0;
    }

    private int nextType(Operation operation, Account account) {
        if (account.count.length == 1) {
            return 0;
        }
        long turn = (account == warmUp ? warmUpTurns : windowTurns).getAndIncrement();
        return operation.nextType(turn, account.busyNanos);
    }

    /** Runs an operation at once. */
    private void step(Operation operation, Account account, int row, boolean checkContent) throws Exception {
        int type = nextType(operation, account);
        operation.prepare(type, row);
        markTraffic();
        perform(operation, account, type, row, checkContent, spec.clock().nanoTime());
    }

    /** Takes an arrival, waits until it is due, and runs its operation; false if there are no more. */
    private boolean arrive(Operation operation, Account account, Arrivals arrivals, RowOrder rows, boolean checkContent)
            throws Exception {
        long free = account.endNanos;
        long intended = arrivals.take(spec.clock().nanoTime());
        if (intended == Arrivals.NONE) {
            return false;
        }
        int row = rows.next();
        int type = nextType(operation, account);
        operation.prepare(type, row);
        if (awaitDue(intended, account)) {
            markTraffic();
            long before = spec.clock().nanoTime();
            long response = perform(operation, account, type, row, checkContent, before) - intended;
            Latencies.record(account.response[type], response);
            Latencies.record(account.lag, before - Math.max(intended, free));
        }
        return true;
    }

    /** Waits until an arrival is due; false if the warm-up ends or the trial fails before. */
    private boolean awaitDue(long intended, Account account) {
        for (long now = spec.clock().nanoTime();
                now < intended;
                now = spec.clock().nanoTime()) {
            if (phase.hasFailed() || account == warmUp && !phase.isWarmUp()) {
                return false;
            }
            spec.clock().waitUntil(Math.min(intended, now + POLL_NANOS));
            // completes sub-windows without arrivals, too
            account.subWindows.reach(account.progress(spec.clock().nanoTime()));
        }
        return true;
    }

    private void markTraffic() {
        traffic.time().clear();
        bytesInBefore = traffic.bytesIn();
        bytesOutBefore = traffic.bytesOut();
    }

    /** Runs an operation and records it; returns its end. */
    private long perform(Operation operation, Account account, int type, int row, boolean checkContent, long before)
            throws Exception {
        TimeAccount time = traffic.time();
        time.begin(before);
        long bytes = attempt(operation, account, type, row);
        long after = time.charge(TimeAccount.TimedPart.CLIENT);
        Latencies.record(account.latency[type], after - before);
        account.count[type]++;
        account.busyNanos[type] += after - before;
        account.applicationBytes[type] += bytes;
        long stored = operation.storedBytes(spec.setup().values(), row);
        account.storedBytes[type] += stored;
        account.sizes.add(type, bytes, after - before, stored);
        account.wireBytesIn[type] += traffic.bytesIn() - bytesInBefore;
        account.wireBytesOut[type] += traffic.bytesOut() - bytesOutBefore;
        for (TimeAccount.TimedPart part : PARTS) {
            account.partNanos[type][part.ordinal()] += time.nanos(part);
        }
        account.linkNanos[type] += time.linkNanos();
        account.subWindows.add(type, account.progress(after), after - before);
        account.operations++;
        account.endNanos = after;
        account.elapsedNanos = after - account.startNanos - account.verifyNanos;
        operation.verify(type, row, checkContent);
        if (checkContent) {
            account.verifyNanos += spec.clock().nanoTime() - after;
        }
        return after;
    }

    private long attempt(Operation operation, Account account, int type, int row) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return operation.perform(type, row);
            } catch (Exception e) {
                String code = operation.transientCode(e).orElse(null);
                if (code == null || attempt == ATTEMPTS) {
                    throw e;
                }
                account.errors.merge(code, 1L, Long::sum);
                // a random pause, since the same operations would collide again; it counts as time of the operation,
                // but of none of its parts
                long failed = traffic.time().charge(TimeAccount.TimedPart.CLIENT);
                spec.clock()
                        .waitUntil(failed
                                + ThreadLocalRandom.current()
                                        .nextLong(FIRST_PAUSE_NANOS << Math.min(attempt, MOST_DOUBLINGS)));
                traffic.time().begin(spec.clock().nanoTime());
            }
        }
    }

    @Override
    public SubWindows warmUpSubWindows() {
        return warmUp.subWindows;
    }

    @Override
    public Account account() {
        return window;
    }

    @Override
    public List<VisitAccount> visits() {
        return visits;
    }

    @Override
    public long settlingOperations() {
        return settlingOperations;
    }
}
