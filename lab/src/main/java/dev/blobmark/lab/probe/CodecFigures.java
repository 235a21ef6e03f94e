package dev.blobmark.lab.probe;

import dev.blobmark.lab.measurement.SizeClass;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * What a codec does to the values of a sample.
 *
 * @param codec id, such as {@code zstd:3}
 * @param classes figures of each size class; the classes of the sample
 * @param memoryBytes that a thread needs for the largest value; empty if it was not measured
 */
public record CodecFigures(String codec, SortedMap<SizeClass, OfClass> classes, OptionalLong memoryBytes) {

    /**
     * Figures of one size class: means over its values.
     *
     * @param count number of values of this class in the source
     * @param sampled how many of these the dataset has
     * @param encoded how many of these were encoded
     * @param rawBytes of a value
     * @param storedBytes of an encoded value
     * @param encodeNanos of a value, by one thread
     * @param decodeNanos of a value, by one thread
     * @param residual variance of the stored bytes of one value around its share of the raw bytes
     */
    public record OfClass(
            long count,
            long sampled,
            long encoded,
            double rawBytes,
            double storedBytes,
            double encodeNanos,
            double decodeNanos,
            double residual) {}

    /** Smaller differences do not count. */
    private static final double BYTES_NOISE = 0.005;

    private static final double TIME_NOISE = 0.04;

    /** The two-sided 90 % quantile of the normal distribution. */
    private static final double Z90 = 1.645;

    public CodecFigures {
        classes = new TreeMap<>(classes);
    }

    /** Without the memory. */
    public CodecFigures(String codec, SortedMap<SizeClass, OfClass> classes) {
        this(codec, classes, OptionalLong.empty());
    }

    CodecFigures withMemory(long bytes) {
        return new CodecFigures(codec, classes, OptionalLong.of(bytes));
    }

    public double rawBytes() {
        return mean(OfClass::rawBytes);
    }

    /** Mean stored bytes of a value. */
    public double storedBytes() {
        return mean(OfClass::storedBytes);
    }

    /** Mean time to encode a value, by one thread. */
    public double encodeNanos() {
        return mean(OfClass::encodeNanos);
    }

    /** Mean time to decode a value, by one thread. */
    public double decodeNanos() {
        return mean(OfClass::decodeNanos);
    }

    /** A mean over all values of the dataset: that of each class by its share of the values. */
    public double mean(ToDoubleFunction<OfClass> figure) {
        return classes.values().stream()
                        .mapToDouble(of -> of.count() * figure.applyAsDouble(of))
                        .sum()
                / sum(OfClass::count);
    }

    /** Application bytes ÷ stored bytes. */
    public double ratio() {
        return rawBytes() / storedBytes();
    }

    /**
     * The ends of the 90 % interval of {@link #ratio} for all values of the source: low, high. It allows for both
     * phases of sampling: which values the dataset has, and which of these were encoded.
     */
    public List<Double> ratioInterval() {
        double count = sum(OfClass::count);
        double sampled = sum(OfClass::sampled);
        double share = storedBytes() / rawBytes();
        double encoding = 0;
        double residuals = 0;
        for (OfClass of : classes.values()) {
            double weight = of.count() / count;
            encoding += weight * weight * of.residual() / of.encoded() * (1 - (double) of.encoded() / of.sampled());
            residuals += weight * (of.residual() + Math.pow(of.storedBytes() - share * of.rawBytes(), 2));
        }
        double variance = encoding + residuals / sampled * Math.max(0, 1 - sampled / count);
        double relative = Z90 * Math.sqrt(variance) / storedBytes();
        return List.of(ratio() / (1 + relative), ratio() / Math.max(0.01, 1 - relative));
    }

    private double sum(ToLongFunction<OfClass> amount) {
        return classes.values().stream().mapToLong(amount).sum();
    }

    /** Whether it is at least as good as another codec in each respect, but for noise. */
    boolean isNoWorseThan(CodecFigures other) {
        return storedBytes() <= other.storedBytes() * (1 + BYTES_NOISE)
                && decodeNanos() <= other.decodeNanos() * (1 + TIME_NOISE)
                && encodeNanos() <= other.encodeNanos() * (1 + TIME_NOISE);
    }
}
