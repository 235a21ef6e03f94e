package dev.blobmark.lab.dataset;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The lengths of a set of values in bytes, for the manifest. Percentiles are nearest ranks, so each is the length of an
 * existing value.
 *
 * @param count number of values, at least 1
 * @param skipped number of values that were found and left out, by reason; empty for generated values
 */
public record SizeDistribution(
        int count, int min, int p10, int median, int p90, int max, long total, Map<String, Integer> skipped) {

    public SizeDistribution {
        if (count < 1) {
            throw new IllegalArgumentException("a size distribution needs at least one value, not " + count);
        }
        if (min < 0 || min > p10 || p10 > median || median > p90 || p90 > max) {
            throw new IllegalArgumentException("sizes must not decrease: min %d, p10 %d, median %d, p90 %d, max %d"
                    .formatted(min, p10, median, p90, max));
        }
        if (total < (long) count * min || total > (long) count * max) {
            throw new IllegalArgumentException(
                    "%d values of %d to %d bytes cannot total %d".formatted(count, min, max, total));
        }
        skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
        if (skipped.values().stream().anyMatch(n -> n < 1)) {
            throw new IllegalArgumentException("each reason for skipping must have a count of at least 1: " + skipped);
        }
    }

    /** The distribution of these lengths, at least one. */
    static SizeDistribution of(int[] lengths, Map<String, Integer> skipped) {
        if (lengths.length == 0) {
            throw new IllegalArgumentException("a size distribution needs at least one value, not 0");
        }
        int[] sorted = lengths.clone();
        Arrays.sort(sorted);
        return new SizeDistribution(
                sorted.length,
                sorted[0],
                rank(sorted, 10),
                rank(sorted, 50),
                rank(sorted, 90),
                sorted[sorted.length - 1],
                Arrays.stream(sorted).asLongStream().sum(),
                skipped);
    }

    private static int rank(int[] sorted, int percent) {
        return sorted[(int) ((sorted.length * (long) percent + 99) / 100) - 1];
    }

    /** A description such as {@code 512 values of 65536 bytes, 33554432 bytes in total}. */
    public String describe() {
        StringBuilder text = new StringBuilder().append(count).append(count == 1 ? " value of " : " values of ");
        if (min == max) {
            text.append(bytes(min));
        } else {
            text.append("%d to %d bytes (p10 %d, median %d, p90 %d)".formatted(min, max, p10, median, p90));
        }
        text.append(", ").append(bytes(total)).append(" in total");
        if (!skipped.isEmpty()) {
            text.append("; skipped:");
            String separator = " ";
            for (var reason : skipped.entrySet()) {
                text.append(separator).append(reason.getValue()).append(' ').append(reason.getKey());
                separator = ", ";
            }
        }
        return text.toString();
    }

    private static String bytes(long count) {
        return count + (count == 1 ? " byte" : " bytes");
    }
}
