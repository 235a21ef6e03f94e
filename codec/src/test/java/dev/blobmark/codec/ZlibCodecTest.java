package dev.blobmark.codec;

final class ZlibCodecTest extends CodecContract {

    ZlibCodecTest() {
        super("zlib", "zlib:1", "zlib:9");
    }

    @Override
    boolean checksummed() {
        return true;
    }
}
