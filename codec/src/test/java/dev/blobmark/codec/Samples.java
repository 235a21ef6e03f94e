package dev.blobmark.codec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/** Values for tests, each made from a seed. */
final class Samples {

    private Samples() {}

    static UniformRandomProvider random(long seed) {
        return RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
    }

    static byte[] incompressible(int length, long seed) {
        byte[] value = new byte[length];
        random(seed).nextBytes(value);
        return value;
    }

    /** A length of 1 byte to 128 KiB, short ones as likely as long ones on a logarithmic scale. */
    static int length(long seed) {
        return (int) Math.pow(2, 17 * random(~seed).nextDouble());
    }

    /**
     * Noise, runs of one byte, letters of a small alphabet, and copies from near and far, in pieces of random length.
     */
    static byte[] structured(int length, long seed) {
        UniformRandomProvider random = random(seed);
        byte[] value = new byte[length];
        int at = 0;
        while (at < length) {
            int piece = Math.min(length - at, 1 + random.nextInt(1 << 1 + random.nextInt(11)));
            int kind = random.nextInt(5);
            int letter = random.nextInt(256);
            int distance = at == 0 ? 0 : 1 + random.nextInt(kind == 3 ? Math.min(at, 64) : at);
            for (int end = at + piece; at < end; at++) {
                value[at] = (byte)
                        switch (kind) {
                            case 0 -> random.nextInt();
                            case 1 -> letter;
                            case 2 -> 'a' + random.nextInt(4);
                            default -> distance == 0 ? letter : value[at - distance];
                        };
            }
        }
        return value;
    }

    /** Empty, one byte, text, zeros, noise and mixtures up to 70 KB. */
    static List<byte[]> various() {
        return List.of(
                new byte[0],
                new byte[] {' '},
                "{\"id\":42,\"name\":\"blob\",\"tags\":[\"blob\",\"blob\"]}".getBytes(StandardCharsets.UTF_8),
                new byte[5000],
                incompressible(1000, 1),
                incompressible(70_000, 2),
                structured(100, 3),
                structured(10_000, 4),
                structured(40_000, 5));
    }
}
