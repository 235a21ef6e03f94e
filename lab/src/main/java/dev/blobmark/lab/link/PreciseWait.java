package dev.blobmark.lab.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until a point in time of {@link System#nanoTime}. */
final class PreciseWait {

    private static final long LEAST_LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(60);
    private static final long MOST_LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    private static final long STEP_NANOS = 500;

    /**
     * How late a parked thread wakes, in nine of ten cases: timer slack (50 µs on Linux) and the time to wake a core, which differs between
     * virtual machines. Updated after each wait; if two threads update it at once, one update may be lost.
     */
    private static volatile long lateNanos = TimeUnit.MICROSECONDS.toNanos(100);

    private PreciseWait() {}

    private static void learn(long late) {
        long learnt = lateNanos + (late > lateNanos ? 9 * STEP_NANOS : -STEP_NANOS);
        lateNanos = Math.max(LEAST_LATE_NANOS, Math.min(MOST_LATE_NANOS, learnt));
    }

    /** @param exactly whether to spin for the last part; otherwise the thread oversleeps */
    static void await(long nanos, boolean exactly) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            long parked = exactly ? left - lateNanos : left;
            if (parked > 0) {
                long due = System.nanoTime() + parked;
                LockSupport.parkNanos(parked);
                learn(System.nanoTime() - due);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
