package dev.blobmark.codec;

/** The header of a zstd frame, RFC 8878, section 3.1.1.1, which is also read without the library. */
final class ZstdHeader {

    private static final int DICTIONARY_FLAGS = 0b11;
    private static final int CHECKSUM_BIT = 0b100;
    private static final int CHECKSUM_BYTES = 4;
    private static final int RESERVED_BIT = 0b1000;
    private static final int SINGLE_SEGMENT_BIT = 0b10_0000;

    /** Block_Maximum_Size of RFC 8878, section 3.1.1.2.4, for windows that are not smaller. */
    static final int MAX_BLOCK = 128 << 10;

    private static final int BLOCK_HEADER_BYTES = 3;
    private static final int RLE_BLOCK = 1;
    private static final int COMPRESSED_BLOCK = 2;

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

    /** The length of a value at most, from the headers of its blocks. */
    static long maxDecoded(byte[] source, int offset, int end) {
        long most = 0;
        int at = offset + headerBytes(source[offset]);
        while (at + BLOCK_HEADER_BYTES <= end) {
            int header = blockHeader(source, at);
            int type = header >>> 1 & 0b11;
            int size = header >>> 3;
            most += type == COMPRESSED_BLOCK ? MAX_BLOCK : size;
            if ((header & 1) != 0) break; // the last one
            at += BLOCK_HEADER_BYTES + (type == RLE_BLOCK ? 1 : size);
        }
        return most;
    }

    /**
     * Checks that a frame ends with these bytes, by the headers of its blocks. The library would decode further frames,
     * and blocks of one repeated byte that are longer than the format allows.
     */
    static void requireOneFrame(OneShot codec, byte[] source, int offset, int end) {
        if (end <= offset) throw codec.truncated();
        long frameEnd = frameEnd(codec, source, offset, end);
        if (frameEnd > end) throw codec.truncated();
        if (frameEnd < end) throw codec.trailing((int) (end - frameEnd));
    }

    /** A later place if the frame is cut off. */
    private static long frameEnd(OneShot codec, byte[] source, int offset, int end) {
        long at = offset + headerBytes(source[offset]);
        while (at + BLOCK_HEADER_BYTES <= end) {
            int header = blockHeader(source, (int) at);
            int size = header >>> 3;
            if (size > MAX_BLOCK) throw codec.wrong("a block of " + size + " bytes; a frame has at most " + MAX_BLOCK);
            at += BLOCK_HEADER_BYTES + ((header >>> 1 & 0b11) == RLE_BLOCK ? 1 : size);
            if ((header & 1) != 0) return at + ((source[offset] & CHECKSUM_BIT) != 0 ? CHECKSUM_BYTES : 0);
        }
        return Long.MAX_VALUE;
    }

    private static int blockHeader(byte[] source, int at) {
        return (source[at] & 0xFF) | (source[at + 1] & 0xFF) << 8 | (source[at + 2] & 0xFF) << 16;
    }

    private static int headerBytes(int descriptor) {
        boolean isSingleSegment = (descriptor & SINGLE_SEGMENT_BIT) != 0;
        int sizeFlag = descriptor >>> 6 & 0b11;
        int dictionaryFlag = descriptor & DICTIONARY_FLAGS;
        int dictionary = dictionaryFlag == 3 ? 4 : dictionaryFlag;
        int contentSize = sizeFlag == 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
        return 1 + (isSingleSegment ? 0 : 1) + dictionary + contentSize;
    }
}
