package dev.blobmark.lab.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Where a trial stands, as its workers and the thread that runs it see it. */
public final class Phase {

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch swept;
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch ready;
    private final CountDownLatch ended;
    private volatile boolean warmUp = true;

    public Phase(int workers) {
        swept = new CountDownLatch(workers);
        ready = new CountDownLatch(workers);
        ended = new CountDownLatch(workers);
    }

    boolean isWarmUp() {
        return warmUp;
    }

    /** From here on workers measure, each from its next operation. */
    void endWarmUp() {
        warmUp = false;
    }

    /** A worker has read all its rows once. */
    void swept() {
        swept.countDown();
    }

    boolean isSwept() {
        return swept.getCount() == 0;
    }

    void awaitSwept() throws InterruptedException {
        swept.await();
    }

    /** All processes of the trial are ready to measure. May be said at any time, but once said stays. */
    public void go() {
        started.countDown();
    }

    /** Returns when all are ready, or the trial has failed. */
    void awaitGo() throws InterruptedException {
        started.await();
    }

    /** Waits until all workers are ready to measure, or one has failed: arrivals are for any of them. */
    void awaitReady() throws InterruptedException {
        ready.countDown();
        ready.await();
    }

    /** The first failure counts; it ends the trial for all workers. */
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

    /** Null while nothing has failed. */
    Throwable failure() {
        return failure.get();
    }

    /** A worker does nothing more, however it came to that. */
    void ended() {
        ended.countDown();
    }

    void awaitEnded() throws InterruptedException {
        ended.await();
    }
}
