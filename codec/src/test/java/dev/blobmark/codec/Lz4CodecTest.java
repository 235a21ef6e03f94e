package dev.blobmark.codec;

final class Lz4CodecTest extends CodecContract {

    Lz4CodecTest() {
        super("lz4");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
