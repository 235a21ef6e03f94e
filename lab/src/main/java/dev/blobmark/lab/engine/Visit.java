package dev.blobmark.lab.engine;

import java.util.concurrent.CountDownLatch;

/**
 * One visit to a trial that stays open: its workers run for a time without measuring, then measure.
 *
 * @param round round of visits to all open trials, from 0
 * @param settleNanos unmeasured time at the beginning
 * @param nanos length of the window, which is extended to the end of the current operation; 0 for a visit that only
 *     warms up
 * @param running counts the workers that have not ended the visit
 */
record Visit(int round, long settleNanos, long nanos, CountDownLatch running) {

    Visit(int round, long settleNanos, long nanos, int workers) {
        this(round, settleNanos, nanos, new CountDownLatch(workers));
    }

    /** Whether the visit measures nothing. */
    boolean warmsUp() {
        return nanos == 0;
    }
}
