package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.ZstdDictionary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Trains a dictionary on a sample of values that is bounded in memory, however many values are added, and says how much
 * it saves on values that it was not trained on. Used by a single thread.
 */
public final class DictionaryTrainer {

    /** Bytes of values that are kept. */
    public static final int STANDARD_SAMPLE_BYTES = 10 << 20;

    /** Bytes of a dictionary. */
    public static final int STANDARD_DICTIONARY_BYTES = 64 << 10;

    /** How many different values a string of 8 bytes occurs in that gets into a dictionary. */
    public static final int STANDARD_MIN_VALUES = ZstdDictionary.USUAL_MIN_VALUES;

    /** Of a longer value, only the beginning is kept. */
    private static final int MOST_OF_A_VALUE = 64 << 10;

    /** Each fifth value is held out. */
    private static final int HELD_OUT = 5;

    /** A dictionary is at most a tenth of the values that it is trained on. */
    private static final int BYTES_PER_DICTIONARY_BYTE = 10;

    private static final int LEAST_DICTIONARY_BYTES = 256;

    private final long sampleBytes;
    private final SplittableRandom random;
    private List<byte[]> kept = new ArrayList<>();
    private long keptBytes;
    private double share = 1;

    /**
     * @param sampleBytes of values that are kept, at least 64 KiB
     * @param seed of what is kept: the same values in the same order give the same dictionary
     */
    public DictionaryTrainer(int sampleBytes, long seed) {
        if (sampleBytes < MOST_OF_A_VALUE) {
            throw new IllegalArgumentException("sampleBytes is " + sampleBytes + "; it is at least " + MOST_OF_A_VALUE);
        }
        this.sampleBytes = sampleBytes;
        random = new SplittableRandom(seed);
    }

    /** With {@link #STANDARD_SAMPLE_BYTES}. */
    public DictionaryTrainer() {
        this(STANDARD_SAMPLE_BYTES, 1);
    }

    /** Adds a value. All values that are added have the same chance to be kept. */
    public void add(byte[] value) {
        if (share < 1 && random.nextDouble() >= share) {
            return;
        }
        byte[] copy = Arrays.copyOf(value, Math.min(value.length, MOST_OF_A_VALUE));
        kept.add(copy);
        keptBytes += copy.length;
        while (keptBytes > sampleBytes) {
            share /= 2;
            List<byte[]> fewer = new ArrayList<>();
            kept.stream().filter(one -> random.nextBoolean()).forEach(fewer::add);
            kept = fewer;
            keptBytes = kept.stream().mapToLong(one -> one.length).sum();
        }
    }

    /** Values that are kept. */
    public int values() {
        return kept.size();
    }

    /**
     * What a dictionary saves on values that it was not trained on.
     *
     * @param gain bytes saved ÷ bytes without the dictionary, headers included: 0.3 for 30 %; may be negative
     * @param low the lower end of the 95 % interval of the gain
     * @param ratio bytes of the values ÷ bytes stored with the dictionary
     * @param values that were held out
     */
    public record Trial(ValueDictionary dictionary, double gain, double low, double ratio, int values) {

        /** A dictionary is something to take care of: it pays if it surely saves a tenth. */
        private static final double LEAST_GAIN = 0.10;

        private static final int LEAST_VALUES = 30;

        /** Whether it surely saves a tenth. */
        public boolean isWorthIt() {
            return values >= LEAST_VALUES && low >= LEAST_GAIN;
        }
    }

    /**
     * Trains a dictionary on four fifths of the values that are kept, and tries it on the rest. Only strings that occur
     * in at least {@link #STANDARD_MIN_VALUES} different values get into it.
     *
     * @param maxBytes of the dictionary, at least 256
     * @param level of zstd
     * @return empty if the values are too few or too short, or have too little in common
     */
    public Optional<Trial> train(int maxBytes, int level) {
        return train(maxBytes, level, STANDARD_MIN_VALUES);
    }

    /**
     * The same with another limit. Each string of 8 bytes of the dictionary that occurs in any of the values that it is
     * trained on occurs in at least {@code minValues} different ones of them. Values are counted, not persons: what
     * many values of one person have in common gets into the dictionary.
     *
     * @param minValues at least 1; with 1, any string of the values
     */
    public Optional<Trial> train(int maxBytes, int level, int minValues) {
        List<byte[]> training = new ArrayList<>();
        List<byte[]> heldOut = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) {
            (i % HELD_OUT == HELD_OUT - 1 ? heldOut : training).add(kept.get(i));
        }
        long bytes = training.stream().mapToLong(value -> value.length).sum();
        int size = (int) Math.min(maxBytes, bytes / BYTES_PER_DICTIONARY_BYTE);
        if (size < LEAST_DICTIONARY_BYTES || heldOut.size() < 2) {
            return Optional.empty();
        }
        return ZstdDictionary.train(training, size, minValues)
                .map(trained -> tried(ValueDictionary.of(trained.toBytes()), heldOut, level));
    }

    private static Trial tried(ValueDictionary dictionary, List<byte[]> values, int level) {
        Codec with = Bare.zstd(level, Optional.of(dictionary.zstd()));
        Codec without = Bare.zstd(level, Optional.empty());
        int n = values.size();
        double[] small = new double[n];
        double[] usual = new double[n];
        double raw = 0;
        for (int i = 0; i < n; i++) {
            byte[] value = values.get(i);
            small[i] = stored(with, value, true);
            usual[i] = stored(without, value, false);
            raw += value.length;
        }
        double smallSum = Arrays.stream(small).sum();
        double usualSum = Arrays.stream(usual).sum();
        double ratio = smallSum / usualSum;
        // the variance of a ratio of sums, by linearization (Cochran, Sampling Techniques, 1977, section 6.4)
        double squares = 0;
        for (int i = 0; i < n; i++) {
            double error = small[i] - ratio * usual[i];
            squares += error * error;
        }
        double deviation = Math.sqrt(squares / (n - 1) * n) / usualSum;
        return new Trial(dictionary, 1 - ratio, 1 - ratio - 1.96 * deviation, raw / smallSum, n);
    }

    private static int stored(Codec codec, byte[] value, boolean hasDictionary) {
        try (Scratch scratch = Scratch.of(codec.maxEncodedLength(value.length))) {
            int encoded = codec.encode(value, 0, value.length, scratch.bytes(), 0)
                    + FrameHeader.bytes(PayloadCodec.ZSTD, hasDictionary, value.length);
            return Math.min(value.length, encoded);
        }
    }
}
