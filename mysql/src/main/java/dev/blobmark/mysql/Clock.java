package dev.blobmark.mysql;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A source of time. */
@FunctionalInterface
public interface Clock {

    /** The machine's monotonic clock. */
    Clock SYSTEM = System::nanoTime;

    /**
     * How long before the end of a wait to start spinning. On Linux, a parked thread wakes late by its timer slack (50
     * µs) and the time to wake a core (up to 60 µs for a virtual one).
     */
    long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Nanoseconds since a fixed origin. */
    long nanoTime();

    /** Waits for a time, or until the thread is interrupted. */
    default void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    /** Waits until {@link #nanoTime} reaches a time: parked first, then spinning. Allocates nothing. */
    default void waitUntil(long nanos) {
        for (long left = nanos - nanoTime(); left > 0; left = nanos - nanoTime()) {
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
