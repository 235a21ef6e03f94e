package dev.blobmark.lab.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until a point in time of {@link System#nanoTime}. */
final class PreciseWait {

    private static final long MIN_LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(60);
    private static final long MAX_LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    private static final long STEP_NANOS = 500;

    /**
     * How late a parked thread wakes at most in nine of ten cases: its timer slack (50 µs on Linux) plus the time to
     * wake a core, which differs between virtual machines. Updated after each wait; of two simultaneous updates one may
     * be lost.
     */
    private static volatile long lateNanos = TimeUnit.MICROSECONDS.toNanos(100);

    private PreciseWait() {}

    private static void learn(long late) {
        long learnt = lateNanos + (late > lateNanos ? 9 * STEP_NANOS : -STEP_NANOS);
        lateNanos = Math.max(MIN_LATE_NANOS, Math.min(MAX_LATE_NANOS, learnt));
    }

    /** @param exactly whether to spin for the last part; otherwise the thread wakes late */
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
