package dev.blobmark.value;

import java.util.concurrent.atomic.LongAdder;

/**
 * Notices that values are no longer like those that a dictionary was trained on: that they are stored in more bytes
 * than in its trial. Found within 1,000 values if the ratio falls by 10 %.
 */
public final class DictionaryDrift implements ValueListener {

    private static final int WINDOW = 500;

    /** Half of the fall that is to be found. */
    private static final double TOLERANCE = 0.05;

    private final double expected;
    private final LongAdder raw = new LongAdder();
    private final LongAdder stored = new LongAdder();
    private final LongAdder count = new LongAdder();
    private int high;
    private volatile boolean isDrifting;

    /** @param ratio of the values to what is stored for them, as the trial of the dictionary found it */
    public DictionaryDrift(double ratio) {
        expected = 1 / ratio;
    }

    @Override
    public void encoded(int rawBytes, int storedBytes, long nanos) {
        raw.add(rawBytes);
        stored.add(storedBytes);
        count.increment();
        if (count.sum() >= WINDOW) {
            judge();
        }
    }

    /** Two windows in turn must be high: the ratio of 500 values differs by some percent. */
    private synchronized void judge() {
        if (count.sum() < WINDOW) {
            return;
        }
        count.reset();
        double share = (double) stored.sumThenReset() / Math.max(1, raw.sumThenReset());
        high = share > expected * (1 + TOLERANCE) ? high + 1 : 0;
        isDrifting = high >= 2;
    }

    @Override
    public void decoded(int rawBytes, int storedBytes, long nanos) {
        // what is read says nothing of what is written now
    }

    /** Whether the last values were stored in more bytes than expected: train a new dictionary. */
    public boolean isDrifting() {
        return isDrifting;
    }
}
