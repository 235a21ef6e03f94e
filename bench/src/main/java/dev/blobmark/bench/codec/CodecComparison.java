package dev.blobmark.bench.codec;

import dev.blobmark.bench.Ratio;
import dev.blobmark.codec.Codec;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Compares the speed of decoding in one call into the caller's buffer with that of the published studies' streams. Both
 * decode the same bytes in one JVM, alternately in random order, so that disturbances of the machine affect both. Each
 * round gives one ratio.
 */
public final class CodecComparison {

    private static final int[] SIZES = {34_011, 607_930, 4_287_156}; // published lengths of the studies' own data
    private static final int WARM_UP_ROUNDS = 5;
    private static final long SEED = 42;

    /**
     * One line of the result.
     *
     * @param oneShot uncompressed bytes per second with one call, mean of all rounds
     * @param stream uncompressed bytes per second with the stream, mean of all rounds
     * @param ratio of {@code oneShot} to {@code stream}
     */
    record Line(StudyStream format, int size, double oneShot, double stream, Ratio ratio) {}

    /** Decodes one value and returns its length in bytes. */
    @FunctionalInterface
    private interface Decoder {
        int decode(byte[] encoded) throws IOException;
    }

    private CodecComparison() {}

    /** @param args number of rounds (20), milliseconds per decoder and round (200); both optional */
    public static void main(String[] args) throws IOException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        long windowNanos = (args.length > 1 ? Long.parseLong(args[1]) : 200) * 1_000_000;
        PrintStream out = System.out;
        out.printf("%d rounds of %d ms, JDK %s%n", rounds, windowNanos / 1_000_000, Runtime.version());
        out.printf("%-8s %9s %14s %14s  %s%n", "format", "bytes", "one-shot MB/s", "stream MB/s", "times as fast");
        for (StudyStream format : StudyStream.values()) {
            for (int size : SIZES) {
                Line line = compare(format, size, rounds, windowNanos);
                out.printf(
                        Locale.ROOT,
                        "%-8s %9d %14.0f %14.0f  %s%n",
                        format,
                        size,
                        line.oneShot / 1e6,
                        line.stream / 1e6,
                        line.ratio);
            }
        }
    }

    static Line compare(StudyStream format, int size, int rounds, long windowNanos) throws IOException {
        byte[][] encoded = encode(format.codec(), BenchValues.of(size));
        byte[] target = new byte[size];
        Codec codec = format.codec();
        Decoder oneShot = bytes -> codec.decode(bytes, 0, bytes.length, target, 0, size);
        Decoder stream = bytes -> format.decode(bytes).length;

        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(SEED);
        double[] logRatios = new double[rounds];
        double oneShotSum = 0;
        double streamSum = 0;
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            double fast;
            double slow;
            if (random.nextBoolean()) {
                fast = bytesPerSecond(oneShot, encoded, size, windowNanos);
                slow = bytesPerSecond(stream, encoded, size, windowNanos);
            } else {
                slow = bytesPerSecond(stream, encoded, size, windowNanos);
                fast = bytesPerSecond(oneShot, encoded, size, windowNanos);
            }
            if (round < 0) continue;
            logRatios[round] = Math.log(fast / slow);
            oneShotSum += fast;
            streamSum += slow;
        }
        return new Line(format, size, oneShotSum / rounds, streamSum / rounds, Ratio.of(logRatios));
    }

    private static byte[][] encode(Codec codec, byte[][] values) {
        return Arrays.stream(values)
                .map(value -> {
                    byte[] target = new byte[codec.maxEncodedLength(value.length)];
                    return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
                })
                .toArray(byte[][]::new);
    }

    /** Decodes whole values until the window is over; their time is counted to the end of the last. */
    private static double bytesPerSecond(Decoder decoder, byte[][] encoded, int size, long windowNanos)
            throws IOException {
        long start = System.nanoTime();
        long elapsed;
        long bytes = 0;
        int next = 0;
        do {
            int length = decoder.decode(encoded[next]);
            if (length != size) throw new IllegalStateException("decoded " + length + " bytes of " + size);
            bytes += length;
            next = next + 1 == encoded.length ? 0 : next + 1;
            elapsed = System.nanoTime() - start;
        } while (elapsed < windowNanos);
        return bytes * 1e9 / elapsed;
    }
}
