package dev.blobmark.lab.conduct;

import dev.blobmark.lab.dataset.Values;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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

    @Override
    public String digest() {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            for (byte[] value : all) {
                sha256.update(ByteBuffer.allocate(4).putInt(0, value.length));
                sha256.update(value);
            }
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
