package dev.blobmark.lab.stats;

/** When to test the figures of a run that continues until all is decided: rarely, because each test may find a difference by chance. */
public final class Looks {

    private static final double GROWTH = 1.5;

    private Looks() {}

    /** The number of units after which the figures are tested next. */
    public static int after(int units) {
        return (int) Math.ceil(units * GROWTH);
    }
}
