package dev.blobmark.value;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Values for tests, each from its seed. */
final class Samples {

    private Samples() {}

    static byte[] noise(int length, long seed) {
        byte[] value = new byte[length];
        new Random(seed).nextBytes(value);
        return value;
    }

    /** A small JSON document of 150 to 900 bytes whose keys are always the same. */
    static byte[] json(long seed) {
        Random random = new Random(seed);
        StringBuilder text =
                new StringBuilder("{\"customer\": {\"identifier\": " + random.nextInt() + ", \"country\": \""
                        + List.of("DE", "FR", "PL", "US").get(random.nextInt(4)) + "\"}, \"positions\": [");
        int positions = 1 + random.nextInt(8);
        for (int i = 0; i < positions; i++) {
            text.append(i == 0 ? "" : ", ")
                    .append("{\"article_number\": ")
                    .append(random.nextInt(100_000))
                    .append(", \"quantity\": ")
                    .append(1 + random.nextInt(9))
                    .append(", \"price_in_cents\": ")
                    .append(random.nextInt(10_000))
                    .append("}");
        }
        return text.append("], \"delivered\": ")
                .append(random.nextBoolean())
                .append("}")
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Lines of a log, of about that length. */
    static byte[] text(int length, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append("2026-11-26 12:0")
                    .append(random.nextInt(10))
                    .append(" INFO request ")
                    .append(random.nextInt())
                    .append(" took ")
                    .append(random.nextInt(100))
                    .append(" ms\n");
        }
        return text.substring(0, length).getBytes(StandardCharsets.UTF_8);
    }

    /** A value that begins like a frame. */
    static byte[] beginningLikeAFrame(byte[] rest) {
        byte[] value = new byte[2 + rest.length];
        value[0] = (byte) FrameHeader.MAGIC_0;
        value[1] = (byte) FrameHeader.MAGIC_1;
        System.arraycopy(rest, 0, value, 2, rest.length);
        return value;
    }

    static List<byte[]> various() {
        List<byte[]> values = new ArrayList<>(List.of(
                new byte[0],
                new byte[] {7},
                new byte[] {(byte) FrameHeader.MAGIC_0},
                beginningLikeAFrame(new byte[0]),
                beginningLikeAFrame(noise(20, 1)),
                beginningLikeAFrame(text(3_000, 2)),
                beginningLikeAFrame(noise(40_000, 3)),
                new byte[5_000],
                new byte[200_000]));
        for (int length :
                new int[] {10, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1_000, 16_383, 16_384, 70_000, 300_000}) {
            values.add(text(length, length));
            values.add(noise(length, length));
        }
        for (int seed = 0; seed < 20; seed++) {
            values.add(json(seed));
        }
        return values;
    }
}
