package dev.blobmark.codec;

import dev.blobmark.codec.ContextPool.LeasedContext;

/**
 * What MySQL's and MariaDB's {@code COMPRESS()} writes and {@code UNCOMPRESS()} reads: the length in the low 30 bits of
 * 4 little-endian bytes, then a zlib stream. An empty value stays empty. When the last byte would be a space a '.'
 * follows, so that a column which strips spaces cannot harm the value; {@code UNCOMPRESS()} ignores it, and this
 * decoder takes such values with and without it.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/encryption-functions.html#function_compress">COMPRESS()</a>
 */
final class MysqlCodec extends OneShot {

    private static final int LENGTH_BYTES = 4;
    private static final int LENGTH_MASK = (1 << 30) - 1; // the server clears the two highest bits, both ways

    private final ContextPool<Deflation> deflation;

    MysqlCodec(String id, int level) {
        super(id);
        deflation = Deflation.pool(level, false);
    }

    @Override
    int longest() {
        return LENGTH_MASK;
    }

    @Override
    int bound(int length) {
        return LENGTH_BYTES + Deflation.bound(length) + 1;
    }

    @Override
    long maxDecoded(int encodedLength) {
        return Inflation.maxDecoded(Math.max(0, encodedLength - LENGTH_BYTES));
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        if (length == 0) return 0;
        if (length <= LENGTH_BYTES) throw truncated();
        return LittleEndian.get(source, offset) & LENGTH_MASK;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (sourceLength == 0) return 0;
        if (room < LENGTH_BYTES) throw targetTooSmall();
        int start = targetOffset + LENGTH_BYTES;
        int written = LENGTH_BYTES;
        try (LeasedContext<Deflation> own = deflation.take()) {
            written += own.context.run(this, source, sourceOffset, sourceLength, target, start, room - LENGTH_BYTES);
        }
        LittleEndian.put(target, targetOffset, sourceLength);
        if (target[targetOffset + written - 1] == ' ') {
            if (written == room) throw targetTooSmall();
            target[targetOffset + written++] = '.';
        }
        return written;
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        int length = (int) statedLength(source, sourceOffset, sourceLength);
        if (length > maxLength) throw tooLong(maxLength);
        if (sourceLength == 0) return 0;
        DecodedBytes out = DecodedBytes.into(target, targetOffset, length);
        int left;
        try (LeasedContext<Inflation> own = Inflation.ZLIB.take()) {
            left = own.context.run(this, source, sourceOffset + LENGTH_BYTES, sourceLength - LENGTH_BYTES, out);
        }
        int read = out.length();
        int end = sourceOffset + sourceLength;
        boolean dot = left == 1 && source[end - 1] == '.' && source[end - 2] == ' ';
        if (left > 0 && !dot) throw trailing(left);
        if (read != length) throw wrong("it says " + length + " bytes and holds " + read);
        return read;
    }
}
