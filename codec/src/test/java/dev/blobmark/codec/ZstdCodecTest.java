package dev.blobmark.codec;

final class ZstdCodecTest extends CodecContract {

    ZstdCodecTest() {
        super("zstd", "zstd:-5", "zstd:1", "zstd:22");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
