package dev.blobmark.lab.engine;

import dev.blobmark.mysql.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** The state of a trial, shared by its workers and the thread that runs it. */
public final class TrialPhase {

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch swept;
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch ready;
    private final CountDownLatch ended;
    private volatile boolean warmUp = true;

    /** When the window begins, by {@link System#nanoTime}, if that was agreed on. */
    private volatile OptionalLong beginNanos = OptionalLong.empty();

    public TrialPhase(int workers) {
        swept = new CountDownLatch(workers);
        ready = new CountDownLatch(workers);
        ended = new CountDownLatch(workers);
    }

    boolean isWarmUp() {
        OptionalLong begin = beginNanos;
        return warmUp && (begin.isEmpty() || System.nanoTime() - begin.getAsLong() < 0);
    }

    /** Ends the warm-up: each worker measures from its next operation on. */
    void endWarmUp() {
        warmUp = false;
    }

    /** Called by a worker that has read all its rows once. */
    void swept() {
        swept.countDown();
    }

    boolean isSwept() {
        return swept.getCount() == 0;
    }

    void awaitSwept() throws InterruptedException {
        swept.await();
    }

    /**
     * Lets the window begin, when all processes of the trial are ready. May be called at any time, and cannot be
     * revoked.
     */
    public void go() {
        started.countDown();
    }

    /**
     * Lets the window begin at an instant, which was agreed on with processes of other hosts. Workers look at the clock
     * before each operation of the warm-up, so that nobody has to wake up for it.
     */
    public void go(Instant at) {
        beginNanos = OptionalLong.of(System.nanoTime() + Instant.now().until(at, ChronoUnit.NANOS));
        started.countDown();
    }

    /** Waits until some time before the agreed instant, if there is one. */
    void awaitBegin(long nanosBefore) {
        beginNanos.ifPresent(begin -> Clock.SYSTEM.waitUntil(begin - nanosBefore));
    }

    /** Waits for {@link #go}, or until the trial has failed. */
    void awaitGo() throws InterruptedException {
        started.await();
    }

    /**
     * Waits until all workers are ready to measure, or one has failed. An open loop needs that, because any worker
     * takes any arrival.
     */
    void awaitReady() throws InterruptedException {
        ready.countDown();
        ready.await();
    }

    /** Ends the trial for all workers. The first failure counts. */
    public void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        warmUp = false;
        started.countDown();
        release(swept);
        release(ready);
    }

    private static void release(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            latch.countDown();
        }
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    /** Null if nothing has failed. */
    Throwable failure() {
        return failure.get();
    }

    /** Called by each worker when it ends, also after a failure. */
    void ended() {
        ended.countDown();
    }

    void awaitEnded() throws InterruptedException {
        ended.await();
    }
}
