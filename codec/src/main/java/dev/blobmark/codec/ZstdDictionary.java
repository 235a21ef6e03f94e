package dev.blobmark.codec;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdException;
import java.util.List;
import java.util.Optional;

/**
 * A dictionary of zstd (RFC 8878, section 5), trained on values. Values that are small and alike become much smaller
 * with one. Used by a single thread.
 */
public final class ZstdDictionary implements AutoCloseable {

    /** The size that the zstd program uses, in bytes. */
    public static final int USUAL_BYTES = 112_640;

    private final ZstdCompressCtx context;
    private final int bytes;

    private ZstdDictionary(byte[] dictionary, int level) {
        bytes = dictionary.length;
        context = new ZstdCompressCtx().setLevel(level).loadDict(dictionary);
    }

    /**
     * Trains a dictionary.
     *
     * @param values together at least some ten times as long as the dictionary
     * @param maxBytes the longest dictionary, at least 256
     * @return empty if the values are too few or too short
     */
    public static Optional<ZstdDictionary> train(List<byte[]> values, int maxBytes, int level) {
        int total = values.stream().mapToInt(value -> value.length).sum();
        ZstdDictTrainer trainer = new ZstdDictTrainer(Math.max(1, total), maxBytes);
        values.forEach(trainer::addSample);
        try {
            return Optional.of(new ZstdDictionary(trainer.trainSamples(), level));
        } catch (ZstdException e) { // "Src size is incorrect" and others
            return Optional.empty();
        }
    }

    /** Length of the dictionary in bytes. */
    public int bytes() {
        return bytes;
    }

    /** Length of a value as one zstd frame, in bytes. */
    public int encodedLength(byte[] value) {
        return context.compress(value).length;
    }

    @Override
    public void close() {
        context.close();
    }
}
