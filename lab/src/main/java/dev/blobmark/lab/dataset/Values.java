package dev.blobmark.lab.dataset;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The distinct values of a dataset under a condition, numbered from 0. May be read by any number of threads; a value is
 * made or read anew by each call, so that a set larger than memory can be walked through.
 */
public interface Values {

    int count();

    /** The length of a value in bytes. */
    int length(int index);

    /** The value itself; the caller owns the array. */
    byte[] get(int index);

    /** SHA-256 over the count, and each value's length and bytes, in hexadecimal; numbers as 4 bytes, big-endian. */
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

    /** How they were come by, in numbers by what they count, for the manifest; empty where there is nothing to tell. */
    default SortedMap<String, Long> origin() {
        return new TreeMap<>();
    }

    /** All that the source has, of which these are a sample; empty for generated values. */
    default Optional<Whole> whole() {
        return Optional.empty();
    }

    /** What a message calls a value: where it comes from, if that is known. */
    default String name(int index) {
        return "value " + index;
    }

    /** How long the values are, for the manifest; also what a source held that is not among them. */
    default SizeDistribution sizes() {
        int[] lengths = new int[count()];
        Arrays.setAll(lengths, this::length);
        return SizeDistribution.of(lengths, Map.of());
    }
}
