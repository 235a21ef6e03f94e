package dev.blobmark.codec;

import java.util.Objects;

/**
 * What all codecs share: ranges and lengths are checked here, once, before any byte reaches native code, so that a codec
 * only has to write its format.
 */
abstract class OneShot implements Codec {

    private final String id;

    /** @param id as {@link Codec#id()} returns it; a codec inside another one carries the outer one's */
    OneShot(String id) {
        this.id = id;
    }

    @Override
    public final String id() {
        return id;
    }

    @Override
    public final int maxEncodedLength(int length) {
        return bound(checkLength(length));
    }

    @Override
    public final int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
        Objects.checkFromIndexSize(sourceOffset, sourceLength, source.length);
        Objects.checkFromToIndex(targetOffset, target.length, target.length);
        return write(
                source, sourceOffset, checkLength(sourceLength), target, targetOffset, target.length - targetOffset);
    }

    @Override
    public final int decode(
            byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        Objects.checkFromIndexSize(sourceOffset, sourceLength, source.length);
        Objects.checkFromIndexSize(targetOffset, maxLength, target.length);
        return read(source, sourceOffset, sourceLength, target, targetOffset, maxLength);
    }

    /** {@link #maxEncodedLength} of a length known to be in range. */
    abstract int bound(int length);

    /** {@link #encode} of checked ranges; at most {@code room} bytes may be written. */
    abstract int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room);

    /** {@link #decode} of checked ranges. */
    abstract int read(
            byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength);

    /** The longest value that the format takes, in bytes. */
    int longest() {
        return MAX_LENGTH;
    }

    private int checkLength(int length) {
        if (length < 0 || length > longest()) {
            throw new IllegalArgumentException(
                    id + ": a value of " + length + " bytes; it takes 0 to " + longest() + " bytes");
        }
        return length;
    }

    final CodecException wrong(String what) {
        return new CodecException(id, what);
    }

    final CodecException wrong(Throwable cause) {
        return new CodecException(id, cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }

    final CodecException targetTooSmall(int room) {
        return wrong("the encoded value does not fit into the " + room + " bytes of the target");
    }

    final CodecException tooLong(int maxLength) {
        return wrong("the value is longer than the " + maxLength + " bytes allowed");
    }

    final CodecException truncated() {
        return wrong("truncated: the encoded value ends too early");
    }

    final CodecException trailing(int bytes) {
        return wrong(bytes + " bytes follow the end of the encoded value");
    }
}
