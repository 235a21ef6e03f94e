package dev.blobmark.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.Optional;

/** A zstd frame without its magic number. A thread has one context for decoding without a dictionary, as all levels. */
final class BareZstdCodec extends OneShot {

    private static final PerThread<ZstdDecompressCtx> DECOMPRESSION =
            new PerThread<>(() -> new ZstdDecompressCtx().setMagicless(true));

    private final PerThread<ZstdCompressCtx> compression;
    private final PerThread<ZstdDecompressCtx> decompression;

    BareZstdCodec(String id, int level, Optional<ZstdDictionary> dictionary) {
        super(id);
        compression = new PerThread<>(() -> {
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
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try {
            return compression.get().compressByteArray(target, targetOffset, room, source, sourceOffset, sourceLength);
        } catch (ZstdException e) {
            boolean tooSmall = e.getErrorCode() == Zstd.errDstSizeTooSmall();
            throw tooSmall ? targetTooSmall() : wrong(e);
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        long length = ZstdHeader.contentSize(source, sourceOffset, sourceLength);
        if (length < 0) throw wrong("it does not begin with a frame's header that states the length of the value");
        if (length > maxLength) throw tooLong(maxLength);
        try {
            int read = decompression
                    .get()
                    .decompressByteArray(target, targetOffset, (int) length, source, sourceOffset, sourceLength);
            if (read != length) throw wrong("it says " + length + " bytes and holds " + read);
            return read;
        } catch (ZstdException e) {
            throw wrong(e);
        }
    }
}
