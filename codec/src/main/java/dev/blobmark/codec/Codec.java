package dev.blobmark.codec;

/**
 * A reversible encoding of a value, one-shot, from one array into another.
 *
 * <p>A codec is immutable and may be used by any number of threads at once: native contexts are kept per thread and
 * reused. The two arrays of a call must not be the same. No call keeps state that a later call could see. Nothing is
 * allocated per call beyond what the native library itself needs.
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

    /** Whether encoded and decoded bytes are the same, so that a reader may use the stored bytes as they are. */
    default boolean isIdentity() {
        return false;
    }

    /** The longest value that any codec takes: 1 GiB, the largest packet of MySQL's protocol. */
    int MAX_LENGTH = 1 << 30;
}
