package dev.blobmark.codec;

final class GzipCodecTest extends CodecContract {

    GzipCodecTest() {
        super("gzip", "gzip:1", "gzip:9");
    }

    @Override
    boolean checksummed() {
        return true;
    }
}
