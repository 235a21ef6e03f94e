package dev.blobmark.lab.plan;

import java.util.SplittableRandom;

/** Seeds for the parts of a run, derived from the study's seed. */
public final class Seeds {

    private Seeds() {}

    /** A seed for a combination of parts. Seeds of different combinations are statistically independent. */
    public static long mix(long seed, long... parts) {
        long mixed = seed;
        for (long part : parts) {
            mixed = new SplittableRandom(mixed).nextLong() ^ part;
        }
        return new SplittableRandom(mixed).nextLong();
    }
}
