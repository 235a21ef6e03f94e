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
 * All operations of a process that are in flight over one client which blocks no thread: as one ends, the next begins in its slot, on the
 * client's own thread. Warm-up and window run through the same code, in a closed loop.
 */
final class AsyncWorker implements Worker {

    /** In the window, content is checked once in so many operations; in the warm-up always. */
    private static final int CONTENT_CHECK_INTERVAL = 64;

    /** Clients of this kind do operations of one type. */
    private static final int TYPE = 0;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final TrialSpec spec;
    private final Phase phase;
    private final SplittableRandom warmUpRandom;
    private final SplittableRandom windowRandom;
    private final Account warmUp;
    private Account window;
    private final Optional<Turns> turns;
    private final List<VisitAccount> visits = new ArrayList<>();
    private final long[] begun;
    private long settlingOperations;
    private AsyncOperation operation;

    /** The part of the trial that is going on, on the client's thread. */
    private final class Part {

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

        /** @param visitNanos of a visit; empty for a warm-up, or a window as it is scheduled */
        Part(Account account, SplittableRandom random, OptionalLong visitNanos) {
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

        /** The last one to stop tells what the thread has allocated. */
        private void stop() {
            if (stopped.getCount() == 1) {
                account.allocatedBytes += THREADS.getCurrentThreadAllocatedBytes();
            }
            stopped.countDown();
        }
    }

    /** @param turns empty where there is one window */
    AsyncWorker(TrialSpec spec, Phase phase, Optional<Turns> turns, long seed) {
        this.spec = spec;
        this.phase = phase;
        this.turns = turns;
        warmUpRandom = new SplittableRandom(seed);
        windowRandom = warmUpRandom.split();
        int types = spec.workload().operationTypes().size();
        boolean isTimed = spec.window() instanceof Window.Time;
        long length = spec.window() instanceof Window.Time time ? time.length().toNanos() : share();
        warmUp = new Account(spec, SteadyWatch.subWindows(types, spec.warmUp()), false, false, false);
        window = turns.isPresent()
                ? Account.ofVisits(spec)
                : new Account(spec, TwoLevels.subWindows(types, length), !isTimed, false, true);
        begun = new long[spec.share().count()];
    }

    /** Of a window that is a number of operations. */
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
            keepGoing(new Part(warmUp, warmUpRandom, OptionalLong.empty()));
            if (turns.isPresent()) {
                measureInTurns(turns.get());
            } else if (!phase.hasFailed()) {
                keepGoing(new Part(window, windowRandom, OptionalLong.empty()));
            }
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
        }
    }

    private void measureInTurns(Turns all) throws InterruptedException {
        for (Optional<Turn> turn = all.next(0); turn.isPresent(); turn = all.next(0)) {
            try {
                long settlingBefore = warmUp.operations;
                long allocatedBefore = warmUp.allocatedBytes;
                keepGoing(new Part(
                        warmUp, windowRandom, OptionalLong.of(turn.get().settleNanos())));
                if (turn.get().warmsUp()) {
                    continue;
                }
                settlingOperations += warmUp.operations - settlingBefore;
                window.allocatedBytes += warmUp.allocatedBytes - allocatedBefore;
                if (!phase.hasFailed()) {
                    Part measured = new Part(
                            window, windowRandom, OptionalLong.of(turn.get().nanos()));
                    keepGoing(measured);
                    visits.add(measured.toVisit(turn.get().round()));
                }
            } finally {
                turn.get().left().countDown();
            }
        }
    }

    /** Returns when all that was begun has ended. */
    private void keepGoing(Part part) throws InterruptedException {
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
