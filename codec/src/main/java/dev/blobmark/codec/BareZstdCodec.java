package dev.blobmark.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.blobmark.codec.ContextPool.LeasedContext;
import java.util.Optional;

/** A zstd frame without its magic number. All levels share the contexts for decoding. */
final class BareZstdCodec extends OneShot {

    private static final ContextPool<ZstdDecompressCtx> DECOMPRESSION =
            new ContextPool<>(() -> new ZstdDecompressCtx().setMagicless(true));

    private final ContextPool<ZstdCompressCtx> compression;
    private final ContextPool<ZstdDecompressCtx> decompression;

    BareZstdCodec(String id, int level, Optional<ZstdDictionary> dictionary) {
        super(id);
        compression = new ContextPool<>(() -> {
            ZstdCompressCtx context =
                    new ZstdCompressCtx().setLevel(level).setMagicless(true).setDictID(false);
            dictionary.ifPresent(with -> context.loadDict(with.forEncoding(level)));
            return context;
        });
        decompression = dictionary.map(ZstdDictionary::bareDecoding).orElse(DECOMPRESSION);
    }

    @Override
    int bound(int length) {
        return ZstdCodec.compressBound(length);
    }

    @Override
    long maxDecoded(int encodedLength) {
        return ZstdCodec.maxDecodedLengthOf(encodedLength);
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        long stated = ZstdHeader.contentSize(source, offset, length);
        if (stated < 0) throw wrong("it does not begin with a frame's header that states the length of the value");
        return stated;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try (LeasedContext<ZstdCompressCtx> own = compression.take()) {
            return own.context.compressByteArray(target, targetOffset, room, source, sourceOffset, sourceLength);
        } catch (ZstdException e) {
            boolean tooSmall = e.getErrorCode() == Zstd.errDstSizeTooSmall();
            throw tooSmall ? targetTooSmall() : wrong(e);
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        long length = statedLength(source, sourceOffset, sourceLength);
        if (length > maxLength) throw tooLong(maxLength);
        ZstdHeader.requireOneFrame(this, source, sourceOffset, sourceOffset + sourceLength);
        try (LeasedContext<ZstdDecompressCtx> own = decompression.take()) {
            int read = own.context.decompressByteArray(
                    target, targetOffset, (int) length, source, sourceOffset, sourceLength);
            if (read != length) throw wrong("it says " + length + " bytes and holds " + read);
            return read;
        } catch (ZstdException e) {
            throw wrong(e);
        }
    }
}
