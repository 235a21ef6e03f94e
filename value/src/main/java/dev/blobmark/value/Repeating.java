package dev.blobmark.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    private final String name;
    private final long everyNanos;
    private final long longestMillis;
    private final long rarelyNanos;
    private final Runnable task;
    private final List<Thread> running = new ArrayList<>();
    private final Thread thread;
    private long begunAtNanos;
    private volatile boolean isWanted;
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
        everyNanos = every.toNanos();
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
            pause(everyNanos, true);
            if (isClosed) {
                return;
            }
            runOnce();
            pause(LEAST_PAUSE_NANOS, false);
        } catch (InterruptedException e) { // it was closed, or somebody else has interrupted all threads
            return;
        } catch (Throwable e) { // there is no memory for a thread
            log("failed", e);
            LockSupport.parkNanos(LEAST_PAUSE_NANOS);
        }
    }

    /**
     * Allocates nothing. What waits in {@code java.util.concurrent} does, and with a full heap its time-outs do not end
     * (JDK 25).
     */
    private void pause(long nanos, boolean endsIfWanted) {
        long begin = System.nanoTime();
        long left = nanos;
        while (left > 0 && !isClosed && !(endsIfWanted && isWanted)) {
            LockSupport.parkNanos(left);
            Thread.interrupted(); // by others, who interrupt all threads
            left = nanos - (System.nanoTime() - begin);
        }
        if (endsIfWanted) {
            isWanted = false;
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
        isWanted = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
