package dev.blobmark.lab.engine;

import com.sun.management.ThreadMXBean;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.AsyncOperation;
import java.lang.management.ManagementFactory;
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
    private final Account window;
    private final long[] begun;
    private AsyncOperation operation;

    /** The part of the trial that is going on, on the client's thread. */
    private final class Part {

        private final Account account;
        private final SplittableRandom random;
        private final CountDownLatch stopped = new CountDownLatch(begun.length);
        private long started;

        Part(Account account, SplittableRandom random) {
            this.account = account;
            this.random = random;
        }

        void begin() {
            account.allocatedBytes = -THREADS.getCurrentThreadAllocatedBytes();
            account.begin(spec.clock().nanoTime());
            for (int slot = 0; slot < begun.length; slot++) {
                next(slot);
            }
        }

        private boolean isOver() {
            if (phase.hasFailed()) {
                return true;
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

        /** The last one to stop tells what the thread has allocated. */
        private void stop() {
            if (stopped.getCount() == 1) {
                account.allocatedBytes += THREADS.getCurrentThreadAllocatedBytes();
            }
            stopped.countDown();
        }
    }

    AsyncWorker(TrialSpec spec, Phase phase, long seed) {
        this.spec = spec;
        this.phase = phase;
        warmUpRandom = new SplittableRandom(seed);
        windowRandom = warmUpRandom.split();
        int types = spec.workload().operationTypes().size();
        boolean isTimed = spec.window() instanceof Window.Time;
        long length = spec.window() instanceof Window.Time time ? time.length().toNanos() : share();
        warmUp = new Account(spec, SteadyWatch.subWindows(types, spec.warmUp()), false, false, false);
        window = new Account(spec, TwoLevels.subWindows(types, length), !isTimed, false, true);
        begun = new long[spec.share().count()];
    }

    /** Of a window that is a number of operations. */
    private long share() {
        Share share = spec.share();
        return Math.max(1, ((Window.Count) spec.window()).operations() * share.count() / share.all());
    }

    @Override
    public void run() {
        try (AsyncOperation opened =
                spec.workload().openAsync(spec.setup(), spec.share().count())) {
            operation = opened;
            opened.readThrough();
            phase.swept();
            keepGoing(new Part(warmUp, warmUpRandom));
            if (!phase.hasFailed()) {
                keepGoing(new Part(window, windowRandom));
            }
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
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
}
