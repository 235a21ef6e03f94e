package dev.blobmark.codec;

import java.util.Arrays;

/**
 * A reversible encoding of a value, one-shot, from one array into another.
 *
 * <p>A codec is immutable and may be used by any number of threads at once: native contexts come from a pool and are
 * reused; a call waits while all of them are in use. The two arrays of a call must not be the same. No call keeps state
 * that a later call could see. Nothing is allocated per call beyond what the native library itself needs.
 */
public interface Codec {

    /**
     * The canonical name, level included where the codec has levels: {@code zstd:3}, {@code lz4},
     * {@code deflate:6+len}.
     */
    String id();

    /**
     * An upper bound for the encoded size of a value.
     *
     * @param length length of the value in bytes, 0 to {@link #MAX_LENGTH}
     * @return bytes, enough for {@link #encode} whatever the value is
     * @throws IllegalArgumentException if the length is out of range
     */
    int maxEncodedLength(int length);

    /**
     * Encodes a value.
     *
     * @param target receives the encoded bytes from {@code targetOffset} on, and may be used up to its end
     * @return number of bytes written
     * @throws IllegalArgumentException if the value is longer than the format takes, see {@link #maxEncodedLength}
     * @throws IndexOutOfBoundsException if a range does not lie within its array
     * @throws CodecException if the target is too small; a target with {@link #maxEncodedLength} bytes never is
     */
    int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset);

    /**
     * Decodes a value of at most {@code maxLength} bytes.
     *
     * @param maxLength the largest value to produce, in bytes; nothing at or beyond {@code targetOffset + maxLength} is
     *     written
     * @return length of the value in bytes
     * @throws IndexOutOfBoundsException if a range does not lie within its array
     * @throws CodecException if the bytes are not a complete encoded value, or the value is longer than
     *     {@code maxLength}
     */
    int decode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength);

    /**
     * Decodes a value whose length is not known. It is decoded once. The new array has the value's length where the
     * encoded form states it; otherwise it grows with what is decoded, or is as long as {@link #maxDecodedLength} and
     * is then cut. A stated length that the encoded bytes cannot hold is an error, before anything is allocated.
     *
     * @param source the encoded value, all of the array
     * @param maxLength the longest value to return, in bytes
     * @throws IllegalArgumentException if {@code maxLength} is negative
     * @throws CodecException if the bytes are not a complete encoded value, or the value is longer than
     *     {@code maxLength}
     */
    default byte[] decode(byte[] source, int maxLength) {
        if (maxLength < 0) throw new IllegalArgumentException(id() + ": at most " + maxLength + " bytes");
        byte[] target = new byte[(int) Math.min(maxLength, maxDecodedLength(source.length))];
        int length = decode(source, 0, source.length, target, 0, target.length);
        return length == target.length ? target : Arrays.copyOf(target, length);
    }

    /**
     * An upper bound for the length of a value, from the best ratio that the format allows.
     *
     * @param encodedLength length of an encoded value in bytes, at least 0
     * @return bytes; {@link Long#MAX_VALUE} if the format sets no limit, or none is known
     * @throws IllegalArgumentException if the length is negative
     */
    default long maxDecodedLength(int encodedLength) {
        return Long.MAX_VALUE;
    }

    /** Whether encoded and decoded bytes are the same, so that a reader may use the stored bytes as they are. */
    default boolean isIdentity() {
        return false;
    }

    /** The longest value that any codec takes: 1 GiB, the largest packet of MySQL's protocol. */
    int MAX_LENGTH = 1 << 30;
}
