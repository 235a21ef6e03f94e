package dev.blobmark.lab.workload;

import dev.blobmark.lab.store.EncodedValues;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The values of a dataset, to tell whether one that was read is any of them: of a row that several write no more is known. */
final class AnyOf {

    private final int[] lengths;
    private final long[] hashes;

    AnyOf(EncodedValues values) {
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

    boolean has(byte[] value, int length) {
        return Arrays.binarySearch(hashes, EncodedValues.hash(value, 0, length)) >= 0;
    }
}
