package dev.blobmark.codec;

final class NoneCodecTest extends CodecContract {

    NoneCodecTest() {
        super("none");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
