package dev.blobmark.reencode.world;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Work on a thread of its own that runs only while another thread waits for it. */
final class Coroutine {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "coroutine");
        thread.setDaemon(true);
        return thread;
    });

    private final Runnable work;
    private volatile Thread caller;
    private volatile Thread own;
    private volatile boolean isRunning;
    private volatile boolean isEnded;

    Coroutine(Runnable work) {
        this.work = work;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Runs it until it pauses or ends. */
    void resume() {
        if (isEnded) {
            return;
        }
        caller = Thread.currentThread();
        isRunning = true;
        if (own == null) {
            own = Thread.currentThread(); // until it has begun
            THREADS.execute(() -> {
                own = Thread.currentThread();
                try {
                    work.run();
                } finally {
                    isEnded = true;
                    isRunning = false;
                    LockSupport.unpark(caller);
                }
            });
        } else {
            LockSupport.unpark(own);
        }
        while (isRunning) {
            LockSupport.park(this);
        }
    }

    /** On the thread of the work: lets the other thread go on. */
    void pause() {
        isRunning = false;
        LockSupport.unpark(caller);
        while (!isRunning) {
            LockSupport.park(this);
        }
    }
}
