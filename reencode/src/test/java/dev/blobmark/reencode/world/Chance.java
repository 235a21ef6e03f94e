package dev.blobmark.reencode.world;

/**
 * Decisions of one moment, which follow from the seed and the number of the moment alone. So a moment that is left out
 * changes nothing about the others. The numbers are those of SplitMix64.
 */
final class Chance {

    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private long state;

    Chance(long seed, long moment) {
        state = mixed(seed * STEP + 0x1234_5678L) ^ mixed(moment + STEP);
    }

    private static long mixed(long of) {
        long z = (of ^ of >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }

    long next() {
        state += STEP;
        return mixed(state);
    }

    /** From 0 to less than a limit. */
    int below(int limit) {
        return (int) Long.remainderUnsigned(next(), limit);
    }

    /** @param share probability that it is true, in thousandths */
    boolean in1000(int share) {
        return below(1000) < share;
    }
}
