package dev.blobmark.stats;

/**
 * When a run that continues until all comparisons are decided evaluates its figures. Each evaluation can find a false
 * difference, so there are few.
 */
public final class Looks {

    private static final double GROWTH = 1.5;

    private Looks() {}

    /** The number of units at the next evaluation, after one at {@code units}. */
    public static int after(int units) {
        return (int) Math.ceil(units * GROWTH);
    }
}
