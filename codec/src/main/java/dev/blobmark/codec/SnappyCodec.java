package dev.blobmark.codec;

import java.io.IOException;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * The raw snappy format (google/snappy, format_description.txt), which begins with the length of the value; no framing
 * and no checksum. The library is stateless and works on the caller's arrays in place.
 */
final class SnappyCodec extends OneShot {

    SnappyCodec(String id) {
        super(id);
        Snappy.getNativeLibraryVersion(); // fails here, and not in a measurement, without the native library
    }

    /** {@code MaxCompressedLength} of snappy.cc. */
    @Override
    int bound(int length) {
        return 32 + length + length / 6;
    }

    /** Three bytes copy at most 64 (format_description.txt, copies with a two-byte offset). */
    @Override
    long maxDecoded(int encodedLength) {
        return 64L * encodedLength / 3;
    }

    @Override
    long statedLength(byte[] source, int offset, int length) {
        if (length == 0) throw truncated();
        try {
            return Integer.toUnsignedLong(Snappy.uncompressedLength(source, offset, length));
        } catch (IOException | SnappyError e) {
            throw wrong(e);
        }
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        // the encoder does not know how much space there is and may use all of its bound
        if (room < bound(sourceLength)) {
            return writeAndCopy(source, sourceOffset, sourceLength, target, targetOffset, room);
        }
        try {
            return Snappy.compress(source, sourceOffset, sourceLength, target, targetOffset);
        } catch (IOException | SnappyError e) {
            throw wrong(e);
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        if (sourceLength == 0) throw truncated();
        try {
            int length = Snappy.uncompressedLength(source, sourceOffset, sourceLength);
            if (length < 0 || length > maxLength) throw tooLong(maxLength);
            return Snappy.uncompress(source, sourceOffset, sourceLength, target, targetOffset);
        } catch (IOException | SnappyError e) {
            throw wrong(e);
        }
    }
}
