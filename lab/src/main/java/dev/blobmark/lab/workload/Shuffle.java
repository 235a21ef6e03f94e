package dev.blobmark.lab.workload;

import java.util.SplittableRandom;

/**
 * The numbers below a count in a random order that follows from a seed. Each is computed, so an order of any length
 * takes no memory.
 *
 * <p>A permutation of the numbers of as many bits as are needed is applied again until the result is below the count
 * (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002, "cycle walking"); that is less than twice on
 * average.
 */
final class Shuffle {

    /** With 4, the number after another one was not evenly distributed in some short orders, such as of 16 numbers. */
    private static final int ROUNDS = 6;

    private final int count;
    private final int mask;
    private final int shift;
    private final int[] factors = new int[ROUNDS];
    private final int[] addends = new int[ROUNDS];

    /** @param count of the numbers, 1 or more */
    Shuffle(int count, long seed) {
        if (count < 1) {
            throw new IllegalArgumentException("there is no order of " + count + " numbers");
        }
        this.count = count;
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
        mask = (1 << bits) - 1;
        shift = Math.max(1, (bits + 1) / 2);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            factors[round] = random.nextInt() | 1; // multiplication by an odd number permutes
            addends[round] = random.nextInt();
        }
    }

    /** The number at a place, both from 0 and below the count. */
    int at(int place) {
        int x = place;
        do {
            for (int round = 0; round < ROUNDS; round++) {
                x = x * factors[round] + addends[round] & mask;
                x ^= x >>> shift;
            }
        } while (x >= count);
        return x;
    }
}
