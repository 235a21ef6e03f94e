package dev.blobmark.value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Values as they may be stored before the format, from a seed: random bytes; bytes after the magic, and after a header
 * that could be right; the beginnings of frames; frames with a changed byte in the header; values of other formats.
 */
final class LegacyValues {

    private static final int MOST_BYTES = 96;

    private final SplittableRandom random;
    private final List<byte[]> frames = new ArrayList<>();
    private final List<byte[]> others = new ArrayList<>();

    LegacyValues(long seed) {
        random = new SplittableRandom(seed);
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy")) {
            ValueFormat format = ValueFormatTest.writing(
                    ValueFormat.builder().writes(codec).policy(new EncodingPolicy(0, 0, false)));
            for (int i = 0; i < 50; i++) {
                byte[] stored = format.encode(Samples.json(i));
                if (FrameHeader.begins(stored)) {
                    frames.add(stored);
                }
            }
        }
        for (String codec : List.of("gzip", "zlib", "zstd", "lz4", "snappy", "brotli", "deflate", "mysql")) {
            for (int i = 0; i < 50; i++) {
                others.add(LegacyTest.encoded(codec, Samples.json(i)));
            }
        }
    }

    byte[] next() {
        int kind = random.nextInt(6);
        return switch (kind) {
            case 0 -> bytes(random.nextInt(MOST_BYTES));
            case 1 -> magic(bytes(2 + random.nextInt(MOST_BYTES)));
            case 2 -> header(bytes(9 + random.nextInt(MOST_BYTES)));
            case 3 -> {
                byte[] frame = frames.get(random.nextInt(frames.size()));
                yield Arrays.copyOf(frame, random.nextInt(frame.length));
            }
            case 4 -> {
                byte[] frame = frames.get(random.nextInt(frames.size())).clone();
                int at = 2 + random.nextInt(4);
                frame[at] ^= (byte) (1 + random.nextInt(255));
                yield frame;
            }
            default -> others.get(random.nextInt(others.size()));
        };
    }

    private byte[] bytes(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    private static byte[] magic(byte[] value) {
        value[0] = (byte) FrameHeader.MAGIC_0;
        value[1] = (byte) FrameHeader.MAGIC_1;
        return value;
    }

    /** With a version and a codec that exist. */
    private byte[] header(byte[] value) {
        value[2] = (byte)
                (FrameHeader.VERSION << 6 | random.nextInt(PayloadCodec.values().length) << 2 | random.nextInt(4));
        return magic(value);
    }
}
