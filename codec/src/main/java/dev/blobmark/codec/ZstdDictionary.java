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

    private final byte[] dictionary;
    private final Map<Integer, ZstdDictCompress> encoding = new ConcurrentHashMap<>();
    private final PerThread<ZstdDecompressCtx> bareDecoding;

    private ZstdDictionary(byte[] dictionary) {
        this.dictionary = dictionary;
        ZstdDictDecompress decoding = new ZstdDictDecompress(dictionary);
        bareDecoding =
                new PerThread<>(() -> new ZstdDecompressCtx().setMagicless(true).loadDict(decoding));
    }

    /**
     * A dictionary that was trained before.
     *
     * @param dictionary as {@link #toBytes} gives it
     * @throws UnsupportedOperationException if the library of zstd is not on the class path, or does not work on this
     *     platform
     */
    public static ZstdDictionary of(byte[] dictionary) {
        try {
            return new ZstdDictionary(dictionary.clone());
        } catch (LinkageError e) {
            throw Libraries.absent("a dictionary of zstd", e);
        }
    }

    /**
     * Trains a dictionary.
     *
     * @param values together at least some ten times as long as the dictionary, and at most 1 GiB
     * @param maxBytes the longest dictionary, at least 256
     * @return empty if the values are too few or too short
     * @throws UnsupportedOperationException as {@link #of}
     */
    public static Optional<ZstdDictionary> train(List<byte[]> values, int maxBytes) {
        try {
            return ZstdTraining.train(values, maxBytes).map(ZstdDictionary::of);
        } catch (LinkageError e) {
            throw Libraries.absent("a dictionary of zstd", e);
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

    PerThread<ZstdDecompressCtx> bareDecoding() {
        return bareDecoding;
    }
}
