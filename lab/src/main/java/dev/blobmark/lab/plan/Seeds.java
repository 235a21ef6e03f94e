package dev.blobmark.lab.plan;

import java.util.SplittableRandom;

/** Seeds for the parts of a run, mixed from the one that the study has. */
public final class Seeds {

    private Seeds() {}

    /** A seed that differs for each combination of parts, and tells nothing of its neighbours. */
    public static long mix(long seed, long... parts) {
        long mixed = seed;
        for (long part : parts) {
            mixed = new SplittableRandom(mixed).nextLong() ^ part;
        }
        return new SplittableRandom(mixed).nextLong();
    }
}
