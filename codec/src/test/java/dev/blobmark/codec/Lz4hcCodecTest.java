package dev.blobmark.codec;

final class Lz4hcCodecTest extends CodecContract {

    Lz4hcCodecTest() {
        super("lz4hc", "lz4hc:1", "lz4hc:2", "lz4hc:3", "lz4hc:10", "lz4hc:12");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
