package dev.blobmark.bench.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Orders as JSON of 0.2 to 2 KB, each from its seed. Keys are always the same; values are drawn. */
public final class SmallJson {

    private static final List<String> WORDS = List.of(
            "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll",
            "lagoon");

    private SmallJson() {}

    public static byte[] value(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        StringBuilder text = new StringBuilder("{\"id\":\"")
                .append(new UUID(random.nextLong(), random.nextLong()))
                .append("\",\"customer\":{\"name\":\"")
                .append(word(random))
                .append(' ')
                .append(word(random))
                .append("\",\"email\":\"")
                .append(word(random))
                .append(random.nextInt(10_000))
                .append("@example.com\",\"since\":\"20")
                .append(10 + random.nextInt(16))
                .append("-0")
                .append(1 + random.nextInt(9))
                .append("-1")
                .append(random.nextInt(10))
                .append("\"},\"lines\":[");
        int lines = 1 + (int) (Math.abs(random.nextGaussian()) * 5);
        for (int i = 0; i < lines; i++) {
            text.append(i == 0 ? "" : ",")
                    .append("{\"sku\":\"")
                    .append(word(random))
                    .append('-')
                    .append(random.nextInt(100_000))
                    .append("\",\"quantity\":")
                    .append(1 + random.nextInt(12))
                    .append(",\"unit_price\":")
                    .append(random.nextInt(100_000) / 100.0)
                    .append(",\"currency\":\"EUR\",\"discounted\":")
                    .append(random.nextInt(10) == 0)
                    .append('}');
        }
        return text.append("],\"status\":\"")
                .append(List.of("new", "paid", "sent", "returned").get(random.nextInt(4)))
                .append("\",\"note\":null}")
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** The same, several of them in a row cut to a length. */
    public static byte[] value(long seed, int bytes) {
        byte[] all = new byte[0];
        for (long next = seed; all.length < bytes; next++) {
            byte[] one = value(next);
            byte[] longer = Arrays.copyOf(all, all.length + one.length);
            System.arraycopy(one, 0, longer, all.length, one.length);
            all = longer;
        }
        return Arrays.copyOf(all, bytes);
    }

    private static String word(Random random) {
        return WORDS.get(random.nextInt(WORDS.size()));
    }
}
