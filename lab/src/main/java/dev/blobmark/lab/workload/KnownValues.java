package dev.blobmark.lab.workload;

import dev.blobmark.lab.store.EncodedValues;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The values of a dataset. A row that several workers update may hold any of them, so a value that is read from it is
 * checked against all.
 */
final class KnownValues {

    private final int[] lengths;
    private final long[] hashes;

    KnownValues(EncodedValues values) {
        lengths = IntStream.range(0, values.count())
                .map(values::length)
                .sorted()
                .distinct()
                .toArray();
        hashes = IntStream.range(0, values.count())
                .mapToLong(values::hash)
                .sorted()
                .toArray();
    }

    boolean hasLength(int length) {
        return Arrays.binarySearch(lengths, length) >= 0;
    }

    boolean contains(byte[] value, int length) {
        return Arrays.binarySearch(hashes, EncodedValues.hash(value, 0, length)) >= 0;
    }
}
