package dev.blobmark.codec;

import dev.blobmark.codec.ContextPool.LeasedContext;
import java.util.zip.CRC32;

/**
 * One gzip member (RFC 1952): a 10-byte header, a deflate stream, the CRC-32 and the length of the value. Readers take
 * the optional fields of the header that other writers put there, and further members, whose values follow each other
 * (RFC 1952 2.2): writers that append to a value make them.
 */
final class GzipCodec extends OneShot {

    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int MAGIC_AND_METHOD = 0x00_08_8b_1f; // ID1, ID2, CM = deflate, as a little-endian int
    private static final int OS_UNKNOWN = 255;

    private static final int FHCRC = 2;
    private static final int FEXTRA = 4;
    private static final int FNAME = 8;
    private static final int FCOMMENT = 16;
    private static final int RESERVED_FLAGS = 0b1110_0000;

    private final ContextPool<Deflation> deflation;
    private final byte extraFlags;

    GzipCodec(String id, int level) {
        super(id);
        deflation = Deflation.pool(level, true);
        extraFlags = (byte) (level == 9 ? 2 : level == 1 ? 4 : 0); // XFL as in RFC 1952 2.3.1
    }

    @Override
    int bound(int length) {
        return HEADER_BYTES + Deflation.bound(length) + TRAILER_BYTES;
    }

    @Override
    long maxDecoded(int encodedLength) {
        return Inflation.maxDecoded(encodedLength);
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (room < HEADER_BYTES + TRAILER_BYTES) throw targetTooSmall();
        try (LeasedContext<Deflation> own = deflation.take()) {
            return write(own.context, source, sourceOffset, sourceLength, target, targetOffset, room);
        }
    }

    private int write(
            Deflation own,
            byte[] source,
            int sourceOffset,
            int sourceLength,
            byte[] target,
            int targetOffset,
            int room) {
        LittleEndian.put(target, targetOffset, MAGIC_AND_METHOD);
        LittleEndian.put(target, targetOffset + 4, 0); // no time: equal values give equal bytes
        target[targetOffset + 8] = extraFlags;
        target[targetOffset + 9] = (byte) OS_UNKNOWN;
        int stream = own.run(
                this,
                source,
                sourceOffset,
                sourceLength,
                target,
                targetOffset + HEADER_BYTES,
                room - HEADER_BYTES - TRAILER_BYTES);
        int trailer = targetOffset + HEADER_BYTES + stream;
        LittleEndian.put(target, trailer, crcOf(own.crc, source, sourceOffset, sourceLength));
        LittleEndian.put(target, trailer + 4, sourceLength);
        return HEADER_BYTES + stream + TRAILER_BYTES;
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        DecodedBytes out = DecodedBytes.into(target, targetOffset, maxLength);
        try (LeasedContext<Inflation> own = Inflation.RAW.take()) {
            return read(own.context, source, sourceOffset, sourceLength, out);
        }
    }

    /** The last four bytes are the length of the value, or of its last part where there are several members. */
    @Override
    long statedLength(byte[] source, int offset, int length) {
        if (length < HEADER_BYTES + TRAILER_BYTES) throw truncated();
        return Integer.toUnsignedLong(LittleEndian.get(source, offset + length - 4));
    }

    @Override
    byte[] readAll(byte[] source, int offset, int length, int maxLength) {
        long stated = checkStated(statedLength(source, offset, length), length, maxLength);
        DecodedBytes out = DecodedBytes.growing(stated, maxLength);
        try (LeasedContext<Inflation> own = Inflation.RAW.take()) {
            read(own.context, source, offset, length, out);
        }
        return out.value();
    }

    private int read(Inflation own, byte[] source, int sourceOffset, int sourceLength, DecodedBytes out) {
        int end = sourceOffset + sourceLength;
        int at = sourceOffset;
        do {
            int stream = streamOffset(source, at, end, own.crc);
            int before = out.length();
            int left = own.run(this, source, stream, end - stream, out);
            if (left < TRAILER_BYTES) throw truncated();
            int trailer = end - left;
            int one = out.length() - before;
            if (LittleEndian.get(source, trailer) != crcOf(own.crc, out.bytes(), out.at() - one, one)) {
                throw wrong("the CRC-32 does not match");
            }
            int length = LittleEndian.get(source, trailer + 4);
            if (length != one) throw wrong("it says " + Integer.toUnsignedString(length) + " bytes and holds " + one);
            at = trailer + TRAILER_BYTES;
        } while (isMember(source, at, end));
        if (at < end) throw trailing(end - at);
        return out.length();
    }

    private static boolean isMember(byte[] source, int at, int end) {
        return end - at >= HEADER_BYTES && (LittleEndian.get(source, at) & 0xffffff) == MAGIC_AND_METHOD;
    }

    /** Checks the header, whose fields lie in the order of RFC 1952 2.3, and finds where the deflate stream begins. */
    private int streamOffset(byte[] source, int from, int end, CRC32 crc) {
        if (end - from < HEADER_BYTES) throw truncated();
        if ((LittleEndian.get(source, from) & 0xffffff) != MAGIC_AND_METHOD) {
            throw wrong("it does not begin with 1f 8b 08, the mark of gzip");
        }
        int flags = source[from + 3];
        if ((flags & RESERVED_FLAGS) != 0) throw wrong("reserved flags are set");
        int at = from + HEADER_BYTES;
        if ((flags & FEXTRA) != 0) {
            at = within(at + 2, end);
            at = within(at + unsignedShort(source, at - 2), end);
        }
        if ((flags & FNAME) != 0) at = afterZero(source, at, end);
        if ((flags & FCOMMENT) != 0) at = afterZero(source, at, end);
        if ((flags & FHCRC) != 0) {
            at = within(at + 2, end);
            if (unsignedShort(source, at - 2) != (crcOf(crc, source, from, at - 2 - from) & 0xffff)) {
                throw wrong("the CRC of the header does not match");
            }
        }
        return at;
    }

    private int within(int at, int end) {
        if (at > end) throw truncated();
        return at;
    }

    private int afterZero(byte[] source, int from, int end) {
        int at = from;
        while (at < end && source[at] != 0) at++;
        return within(at + 1, end);
    }

    private static int unsignedShort(byte[] source, int at) {
        return (source[at] & 0xff) | (source[at + 1] & 0xff) << 8;
    }

    private static int crcOf(CRC32 crc, byte[] bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
