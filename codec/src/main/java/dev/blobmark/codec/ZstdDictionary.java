package dev.blobmark.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A dictionary of zstd (RFC 8878, section 5), trained on values. Values that are small and alike become much smaller
 * with one. May be used by any number of threads. Its tables in native memory are made at first use and stay as long as
 * the dictionary is reachable.
 */
public final class ZstdDictionary {

    /** The size that the zstd program uses, in bytes. */
    public static final int USUAL_BYTES = 112_640;

    /** How many different values a string occurs in that gets into a dictionary. */
    public static final int USUAL_MIN_VALUES = 8;

    private final byte[] dictionary;
    private final Map<Integer, ZstdDictCompress> encoding = new ConcurrentHashMap<>();
    private final ContextPool<ZstdDecompressCtx> bareDecoding;

    private ZstdDictionary(byte[] dictionary) {
        this.dictionary = dictionary;
        ZstdDictDecompress decoding = new ZstdDictDecompress(dictionary);
        bareDecoding = new ContextPool<>(
                () -> new ZstdDecompressCtx().setMagicless(true).loadDict(decoding));
    }

    /**
     * A dictionary that was trained before.
     *
     * @param dictionary as {@link #toBytes} gives it
     * @throws IllegalArgumentException if it has no bytes, or begins like a trained dictionary and is none
     * @throws UnsupportedOperationException if the library of zstd is not on the class path, or does not work on this
     *     platform
     */
    public static ZstdDictionary of(byte[] dictionary) {
        if (dictionary.length == 0) {
            throw new IllegalArgumentException("a dictionary of zstd has no bytes");
        }
        try {
            return new ZstdDictionary(dictionary.clone());
        } catch (LinkageError e) {
            throw CodecLibrary.ZSTD.refusal("a dictionary of zstd", e);
        } catch (IllegalStateException e) { // of zstd-jni
            throw new IllegalArgumentException(
                    "the " + dictionary.length + " bytes are no dictionary of zstd: they are damaged or truncated", e);
        }
    }

    /** Trains a dictionary of strings that occur in at least {@link #USUAL_MIN_VALUES} different values. */
    public static Optional<ZstdDictionary> train(List<byte[]> values, int maxBytes) {
        return train(values, maxBytes, USUAL_MIN_VALUES);
    }

    /**
     * Trains a dictionary. It has text of the values: each string of 8 bytes in it that occurs in any value occurs in
     * at least {@code minValues} different ones. It also has statistics of all values, which have no text: how often
     * bytes, lengths and distances occur.
     *
     * @param values together at least some ten times as long as the dictionary, and at most 1 GiB
     * @param maxBytes the longest dictionary, at least 256
     * @param minValues at least 1; 1 for any string
     * @return empty if the values are too few or too short, or have too little in common
     * @throws UnsupportedOperationException as {@link #of}
     */
    public static Optional<ZstdDictionary> train(List<byte[]> values, int maxBytes, int minValues) {
        if (minValues < 1) {
            throw new IllegalArgumentException("minValues is " + minValues + "; it is at least 1");
        }
        try {
            return ZstdTraining.train(values, maxBytes, minValues).map(ZstdDictionary::of);
        } catch (LinkageError e) {
            throw CodecLibrary.ZSTD.refusal("a dictionary of zstd", e);
        }
    }

    /** Length of the dictionary in bytes. */
    public int bytes() {
        return dictionary.length;
    }

    /** The dictionary, as other programs take it. */
    public byte[] toBytes() {
        return dictionary.clone();
    }

    ZstdDictCompress forEncoding(int level) {
        return encoding.computeIfAbsent(level, of -> new ZstdDictCompress(dictionary, of));
    }

    ContextPool<ZstdDecompressCtx> bareDecoding() {
        return bareDecoding;
    }
}
