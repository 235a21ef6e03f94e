package dev.blobmark.lab.study;

import java.util.Arrays;
import java.util.Optional;

/** A figure of a sample by which methods can be ranked. */
public enum Metric {
    THROUGHPUT("throughput", "B/s", true),
    OPERATIONS("operations", "1/s", true),
    P50("p50", "ns", false),
    P99("p99", "ns", false),
    DISK("disk", "B", false);

    private final String word;
    private final String unit;
    private final boolean higherIsBetter;

    Metric(String word, String unit, boolean higherIsBetter) {
        this.word = word;
        this.unit = unit;
        this.higherIsBetter = higherIsBetter;
    }

    /** As written in a study. */
    public String word() {
        return word;
    }

    public String unit() {
        return unit;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    public static Optional<Metric> find(String word) {
        return Arrays.stream(values()).filter(m -> m.word.equals(word)).findFirst();
    }
}
