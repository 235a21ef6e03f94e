package dev.blobmark.codec;

/** A deflate stream (RFC 1951), bare or in the zlib format (RFC 1950), whose Adler-32 is checked. */
final class DeflateCodec extends OneShot {

    private final ThreadLocal<Deflation> deflation;
    private final ThreadLocal<Inflation> inflation;

    static DeflateCodec raw(String id, int level) {
        return new DeflateCodec(id, level, true);
    }

    static DeflateCodec zlib(String id, int level) {
        return new DeflateCodec(id, level, false);
    }

    private DeflateCodec(String id, int level, boolean raw) {
        super(id);
        deflation = Deflation.perThread(level, raw);
        inflation = raw ? Inflation.RAW : Inflation.ZLIB;
    }

    @Override
    int bound(int length) {
        return Deflation.bound(length);
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        return deflation.get().run(this, source, sourceOffset, sourceLength, target, targetOffset, room);
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        Inflation own = inflation.get();
        int read = own.run(this, source, sourceOffset, sourceLength, target, targetOffset, maxLength);
        if (own.left > 0) throw trailing(own.left);
        return read;
    }
}
