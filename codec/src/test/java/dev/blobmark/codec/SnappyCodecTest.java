package dev.blobmark.codec;

final class SnappyCodecTest extends CodecContract {

    SnappyCodecTest() {
        super("snappy");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
