package dev.blobmark.codec;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What all codecs share: ranges and lengths are checked here, once, before any byte reaches native code, so that a
 * codec only has to write its format.
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

    @Override
    public final byte[] decode(byte[] source, int maxLength) {
        if (maxLength < 0) throw new IllegalArgumentException(id + ": at most " + maxLength + " bytes");
        return readAll(source, 0, source.length, maxLength);
    }

    @Override
    public final long maxDecodedLength(int encodedLength) {
        if (encodedLength < 0) throw new IllegalArgumentException(id + ": " + encodedLength + " encoded bytes");
        return maxDecoded(encodedLength);
    }

    /** {@link #maxEncodedLength} of a length known to be in range. */
    abstract int bound(int length);

    /** {@link #encode} of checked ranges; at most {@code room} bytes may be written. */
    abstract int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room);

    /** {@link #decode} of checked ranges. */
    abstract int read(
            byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength);

    /** {@link #maxDecodedLength} of a length known not to be negative. */
    abstract long maxDecoded(int encodedLength);

    /** The length of the value as the encoded bytes state it; −1 if they do not. */
    long statedLength(byte[] source, int offset, int length) {
        return -1;
    }

    /** {@link #maxDecodedLength} of bytes that do not state the length. */
    long maxDecoded(byte[] source, int offset, int length) {
        return maxDecoded(length);
    }

    /** {@link #decode(byte[], int)} of a checked range. Codecs whose output can grow do it their own way. */
    byte[] readAll(byte[] source, int offset, int length, int maxLength) {
        long stated = checkStated(statedLength(source, offset, length), length, maxLength);
        byte[] target =
                new byte[(int) (stated >= 0 ? stated : Math.min(maxLength, maxDecoded(source, offset, length)))];
        int read = withinStated(stated, () -> read(source, offset, length, target, 0, target.length));
        return read == target.length ? target : Arrays.copyOf(target, read);
    }

    /** A value that is longer than it states is damaged, and not longer than the caller allows. */
    final <T> T withinStated(long stated, Supplier<T> decode) {
        try {
            return decode.get();
        } catch (CodecException e) {
            throw stated >= 0 && e.isTooLong() ? wrong("it says " + stated + " bytes and holds more") : e;
        }
    }

    /** A stated length that may be allocated. */
    final long checkStated(long stated, int encodedLength, int maxLength) {
        long most = maxDecoded(encodedLength);
        if (stated > most) {
            throw wrong("it says " + stated + " bytes, and " + encodedLength + " encoded bytes hold at most " + most);
        }
        if (stated > maxLength) throw tooLong(maxLength);
        return stated;
    }

    /** The longest value that the format takes, in bytes. */
    int longest() {
        return MAX_LENGTH;
    }

    /**
     * {@link #write} by way of an array as long as the bound, for a library that wants more room than it then uses. The
     * copy is forced, but only on a caller whose target is shorter than {@link #maxEncodedLength}.
     */
    final int writeAndCopy(
            byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        byte[] bound = new byte[bound(sourceLength)];
        int written = write(source, sourceOffset, sourceLength, bound, 0, bound.length);
        if (written > room) throw targetTooSmall();
        System.arraycopy(bound, 0, target, targetOffset, written);
        return written;
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

    final CodecException targetTooSmall() {
        return wrong("the encoded value does not fit into the target");
    }

    final CodecException tooLong(int maxLength) {
        return new CodecException(id, maxLength);
    }

    final CodecException truncated() {
        return wrong("truncated: the encoded value ends too early");
    }

    final CodecException trailing(int bytes) {
        return wrong(bytes + " bytes follow the end of the encoded value");
    }
}
