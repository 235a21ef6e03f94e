package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The order in which a set of keys is loaded, which decides how full a table's pages become. A level of the factor
 * {@code load-order}.
 */
public enum LoadOrder {
    /** The dataset's order: random keys are inserted all over the table. */
    GENERATED {
        @Override
        IntStream of(EncodedValues keys) {
            return IntStream.range(0, keys.count());
        }
    },
    /** The order of their bytes: each key is inserted at the end of the table. */
    SORTED {
        @Override
        IntStream of(EncodedValues keys) {
            // sorts longs instead of objects: the first bits of a key, followed by its number
            int bits = Integer.SIZE - Integer.numberOfLeadingZeros(keys.count());
            long[] numbered = new long[keys.count()];
            byte[] key = new byte[keys.maxStoredLength()];
            for (int i = 0; i < numbered.length; i++) {
                numbered[i] = (begin(keys, i, key) >>> bits << bits | i) ^ Long.MIN_VALUE;
            }
            Arrays.parallelSort(numbered);
            long mask = (1L << bits) - 1;
            for (int from = 0, to = 1; to <= numbered.length; to++) {
                if (to == numbered.length || (numbered[to] ^ numbered[from]) >>> bits != 0) {
                    sortByAllBytes(numbered, from, to, mask, keys);
                    from = to;
                }
            }
            return Arrays.stream(numbered).mapToInt(number -> (int) (number & mask));
        }
    };

    public static final Factor<LoadOrder> FACTOR = Factor.ofWords(
            "load-order",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.SET),
            "the order in which a set is loaded: as its keys are generated, or sorted",
            Arrays.asList(values()),
            order -> order.name().toLowerCase(Locale.ROOT));

    /** Whether a store is a set of keys: only sets have this factor. */
    public static boolean isOfSet(Design store) {
        return store.levels().find(FACTOR).isPresent();
    }

    /** The numbers of the keys in loading order. */
    abstract IntStream of(EncodedValues keys);

    /** Sorts keys with equal first bits by all their bytes. */
    private static void sortByAllBytes(long[] numbered, int from, int to, long mask, EncodedValues keys) {
        if (to - from == 1) {
            return;
        }
        long[] sorted = Arrays.stream(numbered, from, to)
                .boxed()
                .sorted(Comparator.comparing(number -> keys.stored((int) (number & mask)), Arrays::compareUnsigned))
                .mapToLong(number -> number)
                .toArray();
        System.arraycopy(sorted, 0, numbered, from, sorted.length);
    }

    /** The first eight bytes of a key as a number. */
    private static long begin(EncodedValues keys, int index, byte[] buffer) {
        int length = keys.copyStored(index, buffer);
        long begin = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            begin = begin << Byte.SIZE | (i < length ? buffer[i] & 0xff : 0);
        }
        return begin;
    }
}
