package dev.blobmark.lab.dataset;

import dev.blobmark.mysql.table.Whole;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The values of a dataset under a condition, numbered from 0. May be read by any number of threads. Each call generates
 * or reads the value again, so that a set may be larger than memory.
 */
public interface Values {

    int count();

    /** The length of a value in bytes. */
    int length(int index);

    /** A value; the caller owns the array. */
    byte[] get(int index);

    /** SHA-256 of the count and of each value's length and bytes, in hexadecimal; numbers are 4 bytes, big-endian. */
    String digest();

    /** The length of the longest value in bytes. */
    default int maxLength() {
        int max = 0;
        for (int i = 0; i < count(); i++) {
            max = Math.max(max, length(i));
        }
        return max;
    }

    /** The sum of all lengths in bytes. */
    default long totalLength() {
        long total = 0;
        for (int i = 0; i < count(); i++) {
            total += length(i);
        }
        return total;
    }

    /** Figures about the origin of the values by name, for the manifest; may be empty. */
    default SortedMap<String, Long> origin() {
        return new TreeMap<>();
    }

    /** All values of the source from which these were sampled; empty for generated values. */
    default Optional<Whole> whole() {
        return Optional.empty();
    }

    /** The name of a value in messages: where it comes from, if known. */
    default String name(int index) {
        return "value " + index;
    }

    /** The lengths of the values, and what the source has besides, for the manifest. */
    default SizeDistribution sizes() {
        int[] lengths = new int[count()];
        Arrays.setAll(lengths, this::length);
        return SizeDistribution.of(lengths, Map.of());
    }
}
