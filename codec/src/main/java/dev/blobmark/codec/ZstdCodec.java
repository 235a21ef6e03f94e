package dev.blobmark.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.blobmark.codec.ContextPool.LeasedContext;

/**
 * One zstd frame (RFC 8878) with its content size and, as is the library's default, no checksum; one in a frame from
 * elsewhere is checked. Further frames after the first are an error, since a value is one frame.
 *
 * <p>The library works on the caller's arrays in place. A context costs more to make than a small value to decode,
 * hence the pools; that of high levels grows with the values it has seen.
 */
final class ZstdCodec extends OneShot {

    private static final int MAGIC = 0xFD2FB528;
    private static final int MAGIC_BYTES = 4;

    // decoding takes no parameters, so all levels share the contexts
    private static final ContextPool<ZstdDecompressCtx> DECOMPRESSION = new ContextPool<>(ZstdDecompressCtx::new);

    private final ContextPool<ZstdCompressCtx> compression;

    ZstdCodec(String id, int level) {
        super(id);
        compression = new ContextPool<>(() -> new ZstdCompressCtx().setLevel(level));
    }

    @Override
    int bound(int length) {
        return compressBound(length);
    }

    /** {@code ZSTD_COMPRESSBOUND} of zstd.h. */
    static int compressBound(int length) {
        int small = 128 << 10;
        return length + (length >>> 8) + (length < small ? (small - length) >>> 11 : 0);
    }

    @Override
    long maxDecoded(int encodedLength) {
        return maxDecodedLengthOf(encodedLength);
    }

    /** A block takes at least 4 bytes and holds at most 128 KiB (RFC 8878 3.1.1.2). */
    static long maxDecodedLengthOf(int encodedLength) {
        return (ZstdHeader.MAX_BLOCK / 4L) * encodedLength;
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        checkFrame(source, offset, length);
        return ZstdHeader.contentSize(source, offset + MAGIC_BYTES, length - MAGIC_BYTES);
    }

    /** A writer that streams does not state the length, since it does not know it. */
    @Override
    long maxDecoded(byte[] source, int offset, int length) {
        return ZstdHeader.maxDecoded(source, offset + MAGIC_BYTES, offset + length);
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try (LeasedContext<ZstdCompressCtx> own = compression.take()) {
            return own.context.compressByteArray(target, targetOffset, room, source, sourceOffset, sourceLength);
        } catch (ZstdException e) {
            boolean tooSmall = e.getErrorCode() == Zstd.errDstSizeTooSmall();
            // the encoder asks for a few bytes more than it writes, such as the longest possible header
            if (tooSmall && room < bound(sourceLength)) {
                return writeAndCopy(source, sourceOffset, sourceLength, target, targetOffset, room);
            }
            throw wrong(e);
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        checkFrame(source, sourceOffset, sourceLength);
        try (LeasedContext<ZstdDecompressCtx> own = DECOMPRESSION.take()) {
            return own.context.decompressByteArray(target, targetOffset, maxLength, source, sourceOffset, sourceLength);
        } catch (ZstdException e) {
            throw e.getErrorCode() == Zstd.errDstSizeTooSmall() ? tooLong(maxLength) : wrong(e);
        }
    }

    private void checkFrame(byte[] source, int offset, int length) {
        if (length < MAGIC_BYTES) throw truncated();
        if (LittleEndian.get(source, offset) != MAGIC) {
            throw wrong("it does not begin with 28 b5 2f fd, the mark of a zstd frame");
        }
        ZstdHeader.requireOneFrame(this, source, offset + MAGIC_BYTES, offset + length);
    }
}
