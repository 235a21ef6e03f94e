package dev.blobmark.codec;

import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Trains dictionaries. A class of its own, since {@link ZstdDictionary} is also loaded without the library. */
final class ZstdTraining {

    /** The most that {@code ZDICT_finalizeDictionary} of zstd 1.5 has for all before the text (HBUFFSIZE). */
    private static final int MAX_HEADER_BYTES = 256;

    /** The end of what stands before the text: three offsets, which are 1, 4 and 8 in all that zstd 1.5 trains. */
    private static final byte[] OFFSETS = ByteBuffer.allocate(3 * Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(1)
            .putInt(4)
            .putInt(8)
            .array();

    /** A shorter text is of no use. */
    private static final int MIN_TEXT_BYTES = 64;

    private ZstdTraining() {}

    /** A dictionary is a header with statistics, which has no text of the values, and a text of them. */
    static Optional<byte[]> train(List<byte[]> values, int maxBytes, int minValues) {
        return trained(values, maxBytes).flatMap(dictionary -> {
            int header = headerBytes(dictionary);
            byte[] text = new CommonStrings(values, minValues)
                    .only(Arrays.copyOfRange(dictionary, header, dictionary.length));
            if (text.length < MIN_TEXT_BYTES) {
                return Optional.empty();
            }
            byte[] common = Arrays.copyOf(dictionary, header + text.length);
            System.arraycopy(text, 0, common, header, text.length);
            return Optional.of(common);
        });
    }

    private static Optional<byte[]> trained(List<byte[]> values, int maxBytes) {
        int total =
                Math.toIntExact(values.stream().mapToLong(value -> value.length).sum());
        ZstdDictTrainer trainer = new ZstdDictTrainer(Math.max(1, total), maxBytes);
        values.forEach(trainer::addSample);
        try {
            return Optional.of(trainer.trainSamples());
        } catch (ZstdException e) { // "Src size is incorrect" and others
            return Optional.empty();
        }
    }

    private static int headerBytes(byte[] dictionary) {
        for (int end = OFFSETS.length; end <= Math.min(MAX_HEADER_BYTES, dictionary.length); end++) {
            if (Arrays.equals(dictionary, end - OFFSETS.length, end, OFFSETS, 0, OFFSETS.length)) {
                return end;
            }
        }
        throw new IllegalStateException("zstd trained a dictionary whose text was not found in it; this version of"
                + " zstd-jni is not known here");
    }
}
