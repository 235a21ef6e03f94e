package dev.blobmark.codec;

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

    private final ThreadLocal<Deflation> deflation;

    MysqlCodec(String id, int level) {
        super(id);
        deflation = Deflation.perThread(level, false);
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
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (sourceLength == 0) return 0;
        if (room < LENGTH_BYTES) throw targetTooSmall();
        int stream = deflation
                .get()
                .run(
                        this,
                        source,
                        sourceOffset,
                        sourceLength,
                        target,
                        targetOffset + LENGTH_BYTES,
                        room - LENGTH_BYTES);
        LittleEndian.put(target, targetOffset, sourceLength);
        int written = LENGTH_BYTES + stream;
        if (target[targetOffset + written - 1] == ' ') {
            if (written == room) throw targetTooSmall();
            target[targetOffset + written++] = '.';
        }
        return written;
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        if (sourceLength == 0) return 0;
        if (sourceLength <= LENGTH_BYTES) throw truncated();
        int length = LittleEndian.get(source, sourceOffset) & LENGTH_MASK;
        if (length > maxLength) throw tooLong(maxLength);
        Inflation own = Inflation.ZLIB.get();
        int read = own.run(
                this, source, sourceOffset + LENGTH_BYTES, sourceLength - LENGTH_BYTES, target, targetOffset, length);
        int end = sourceOffset + sourceLength;
        boolean dot = own.left == 1 && source[end - 1] == '.' && source[end - 2] == ' ';
        if (own.left > 0 && !dot) throw trailing(own.left);
        if (read != length) throw wrong("it says " + length + " bytes and holds " + read);
        return read;
    }
}
