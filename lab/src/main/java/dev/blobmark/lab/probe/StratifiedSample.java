package dev.blobmark.lab.probe;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.SizeClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A few values of each size class, so that rare large values and frequent small ones are both represented. Each class
 * has its share of all values, so that figures of the whole can be computed from those of the classes.
 *
 * @param strata the size classes that occur, from the smallest; at least one
 */
public record StratifiedSample(List<Stratum> strata) {

    /** Fewer values do not show how much they differ. */
    private static final int LEAST_OF_CLASS = 24;

    /**
     * The chosen values of one size class, in random order.
     *
     * @param count number of values of this class in the source, estimated if the dataset is a sample of it
     * @param bytes their total length
     * @param sampled number of values of this class in the dataset
     */
    public record Stratum(SizeClass size, long count, long bytes, long sampled, List<byte[]> chosen) {

        public double meanBytes() {
            return (double) bytes / count;
        }
    }

    public StratifiedSample {
        if (strata.isEmpty()) {
            throw new IllegalArgumentException("there are no values");
        }
        strata = List.copyOf(strata);
    }

    /**
     * Draws values of each class in proportion to the class's bytes, but at least a few.
     *
     * @param totalBytes about the number of bytes to draw; exceeded if the classes with large values need it
     */
    public static StratifiedSample of(Values values, long totalBytes, long seed) {
        Map<SizeClass, List<Integer>> byClass = new EnumMap<>(SizeClass.class);
        for (int i = 0; i < values.count(); i++) {
            byClass.computeIfAbsent(SizeClass.of(values.length(i)), unused -> new ArrayList<>())
                    .add(i);
        }
        double share = Math.min(1, (double) totalBytes / Math.max(1, values.totalLength()));
        double ofSource = values.whole()
                .map(whole -> Math.max(1, (double) whole.values() / values.count()))
                .orElse(1.0);
        Random random = new Random(seed);
        List<Stratum> strata = new ArrayList<>();
        byClass.forEach((size, indexes) -> {
            long bytes = indexes.stream().mapToLong(values::length).sum();
            Collections.shuffle(indexes, random);
            // a class of very large values has fewer: 24 values of 16 MB would take minutes to encode
            long least = Math.max(3, Math.min(LEAST_OF_CLASS, totalBytes * indexes.size() / Math.max(1, bytes)));
            long wanted = Math.max(least, Math.round(share * indexes.size()));
            strata.add(new Stratum(
                    size,
                    Math.round(ofSource * indexes.size()),
                    Math.round(ofSource * bytes),
                    indexes.size(),
                    indexes.stream().limit(wanted).map(values::get).toList()));
        });
        return new StratifiedSample(strata);
    }

    /** The longest value that was chosen. */
    public byte[] longest() {
        return strata.get(strata.size() - 1).chosen().stream()
                .max(Comparator.comparingInt(value -> value.length))
                .orElseThrow();
    }

    /** Number of values in the source. */
    public long count() {
        return strata.stream().mapToLong(Stratum::count).sum();
    }

    /** Total length of the values in the source. */
    public long bytes() {
        return strata.stream().mapToLong(Stratum::bytes).sum();
    }
}
