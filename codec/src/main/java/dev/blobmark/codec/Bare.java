package dev.blobmark.codec;

import java.util.Objects;
import java.util.Optional;

/**
 * Codecs without the magic number, the length and the dictionary's number of their usual formats, for a format that
 * keeps these itself. They are not written by name, and {@link Codecs#parse} does not know them. If its library is not
 * there, each method of a codec but {@link Codec#id()} throws {@link UnsupportedOperationException}.
 */
public final class Bare {

    private Bare() {}

    /**
     * A zstd frame (RFC 8878) without its four magic bytes: with content size, without checksum and dictionary number.
     * With the bytes 28 b5 2f fd before it, every zstd decoder reads it.
     *
     * @param level as {@code zstd:level} takes it
     * @param dictionary with which values are encoded and decoded; several codecs may share it
     * @throws IllegalArgumentException if there is no such level
     */
    public static Codec zstd(int level, Optional<ZstdDictionary> dictionary) {
        Codecs.parse("zstd:" + level);
        String id = "bare zstd:" + level;
        return AbsentCodec.orElse(id, CodecLibrary.ZSTD, () -> new BareZstdCodec(id, level, dictionary));
    }

    /** An LZ4 block (lz4_Block_format.md), encoded fast. */
    public static Codec lz4() {
        return AbsentCodec.orElse("bare lz4", CodecLibrary.LZ4, () -> Lz4Codec.fast("bare lz4"));
    }

    /**
     * An LZ4 block, encoded with high compression.
     *
     * @param level as {@code lz4hc:level} takes it
     * @throws IllegalArgumentException if there is no such level
     */
    public static Codec lz4hc(int level) {
        Codecs.parse("lz4hc:" + level);
        String id = "bare lz4hc:" + level;
        return AbsentCodec.orElse(id, CodecLibrary.LZ4, () -> Lz4Codec.high(id, level));
    }

    /**
     * Length of the value in a bare zstd frame, in bytes.
     *
     * @return as the frame states it; −1 if the bytes do not begin with a frame's header, or if it states no length
     * @throws IndexOutOfBoundsException if the range does not lie within the array
     */
    public static long zstdContentSize(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        return ZstdHeader.contentSize(source, offset, length);
    }
}
