package dev.blobmark.lab.conduct;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.store.EncodedValues;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Values that a test has at hand. */
public record ListedValues(List<byte[]> all) implements Values {

    public static ListedValues of(byte[]... values) {
        return new ListedValues(List.of(values));
    }

    /** Half random, half zero bytes, so that every codec has something to do. */
    public static ListedValues random(int count, int length) {
        SplittableRandom random = new SplittableRandom(count * 31L + length);
        return new ListedValues(IntStream.range(0, count)
                .mapToObj(i -> {
                    byte[] value = new byte[length / 2];
                    random.nextBytes(value);
                    return Arrays.copyOf(value, length);
                })
                .toList());
    }

    @Override
    public int count() {
        return all.size();
    }

    @Override
    public int length(int index) {
        return all.get(index).length;
    }

    @Override
    public byte[] get(int index) {
        return all.get(index).clone();
    }

    /** Not SHA-256, which takes most of a test's time in JVMs without the second compiler. */
    @Override
    public String digest() {
        long digest = all.size();
        for (byte[] value : all) {
            digest = 31 * (31 * digest + value.length) + EncodedValues.hash(value, 0, value.length);
        }
        return HexFormat.of().toHexDigits(digest).repeat(4);
    }
}
