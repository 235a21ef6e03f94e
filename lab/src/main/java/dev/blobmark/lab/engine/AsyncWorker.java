package dev.blobmark.lab.engine;

import com.sun.management.ThreadMXBean;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.AsyncOperation;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/**
 * All concurrent operations of a process over one client that does not block threads. When an operation ends, the next
 * one starts in its slot, on the client's thread. Warm-up and window use the same code, in a closed loop.
 */
final class AsyncWorker implements Worker {

    /** In the window, content is checked once in this many operations; in the warm-up always. */
    private static final int CONTENT_CHECK_INTERVAL = 64;

    /** Asynchronous trials have operations of one type. */
    private static final int TYPE = 0;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final TrialSpec spec;
    private final TrialPhase phase;
    private final SplittableRandom warmUpRandom;
    private final SplittableRandom windowRandom;
    private final Account warmUp;
    private Account window;
    private final Optional<VisitQueues> visitQueues;
    private final List<VisitAccount> visits = new ArrayList<>();
    private final long[] begun;
    private long settlingOperations;
    private AsyncOperation operation;

    /** A part of the trial, which runs on the client's thread: warm-up, window or visit. */
    private final class AsyncPart {

        private final Account account;
        private final SplittableRandom random;
        private final OptionalLong visitNanos;
        private final CountDownLatch stopped = new CountDownLatch(begun.length);
        private final long operationsBefore;
        private final long bytesBefore;
        private final long nanosBefore;
        private long begin;
        private long started;
        private long firstOperations;
        private long firstNanos;

        /** @param visitNanos length of a visit; empty for a warm-up or a scheduled window */
        AsyncPart(Account account, SplittableRandom random, OptionalLong visitNanos) {
            this.account = account;
            this.random = random;
            this.visitNanos = visitNanos;
            operationsBefore = account.operations;
            bytesBefore = account.totalApplicationBytes();
            nanosBefore = account.elapsedNanos;
        }

        void begin() {
            account.allocatedBytes -= THREADS.getCurrentThreadAllocatedBytes();
            begin = spec.clock().nanoTime();
            if (visitNanos.isPresent()) {
                account.resume(begin);
            } else {
                account.begin(begin);
            }
            for (int slot = 0; slot < begun.length; slot++) {
                next(slot);
            }
        }

        private boolean isOver() {
            if (phase.hasFailed()) {
                return true;
            }
            if (visitNanos.isPresent()) {
                return account.endNanos - begin >= visitNanos.getAsLong();
            }
            if (account == warmUp) {
                return !phase.isWarmUp();
            }
            return spec.window() instanceof Window.Time time
                    ? account.endNanos - account.startNanos >= time.length().toNanos()
                    : started == share();
        }

        private void next(int slot) {
            if (isOver()) {
                stop();
                return;
            }
            try {
                started++;
                operation.prepare(slot, random.nextInt(spec.setup().windowRows()));
                begun[slot] = spec.clock().nanoTime();
                operation.start(slot, this::ended);
            } catch (RuntimeException e) {
                fail(e);
            }
        }

        private void ended(int slot, Throwable failure) {
            if (failure != null) {
                fail(failure);
                return;
            }
            long now = spec.clock().nanoTime();
            long nanos = now - begun[slot];
            long bytes = operation.bytes(slot);
            boolean checksContent = account == warmUp || account.operations % CONTENT_CHECK_INTERVAL == 0;
            Latencies.record(account.latency[TYPE], nanos);
            account.count[TYPE]++;
            account.busyNanos[TYPE] += nanos;
            account.applicationBytes[TYPE] += bytes;
            account.storedBytes[TYPE] += bytes;
            account.subWindows.add(TYPE, account.progress(now), nanos);
            account.operations++;
            account.endNanos = now;
            account.elapsedNanos = now - account.startNanos;
            if (visitNanos.isPresent() && firstOperations == 0 && now - begin >= visitNanos.getAsLong() / 2) {
                firstOperations = account.operations - operationsBefore;
                firstNanos = account.elapsedNanos - nanosBefore;
            }
            try {
                operation.verify(slot, checksContent);
            } catch (RuntimeException e) {
                fail(e);
                return;
            }
            next(slot);
        }

        private void fail(Throwable failure) {
            phase.fail(failure);
            stop();
        }

        VisitAccount toVisit(int round) {
            return new VisitAccount(
                    round,
                    account.operations - operationsBefore,
                    account.totalApplicationBytes() - bytesBefore,
                    account.elapsedNanos - nanosBefore,
                    firstOperations,
                    firstNanos);
        }

        /** The last slot to stop adds what the thread has allocated. */
        private void stop() {
            if (stopped.getCount() == 1) {
                account.allocatedBytes += THREADS.getCurrentThreadAllocatedBytes();
            }
            stopped.countDown();
        }
    }

    /** @param visitQueues empty if there is one window */
    AsyncWorker(TrialSpec spec, TrialPhase phase, Optional<VisitQueues> visitQueues, long seed) {
        this.spec = spec;
        this.phase = phase;
        this.visitQueues = visitQueues;
        warmUpRandom = new SplittableRandom(seed);
        windowRandom = warmUpRandom.split();
        int types = spec.workload().operationTypes().size();
        boolean isTimed = spec.window() instanceof Window.Time;
        long length = spec.window() instanceof Window.Time time ? time.length().toNanos() : share();
        warmUp = new Account(spec, SteadyWatch.subWindows(types, spec.warmUp()), false, false, false);
        window = visitQueues.isPresent()
                ? Account.ofVisits(spec)
                : new Account(spec, TwoLevels.subWindows(types, length), !isTimed, false, true);
        begun = new long[spec.share().count()];
    }

    /** The process's share of a window that is a number of operations. */
    private long share() {
        Share share = spec.share();
        return Math.max(1, ((Window.Count) spec.window()).operations() * share.count() / share.total());
    }

    @Override
    public void run() {
        try (AsyncOperation opened =
                spec.workload().openAsync(spec.setup(), spec.share().count())) {
            operation = opened;
            opened.readThrough();
            phase.swept();
            runPart(new AsyncPart(warmUp, warmUpRandom, OptionalLong.empty()));
            opened.beginWindow();
            if (visitQueues.isPresent()) {
                measureVisits(visitQueues.get());
            } else if (!phase.hasFailed()) {
                runPart(new AsyncPart(window, windowRandom, OptionalLong.empty()));
            }
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
        }
    }

    private void measureVisits(VisitQueues all) throws InterruptedException {
        for (Optional<Visit> visit = all.next(0); visit.isPresent(); visit = all.next(0)) {
            try {
                long settlingBefore = warmUp.operations;
                long allocatedBefore = warmUp.allocatedBytes;
                runPart(new AsyncPart(
                        warmUp, windowRandom, OptionalLong.of(visit.get().settleNanos())));
                if (visit.get().warmsUp()) {
                    continue;
                }
                settlingOperations += warmUp.operations - settlingBefore;
                window.allocatedBytes += warmUp.allocatedBytes - allocatedBefore;
                if (!phase.hasFailed()) {
                    AsyncPart measured = new AsyncPart(
                            window, windowRandom, OptionalLong.of(visit.get().nanos()));
                    runPart(measured);
                    visits.add(measured.toVisit(visit.get().round()));
                }
            } finally {
                visit.get().running().countDown();
            }
        }
    }

    /** Runs a part; returns when all its operations have ended. */
    private void runPart(AsyncPart part) throws InterruptedException {
        operation.execute(part::begin);
        part.stopped.await();
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
    public void renew() {
        window = window.renewed(spec);
        visits.clear();
        settlingOperations = 0;
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
