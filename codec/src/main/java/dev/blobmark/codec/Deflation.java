package dev.blobmark.codec;

import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A deflater of one level, 256 KB of native memory.
 *
 * <p>The JDK's native code reads and writes the caller's arrays in place; there is no copy.
 */
final class Deflation implements AutoCloseable {

    /**
     * Bytes that a zlib stream may need, wrapper included: the bound that zlib's own {@code deflateBound} gives
     * whatever its memory level is. It is looser than the usual one since some systems link zlib-ng, whose level 1
     * writes up to nine bits per byte.
     */
    static int bound(int length) {
        return length + (length >>> 3) + (length >>> 8) + (length >>> 9) + 4 + 6;
    }

    static ContextPool<Deflation> pool(int level, boolean raw) {
        return new ContextPool<>(() -> new Deflation(level, raw));
    }

    final CRC32 crc = new CRC32();

    private final Deflater deflater;
    private final byte[] spare = new byte[1];

    private Deflation(int level, boolean raw) {
        deflater = new Deflater(level, raw);
    }

    @Override
    public void close() {
        deflater.end();
    }

    int run(
            OneShot codec,
            byte[] source,
            int sourceOffset,
            int sourceLength,
            byte[] target,
            int targetOffset,
            int room) {
        try {
            deflater.setInput(source, sourceOffset, sourceLength);
            deflater.finish();
            int written = deflater.deflate(target, targetOffset, room);
            // zlib notices the end only in a call that has room left, so an exact fit needs one more call to tell
            if (!deflater.finished() && (deflater.deflate(spare) > 0 || !deflater.finished())) {
                throw codec.targetTooSmall();
            }
            return written;
        } finally {
            deflater.reset(); // also lets go of the caller's array
        }
    }
}
