package dev.blobmark.codec;

import dev.blobmark.codec.ContextPool.LeasedContext;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * A bare LZ4 block (lz4_Block_format.md), which holds neither length nor checksum; {@link WithLength} puts the length
 * before it. The library works on the caller's arrays in place, and its bounds-checked native decoder is also its
 * fastest. There is no fall-back to Java: another decoder would be another measurement.
 */
final class Lz4Codec extends OneShot {

    private final LZ4SafeDecompressor decompressor = LZ4Factory.nativeInstance().safeDecompressor();
    private final ContextPool<? extends LZ4Compressor> compression;

    static Lz4Codec fast(String id) {
        return new Lz4Codec(id, new ContextPool<>(LZ4Factory.nativeInstance()::fastResetCompressor));
    }

    static Lz4Codec high(String id, int level) {
        LZ4Factory factory = LZ4Factory.nativeInstance();
        return new Lz4Codec(id, new ContextPool<>(() -> factory.highFastResetCompressor(level)));
    }

    private Lz4Codec(String id, ContextPool<? extends LZ4Compressor> compression) {
        super(id);
        this.compression = compression;
    }

    /** {@code LZ4_COMPRESSBOUND} of lz4.h. */
    @Override
    int bound(int length) {
        return length + length / 255 + 16;
    }

    /** Each further byte of a match's length stands for at most 255 bytes (lz4_Block_format.md). */
    @Override
    long maxDecoded(int encodedLength) {
        return 255L * encodedLength;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try (LeasedContext<? extends LZ4Compressor> own = compression.take()) {
            return own.context.compress(source, sourceOffset, sourceLength, target, targetOffset, room);
        } catch (LZ4Exception e) {
            throw targetTooSmall(); // the one way in which LZ4 fails to encode
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        try {
            return decompressor.decompress(source, sourceOffset, sourceLength, target, targetOffset, maxLength);
        } catch (LZ4Exception e) {
            throw wrong(e);
        }
    }
}
