package dev.blobmark.lab.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waiting for a moment of {@link System#nanoTime}. */
final class Moment {

    /** A parked thread of Linux is late by its timer slack (50 µs) and the time to wake a core. */
    static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Something else is done so often meanwhile. */
    private static final long LOOK_UP_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private Moment() {}

    /** Does something while it waits. */
    interface Meanwhile<E extends Exception> {
        void run() throws E;
    }

    /** @param exactly whether the last of it is spun; else the thread oversleeps */
    static <E extends Exception> void await(long nanos, boolean exactly, Meanwhile<E> meanwhile) throws E {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            long parked = exactly ? left - SPIN_NANOS : left;
            if (parked > 0) {
                LockSupport.parkNanos(Math.min(parked, LOOK_UP_NANOS));
                meanwhile.run();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
