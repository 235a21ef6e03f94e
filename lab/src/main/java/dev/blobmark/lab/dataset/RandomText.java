package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.apache.commons.rng.UniformRandomProvider;

/**
 * Characters drawn uniformly and independently from an alphabet of <i>n</i>. Each has log₂ <i>n</i> bits of
 * information, so that no codec's ratio exceeds 8 ÷ log₂ <i>n</i>, except by chance.
 */
final class RandomText extends GeneratedDataset {

    private static final String LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final String DIGITS = "0123456789";

    private final byte[] alphabet;

    /** Characters are drawn in groups of this length. */
    private final int groupLength;

    /** All possible groups, one after another. */
    private final byte[] groups;

    private final int groupCount;

    /** The random bits per group: the fewest that hold its number. */
    private final int laneBits;

    private RandomText(String alphabet, int groupLength) {
        super("random:" + alphabet.length());
        this.alphabet = alphabet.getBytes(US_ASCII);
        this.groupLength = groupLength;
        groupCount = (int) possible(groupLength);
        laneBits = Integer.SIZE - Integer.numberOfLeadingZeros(groupCount - 1);
        groups = new byte[groupLength << laneBits];
        for (int group = 0; group < groupCount; group++) {
            System.arraycopy(numbered(groupLength, group), 0, groups, group * groupLength, groupLength);
        }
    }

    /** A-Z, a-z, 0-9. */
    static RandomText of62() {
        return new RandomText(LETTERS_AND_DIGITS, 2); // 3,844 of 4,096 lane values are the number of a group
    }

    /** 0-9. */
    static RandomText of10() {
        return new RandomText(DIGITS, 3); // 1,000 of 1,024
    }

    /** 0-3. */
    static RandomText of4() {
        return new RandomText(DIGITS.substring(0, 4), 4); // all of 256
    }

    /** 0 and 1. */
    static RandomText of2() {
        return new RandomText(DIGITS.substring(0, 2), 8); // all of 256
    }

    @Override
    long possible(int size) {
        long possible = 1;
        for (int i = 0; i < size; i++) {
            if (possible > Long.MAX_VALUE / alphabet.length) {
                return Long.MAX_VALUE;
            }
            possible *= alphabet.length;
        }
        return possible;
    }

    @Override
    byte[] numbered(int size, long number) {
        byte[] value = new byte[size];
        for (int i = 0; i < size; i++) {
            value[i] = alphabet[(int) (number % alphabet.length)];
            number /= alphabet.length;
        }
        return value;
    }

    /**
     * Divides 64 random bits into lanes, and drops those whose value is not the number of a group. The result is
     * exactly uniform and needs no division.
     */
    @Override
    byte[] drawn(int size, UniformRandomProvider random) {
        byte[] value = new byte[size];
        int length = 0;
        int mask = (1 << laneBits) - 1;
        while (length < size) {
            long bits = random.nextLong();
            for (int left = Long.SIZE; left >= laneBits && length < size; left -= laneBits) {
                int group = (int) bits & mask;
                bits >>>= laneBits;
                if (group < groupCount) {
                    int from = group * groupLength;
                    int to = Math.min(size, length + groupLength);
                    while (length < to) {
                        value[length++] = groups[from++];
                    }
                }
            }
        }
        return value;
    }
}
