package dev.blobmark.lab.engine;

import java.util.concurrent.CountDownLatch;

/**
 * One visit of a trial that stays open: its workers go on for a while that is not measured, then measure.
 *
 * @param round in which all open trials are visited, from 0
 * @param settleNanos at the beginning, not measured
 * @param nanos of the window; it ends with the operation that is under way then; 0 for a visit that only warms up
 * @param left workers that have not ended it
 */
record Turn(int round, long settleNanos, long nanos, CountDownLatch left) {

    Turn(int round, long settleNanos, long nanos, int workers) {
        this(round, settleNanos, nanos, new CountDownLatch(workers));
    }

    /** Whether nothing of it is measured. */
    boolean warmsUp() {
        return nanos == 0;
    }
}
