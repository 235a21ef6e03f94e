package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** The order of the keys of new rows. A level of the factor {@code keys}. */
public enum Keys {
    /** 0, 1, 2 and so on: each row is inserted at the end of the table. */
    ASCENDING {
        @Override
        public int key(int number, long seed) {
            return number;
        }

        @Override
        public int number(int key, long seed) {
            return key;
        }
    },
    /** Distributed over 0 to 2^31 - 1 without repetition: rows are inserted all over the table. */
    RANDOM {
        @Override
        public int key(int number, long seed) {
            int key = mixed(number + (int) seed & MASK);
            key = mixed(key * FIRST & MASK);
            return mixed(key * SECOND & MASK);
        }

        @Override
        public int number(int key, long seed) {
            int number = mixed(key) * SECOND_INVERSE & MASK;
            number = mixed(number) * FIRST_INVERSE & MASK;
            return mixed(number) - (int) seed & MASK;
        }
    };

    public static final Factor<Keys> FACTOR = Factor.ofWords(
            "keys",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.INSERT),
            "the order of the keys of new rows",
            Arrays.asList(values()),
            k -> k.name().toLowerCase(Locale.ROOT));

    private static final int MASK = Integer.MAX_VALUE;

    /** A multiplier of MurmurHash3's fmix32. It is odd, so that multiplication permutes the numbers below 2^31. */
    private static final int FIRST = 0x85ebca6b;

    private static final int SECOND = 0xc2b2ae35;
    private static final int FIRST_INVERSE = inverse(FIRST);
    private static final int SECOND_INVERSE = inverse(SECOND);

    /** The key of the new row with this number. {@link #RANDOM} is a permutation that depends on the seed. */
    public abstract int key(int number, long seed);

    /** The number of the row with this key. */
    public abstract int number(int key, long seed);

    /** Its own inverse, because it shifts by more than half of the 31 bits. */
    private static int mixed(int x) {
        return x ^ x >>> 16;
    }

    /**
     * The inverse modulo 2^32 by Newton's iteration: 3 bits are correct at first, and twice as many after each step.
     */
    private static int inverse(int odd) {
        int inverse = odd;
        for (int bits = 3; bits < Integer.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
