package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Which keys new rows get, in the order in which they are inserted. A level of the factor {@code keys}. */
public enum Keys {
    /** 0, 1, 2 and so on: each row goes to the end of the table. */
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
    /** Spread over all keys from 0 to 2^31 - 1, none twice: each row goes anywhere. */
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
            "in which order new rows get their keys",
            Arrays.asList(values()),
            k -> k.name().toLowerCase(Locale.ROOT));

    private static final int MASK = Integer.MAX_VALUE;

    /** Odd, so that multiplying is a permutation of the numbers below 2^31: the multipliers of MurmurHash3's fmix32. */
    private static final int FIRST = 0x85ebca6b;

    private static final int SECOND = 0xc2b2ae35;
    private static final int FIRST_INVERSE = inverse(FIRST);
    private static final int SECOND_INVERSE = inverse(SECOND);

    /** The key of the new row of a number; a permutation of the numbers from 0 up, another one for each seed. */
    public abstract int key(int number, long seed);

    /** The number of the row that got a key. */
    public abstract int number(int key, long seed);

    /** Its own inverse, for it shifts by half of the 31 bits or more. */
    private static int mixed(int x) {
        return x ^ x >>> 16;
    }

    /** Modulo 2^32, by Newton's iteration: the number of right bits, 3 at first, doubles with each step. */
    private static int inverse(int odd) {
        int inverse = odd;
        for (int bits = 3; bits < Integer.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
