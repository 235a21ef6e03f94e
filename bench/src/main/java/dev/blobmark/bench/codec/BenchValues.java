package dev.blobmark.bench.codec;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The values that benchmarks encode and decode: lines of a web server's log, which zlib makes two to four times smaller.
 * As many distinct ones as make 32 MB, so that no value stays in the processor's cache from one turn to the next.
 */
final class BenchValues {

    private static final int TOTAL_BYTES = 32_000_000;
    private static final int FEWEST = 8;
    private static final int MOST = 1000;

    private static final String[] WORDS =
            ("api blob user image order search cart item list page edit static assets login token session report export")
                    .split(" ");

    private BenchValues() {}

    /**
     * @param lengthBytes length of each value
     * @param seed equal seeds give equal values
     */
    static byte[][] of(int lengthBytes, long seed) {
        int count = Math.min(MOST, Math.max(FEWEST, TOTAL_BYTES / lengthBytes));
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
        return IntStream.range(0, count).mapToObj(i -> log(lengthBytes, random)).toArray(byte[][]::new);
    }

    private static byte[] log(int lengthBytes, UniformRandomProvider random) {
        StringBuilder lines = new StringBuilder(lengthBytes + 200);
        while (lines.length() < lengthBytes) {
            lines.append("10.").append(random.nextInt(256)).append('.').append(random.nextInt(256));
            lines.append(" [").append(1_700_000_000_000L + random.nextInt()).append("] \"GET /");
            for (int i = random.nextInt(4); i >= 0; i--) {
                lines.append(WORDS[random.nextInt(WORDS.length)]).append('/');
            }
            lines.append(Long.toHexString(random.nextLong())).append("\" ");
            lines.append(random.nextInt(10) == 0 ? 404 : 200)
                    .append(' ')
                    .append(random.nextInt(100_000))
                    .append('\n');
        }
        return lines.substring(0, lengthBytes).getBytes(StandardCharsets.US_ASCII);
    }
}
