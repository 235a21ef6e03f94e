package dev.blobmark.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

/**
 * One zstd frame (RFC 8878) with its content size and, as is the library's default, no checksum; one in a frame from
 * elsewhere is checked. Further frames after the first are an error, since a value is one frame.
 *
 * <p>The library works on the caller's arrays in place. A context costs more to make than a small value to decode,
 * hence one per thread; that of high levels grows with the values it has seen.
 */
final class ZstdCodec extends OneShot {

    private static final int MAGIC = 0xFD2FB528;

    // decoding takes no parameters, so all levels share a thread's context
    private static final PerThread<ZstdDecompressCtx> DECOMPRESSION = new PerThread<>(ZstdDecompressCtx::new);

    private final PerThread<ZstdCompressCtx> compression;

    ZstdCodec(String id, int level) {
        super(id);
        compression = new PerThread<>(() -> new ZstdCompressCtx().setLevel(level));
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
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try {
            return compression.get().compressByteArray(target, targetOffset, room, source, sourceOffset, sourceLength);
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
        if (sourceLength < Integer.BYTES) throw truncated();
        if (LittleEndian.get(source, sourceOffset) != MAGIC) {
            throw wrong("it does not begin with 28 b5 2f fd, the mark of a zstd frame");
        }
        try {
            // the decoder would continue with a second frame; reading the block headers costs well below a
            // microsecond
            long frame = Zstd.findFrameCompressedSize(source, sourceOffset, sourceLength);
            if (frame != sourceLength) throw trailing(sourceLength - (int) frame);
            return DECOMPRESSION
                    .get()
                    .decompressByteArray(target, targetOffset, maxLength, source, sourceOffset, sourceLength);
        } catch (ZstdException e) {
            throw e.getErrorCode() == Zstd.errDstSizeTooSmall() ? tooLong(maxLength) : wrong(e);
        }
    }
}
