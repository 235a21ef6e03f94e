package dev.blobmark.value;

import java.util.Arrays;
import java.util.List;

/** Frames whose header is right, and which claim a longer value than their few bytes can hold. */
final class ClaimedFrames {

    /** Those whose frames state the length of the value. */
    static final List<PayloadCodec> CODECS = Arrays.stream(PayloadCodec.values())
            .filter(PayloadCodec::isEncoding)
            .toList();

    private static final int BODY_BYTES = 24;

    private ClaimedFrames() {}

    /** @param claimed at least 256 bytes */
    static byte[] of(PayloadCodec codec, int claimed) {
        int header = FrameHeader.bytes(codec, false, claimed);
        byte[] frame = new byte[header + BODY_BYTES];
        if (codec == PayloadCodec.ZSTD) {
            zstd(frame, header, claimed);
        }
        FrameHeader.write(frame, 0, frame.length, codec, claimed, -1, false);
        return frame;
    }

    /** A content size of four bytes, a raw block with the rest of the body, and nothing after it. */
    private static void zstd(byte[] frame, int at, int claimed) {
        frame[at] = (byte) 0xA0;
        for (int i = 0; i < 4; i++) {
            frame[at + 1 + i] = (byte) (claimed >>> 8 * i);
        }
        int block = at + 5;
        frame[block] = (byte) ((frame.length - block - 3) << 3 | 1);
    }
}
