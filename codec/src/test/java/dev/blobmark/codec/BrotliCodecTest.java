package dev.blobmark.codec;

final class BrotliCodecTest extends CodecContract {

    BrotliCodecTest() {
        super("brotli", "brotli:0", "brotli:1", "brotli:11");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
