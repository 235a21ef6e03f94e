package dev.blobmark.codec;

/** The value itself: the floor that every other codec is measured against. */
final class NoneCodec extends OneShot {

    NoneCodec(String id) {
        super(id);
    }

    @Override
    public boolean isIdentity() {
        return true;
    }

    @Override
    int bound(int length) {
        return length;
    }

    @Override
    long maxDecoded(int encodedLength) {
        return encodedLength;
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        return length;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (sourceLength > room) throw targetTooSmall();
        System.arraycopy(source, sourceOffset, target, targetOffset, sourceLength);
        return sourceLength;
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        if (sourceLength > maxLength) throw tooLong(maxLength);
        System.arraycopy(source, sourceOffset, target, targetOffset, sourceLength);
        return sourceLength;
    }
}
