package dev.blobmark.codec;

final class WithLengthTest extends CodecContract {

    WithLengthTest() {
        super("deflate+len", "deflate:9+len", "zlib+len", "brotli+len", "brotli:0+len");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
