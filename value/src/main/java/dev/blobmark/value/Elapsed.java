package dev.blobmark.value;

import java.util.concurrent.TimeUnit;

/**
 * A moment from which time is measured. A machine can be suspended: then the clock of {@link System#nanoTime} stands
 * still on Linux, and the time of day does not. The longer of both times counts, so that nothing is relied on for too
 * long; a time of day that is set forward only ends reliance early. What is remembered must not end early.
 */
record Elapsed(long atNanos, long atMillis) {

    static Elapsed fromNow() {
        return new Elapsed(System.nanoTime(), System.currentTimeMillis());
    }

    /** By the clock that stands still, and that nobody sets: for what is to be remembered for long enough. */
    boolean isMoreThanAwake(long nanos) {
        return System.nanoTime() - atNanos > nanos;
    }

    boolean isMoreThan(long nanos) {
        return isMoreThan(nanos, System.nanoTime(), System.currentTimeMillis());
    }

    /** @param nowNanos and the milliseconds are those of the two clocks */
    boolean isMoreThan(long nanos, long nowNanos, long nowMillis) {
        return nowNanos - atNanos > nanos || nowMillis - atMillis > TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
