package dev.blobmark.lab.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Where times come from. */
@FunctionalInterface
public interface Clock {

    /** The machine's monotonic clock. */
    Clock SYSTEM = System::nanoTime;

    /**
     * A parked thread of Linux is late by its timer slack (50 µs) and the time to wake a core (up to 60 µs where it is a
     * virtual one); the rest is spun.
     */
    long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Nanoseconds since some fixed moment. */
    long nanoTime();

    /** Waits until {@link #nanoTime} has come to a moment: parked, and at the end spinning. Allocates nothing. */
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
