package dev.blobmark.codec;

final class MysqlCodecTest extends CodecContract {

    MysqlCodecTest() {
        super("mysql", "mysql:1", "mysql:9");
    }

    @Override
    boolean checksummed() {
        return true;
    }
}
