package dev.blobmark.codec;

/**
 * The original length as 4 bytes, little-endian, before what another codec writes. With it a reader can allocate the
 * value exactly, and a value cut short or grown is found even where the inner format would not say so.
 */
final class WithLength extends OneShot {

    static final int LENGTH_BYTES = 4;

    private final OneShot inner;

    /** @param inner must carry this codec's id, so that its errors name the codec that the caller knows */
    WithLength(OneShot inner) {
        super(inner.id());
        this.inner = inner;
    }

    @Override
    int bound(int length) {
        return LENGTH_BYTES + inner.bound(length);
    }

    @Override
    long maxDecoded(int encodedLength) {
        return inner.maxDecoded(Math.max(0, encodedLength - LENGTH_BYTES));
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        if (length <= LENGTH_BYTES) throw truncated();
        return Integer.toUnsignedLong(LittleEndian.get(source, offset));
    }

    @Override
    byte[] readAll(byte[] source, int offset, int length, int maxLength) {
        if (maxDecoded(length) != Long.MAX_VALUE) return super.readAll(source, offset, length, maxLength);
        // nothing shows that the stated length can be true, so the output grows
        int stated = (int) checkStated(statedLength(source, offset, length), length, maxLength);
        byte[] value =
                withinStated(stated, () -> inner.readAll(source, offset + LENGTH_BYTES, length - LENGTH_BYTES, stated));
        if (value.length != stated) throw wrong("it says " + stated + " bytes and holds " + value.length);
        return value;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (room < LENGTH_BYTES) throw targetTooSmall();
        int written = inner.write(
                source, sourceOffset, sourceLength, target, targetOffset + LENGTH_BYTES, room - LENGTH_BYTES);
        LittleEndian.put(target, targetOffset, sourceLength);
        return LENGTH_BYTES + written;
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        if (sourceLength <= LENGTH_BYTES) throw truncated();
        int length = LittleEndian.get(source, sourceOffset);
        if (length < 0 || length > maxLength) throw tooLong(maxLength);
        int read = inner.read(
                source, sourceOffset + LENGTH_BYTES, sourceLength - LENGTH_BYTES, target, targetOffset, length);
        if (read != length) throw wrong("it says " + length + " bytes and holds " + read);
        return read;
    }
}
