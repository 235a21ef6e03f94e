package dev.blobmark.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A task that daemon threads repeat until it is closed. What it throws is logged, errors too: the next time it may
 * succeed. One that does not return, such as for a connection that never answers, is interrupted and left, and the task
 * runs again next to it: where three do not return, every two minutes.
 */
final class Repeating implements AutoCloseable {

    private static final long LEAST_PAUSE_NANOS = 1_000_000_000;

    /** Each may hold a connection. Further ones run rarely, but they do: the source may answer again. */
    private static final int MOST_RUNNING = 3;

    private final Semaphore wanted = new Semaphore(0);
    private final String name;
    private final long everyMillis;
    private final long longestMillis;
    private final long rarelyNanos;
    private final Runnable task;
    private final List<Thread> running = new ArrayList<>();
    private final Thread thread;
    private long begunAtNanos;
    private volatile boolean isClosed;

    Repeating(String name, Duration every, Runnable task) {
        this(name, every, Duration.ofMinutes(1), Duration.ofMinutes(2), task);
    }

    /**
     * @param task may be run while an earlier run has not returned
     * @param longest after which a run that has not returned is left
     * @param rarely between the beginnings of further runs where {@link #MOST_RUNNING} have not returned
     */
    Repeating(String name, Duration every, Duration longest, Duration rarely, Runnable task) {
        this.name = name;
        everyMillis = every.toMillis();
        longestMillis = longest.toMillis();
        rarelyNanos = rarely.toNanos();
        this.task = task;
        thread = start(this::repeat);
    }

    private Thread start(Runnable work) {
        return OwnThread.start(name, Repeating.class.getClassLoader(), work);
    }

    /** Without memory, the handler of an error may fail too. So this one allocates nothing. */
    private void repeat() {
        LockSupport.parkNanos(1); // loads what the handler below needs
        while (!isClosed) {
            try {
                next();
            } catch (Throwable e) {
                LockSupport.parkNanos(LEAST_PAUSE_NANOS);
            }
        }
        running.forEach(Thread::interrupt);
    }

    private void next() {
        try {
            wanted.tryAcquire(everyMillis, TimeUnit.MILLISECONDS);
            wanted.drainPermits();
            runOnce();
            TimeUnit.NANOSECONDS.sleep(LEAST_PAUSE_NANOS);
        } catch (InterruptedException e) { // it was closed, or somebody else has interrupted all threads
            return;
        } catch (Throwable e) { // there is no memory, for a thread or even to wait
            log("failed", e);
            LockSupport.parkNanos(LEAST_PAUSE_NANOS);
        }
    }

    private void runOnce() throws InterruptedException {
        running.removeIf(run -> !run.isAlive());
        if (running.size() >= MOST_RUNNING && System.nanoTime() - begunAtNanos < rarelyNanos) {
            return;
        }
        begunAtNanos = System.nanoTime();
        Thread run = start(this::runTask);
        running.add(run);
        run.join(longestMillis);
        if (run.isAlive()) {
            run.interrupt();
            log("has not returned for " + longestMillis / 1_000 + " s; another try is made", null);
        }
    }

    private void runTask() {
        try {
            task.run();
        } catch (Throwable e) { // the next time it may succeed
            log("failed", e);
        }
    }

    /** A logger that fails, such as for lack of memory, ends nothing either. */
    private void log(String what, Throwable thrown) {
        try {
            System.getLogger(Repeating.class.getName()).log(System.Logger.Level.WARNING, name + " " + what, thrown);
        } catch (Throwable e) {
            return;
        }
    }

    /** The task runs as soon as possible, but not twice a second. Does not wait. */
    void soon() {
        if (wanted.availablePermits() == 0) {
            wanted.release();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
