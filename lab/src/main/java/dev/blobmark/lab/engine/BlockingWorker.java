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

/**
 * One of a trial's operations in flight: does them on a thread of its own, back to back or as they arrive, and keeps the
 * account. Warm-up and window run through the same code, so that the window finds it compiled. Nothing is allocated per
 * operation.
 */
final class BlockingWorker implements Worker {

    /** Attempts at an operation that meets an error which may be tried again; the time of all counts. */
    private static final int ATTEMPTS = 10;

    /** Half of what a worker waits for at most before its second attempt; doubled for each one after it. */
    private static final long FIRST_PAUSE_NANOS = 50_000;

    /** In the window, content is checked once in so many operations; in the warm-up always. */
    private static final int CONTENT_CHECK_INTERVAL = 64;

    private static final TimeAccount.Part[] PARTS = TimeAccount.Part.values();

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A worker that waits for an arrival looks so often whether the trial has gone on without it. */
    private static final long LOOK_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final TrialSpec spec;
    private final int number;
    private final Phase phase;
    private final Optional<Timetable> timetable;
    private final Optional<Turns> turns;
    private final List<VisitAccount> visits = new ArrayList<>();
    private final RowOrder warmUpRows;
    private final RowOrder windowRows;
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
     * @param turns empty where there is one window
     */
    BlockingWorker(
            TrialSpec spec,
            int number,
            Phase phase,
            Optional<Timetable> timetable,
            Optional<Turns> turns,
            RowOrder.Shared numbering,
            long seed) {
        this.spec = spec;
        this.number = number;
        this.phase = phase;
        this.timetable = timetable;
        this.turns = turns;
        // two, for the rows of the window are not to depend on how long the warm-up takes
        SplittableRandom warmUpRandom = new SplittableRandom(seed);
        SplittableRandom windowRandom = warmUpRandom.split();
        int inWarmUp = spec.setup().warmUpRows();
        int inWindow = spec.setup().windowRows();
        this.warmUpRows = numbering.warmUp().orElse(() -> warmUpRandom.nextInt(inWarmUp));
        this.windowRows = numbering.window().orElse(() -> windowRandom.nextInt(inWindow));
        int types = spec.workload().operationTypes().size();
        boolean isOpen = timetable.isPresent();
        this.warmUp = new Account(spec, SteadyWatch.subWindows(types, spec.warmUp()), false, isOpen, false);
        if (turns.isPresent()) {
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

    /** Of a window that is a number of operations. */
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
            if (turns.isPresent()) {
                measureInTurns(operation, turns.get());
            } else {
                measure(operation);
            }
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
        }
    }

    /** Works on each row once, with all other workers; in any case once, for what it runs through is looked at in the end. */
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

    private void measureInTurns(Operation operation, Turns all) throws Exception {
        int own = number - spec.share().first();
        for (Optional<Turn> turn = all.next(own); turn.isPresent(); turn = all.next(own)) {
            try {
                visit(operation, turn.get());
            } finally {
                turn.get().left().countDown();
            }
        }
    }

    @Override
    public void renew() {
        window = window.renewed(spec);
        visits.clear();
        settlingOperations = 0;
    }

    /** Goes on until the state that others have left behind is gone, then measures. */
    private void visit(Operation operation, Turn turn) throws Exception {
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        long begin = spec.clock().nanoTime();
        long settlingBefore = warmUp.operations;
        warmUp.resume(begin);
        do {
            step(operation, warmUp, windowRows.next(), warmUp.operations % CONTENT_CHECK_INTERVAL == 0);
        } while (warmUp.endNanos - begin < turn.settleNanos() && !phase.hasFailed());
        if (turn.warmsUp()) {
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
            if (firstOperations == 0 && window.endNanos - start >= turn.nanos() / 2) {
                firstOperations = window.operations - operationsBefore;
                firstNanos = window.elapsedNanos - nanosBefore;
            }
        } while (window.endNanos - start < turn.nanos() && !phase.hasFailed());
        if (!phase.hasFailed()) {
            endWindow(operation);
        }
        visits.add(new VisitAccount(
                turn.round(),
                window.operations - operationsBefore,
                window.totalApplicationBytes() - bytesBefore,
                window.elapsedNanos - nanosBefore,
                firstOperations,
                firstNanos));
        window.allocatedBytes += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }

    /** The last operation has ended when what it left open is completed, too. */
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

    /** Does an operation at once. */
    private void step(Operation operation, Account account, int row, boolean checkContent) throws Exception {
        int type = operation.nextType(account.busyNanos);
        operation.prepare(type, row);
        markTraffic();
        perform(operation, account, type, row, checkContent, spec.clock().nanoTime());
    }

    /** Takes an arrival, waits until it is due, and does its operation; false if there is none left. */
    private boolean arrive(Operation operation, Account account, Arrivals arrivals, RowOrder rows, boolean checkContent)
            throws Exception {
        long free = account.endNanos;
        long intended = arrivals.take(spec.clock().nanoTime());
        if (intended == Arrivals.NONE) {
            return false;
        }
        int row = rows.next();
        int type = operation.nextType(account.busyNanos);
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

    /** False if the warm-up has ended or the trial has failed before. */
    private boolean awaitDue(long intended, Account account) {
        for (long now = spec.clock().nanoTime();
                now < intended;
                now = spec.clock().nanoTime()) {
            if (phase.hasFailed() || account == warmUp && !phase.isWarmUp()) {
                return false;
            }
            spec.clock().waitUntil(Math.min(intended, now + LOOK_UP_NANOS));
            // parts in which nothing arrives are over some time, too
            account.subWindows.reach(account.progress(spec.clock().nanoTime()));
        }
        return true;
    }

    private void markTraffic() {
        traffic.time().clear();
        bytesInBefore = traffic.bytesIn();
        bytesOutBefore = traffic.bytesOut();
    }

    /** Does an operation and books it; returns its end. */
    private long perform(Operation operation, Account account, int type, int row, boolean checkContent, long before)
            throws Exception {
        TimeAccount time = traffic.time();
        time.begin(before);
        long bytes = attempt(operation, account, type, row);
        long after = time.charge(TimeAccount.Part.CLIENT);
        Latencies.record(account.latency[type], after - before);
        account.count[type]++;
        account.busyNanos[type] += after - before;
        account.applicationBytes[type] += bytes;
        long stored = operation.storedBytes(spec.setup().values(), row);
        account.storedBytes[type] += stored;
        account.sizes.add(type, bytes, after - before, stored);
        account.wireBytesIn[type] += traffic.bytesIn() - bytesInBefore;
        account.wireBytesOut[type] += traffic.bytesOut() - bytesOutBefore;
        for (TimeAccount.Part part : PARTS) {
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
                // those that met would meet again; the pause is part of the operation's time, and of none of its parts
                long failed = traffic.time().charge(TimeAccount.Part.CLIENT);
                spec.clock().waitUntil(failed + ThreadLocalRandom.current().nextLong(FIRST_PAUSE_NANOS << attempt));
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
