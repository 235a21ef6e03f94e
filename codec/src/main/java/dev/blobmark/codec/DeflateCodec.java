package dev.blobmark.codec;

import dev.blobmark.codec.ContextPool.LeasedContext;

/** A deflate stream (RFC 1951), bare or in the zlib format (RFC 1950), whose Adler-32 is checked. */
final class DeflateCodec extends OneShot {

    private final ContextPool<Deflation> deflation;
    private final ContextPool<Inflation> inflation;

    static DeflateCodec raw(String id, int level) {
        return new DeflateCodec(id, level, true);
    }

    static DeflateCodec zlib(String id, int level) {
        return new DeflateCodec(id, level, false);
    }

    private DeflateCodec(String id, int level, boolean raw) {
        super(id);
        deflation = Deflation.pool(level, raw);
        inflation = raw ? Inflation.RAW : Inflation.ZLIB;
    }

    @Override
    int bound(int length) {
        return Deflation.bound(length);
    }

    @Override
    long maxDecoded(int encodedLength) {
        return Inflation.maxDecoded(encodedLength);
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        try (LeasedContext<Deflation> own = deflation.take()) {
            return own.context.run(this, source, sourceOffset, sourceLength, target, targetOffset, room);
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        DecodedBytes out = DecodedBytes.into(target, targetOffset, maxLength);
        read(source, sourceOffset, sourceLength, out);
        return out.length();
    }

    @Override
    byte[] readAll(byte[] source, int offset, int length, int maxLength) {
        DecodedBytes out = DecodedBytes.growing(4L * length, maxLength); // a usual ratio
        read(source, offset, length, out);
        return out.value();
    }

    private void read(byte[] source, int offset, int length, DecodedBytes out) {
        try (LeasedContext<Inflation> own = inflation.take()) {
            int left = own.context.run(this, source, offset, length, out);
            if (left > 0) throw trailing(left);
        }
    }
}
