package dev.blobmark.lab.stats;

/** When the figures are looked at of a run that goes on until all is decided: seldom, since each look may see what is not there. */
public final class Looks {

    private static final double GROWTH = 1.5;

    private Looks() {}

    /** After how many units the next look is taken. */
    public static int after(int units) {
        return (int) Math.ceil(units * GROWTH);
    }
}
