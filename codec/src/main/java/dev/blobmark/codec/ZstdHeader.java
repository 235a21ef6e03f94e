package dev.blobmark.codec;

/** The header of a zstd frame, RFC 8878, section 3.1.1.1, which is also read without the library. */
final class ZstdHeader {

    private static final int DICTIONARY_FLAGS = 0b11;
    private static final int RESERVED_BIT = 0b1000;
    private static final int SINGLE_SEGMENT_BIT = 0b10_0000;

    private ZstdHeader() {}

    /** Length of the value; −1 if there is no header, or none that {@link BareZstdCodec} writes. */
    static long contentSize(byte[] source, int offset, int length) {
        if (length < 2) return -1;
        int descriptor = source[offset];
        if ((descriptor & (DICTIONARY_FLAGS | RESERVED_BIT)) != 0) return -1;
        boolean isSingleSegment = (descriptor & SINGLE_SEGMENT_BIT) != 0;
        int sizeFlag = descriptor >>> 6 & 0b11;
        int at = offset + (isSingleSegment ? 1 : 2);
        int bytes = sizeFlag == 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
        if (bytes == 0 || at - offset + bytes > length) return -1;
        long size = 0;
        for (int i = bytes - 1; i >= 0; i--) {
            size = size << 8 | source[at + i] & 0xFF;
        }
        return bytes == 2 ? size + 256 : size;
    }
}
