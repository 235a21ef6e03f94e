package dev.blobmark.codec;

final class DeflateCodecTest extends CodecContract {

    DeflateCodecTest() {
        super("deflate", "deflate:1", "deflate:9");
    }

    @Override
    boolean checksummed() {
        return false;
    }
}
