package dev.blobmark.fleet;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Encodes and decodes all values of {@link LargeColumn} by each codec, for {@code bench/evidence/fleet-survey}. Prints
 * a line for each codec: its name, bytes of all values, bytes of all encoded ones, and seconds of all threads.
 */
public final class FullPass {

    private FullPass() {}

    /** @param arguments VALUES THREADS CODEC… */
    public static void main(String[] arguments) throws Exception {
        long values = Long.parseLong(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        List<String> codecs = Arrays.asList(arguments).subList(2, arguments.length);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<long[][]>> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            long first = values * thread / threads;
            long end = values * (thread + 1) / threads;
            running.add(pool.submit(() -> pass(codecs, first, end)));
        }
        long[][] sums = new long[codecs.size()][3];
        for (Future<long[][]> each : running) {
            for (int codec = 0; codec < sums.length; codec++) {
                for (int figure = 0; figure < 3; figure++) {
                    sums[codec][figure] += each.get()[codec][figure];
                }
            }
        }
        pool.shutdown();
        for (int codec = 0; codec < sums.length; codec++) {
            System.out.printf(
                    Locale.ROOT,
                    "%s %d %d %.1f%n",
                    codecs.get(codec),
                    sums[codec][0],
                    sums[codec][1],
                    sums[codec][2] / 1e9);
        }
    }

    /** By codec: bytes, encoded bytes, nanoseconds. */
    private static long[][] pass(List<String> names, long first, long end) {
        List<Codec> codecs = names.stream().map(Codecs::parse).toList();
        long[][] sums = new long[codecs.size()][3];
        for (long number = first; number < end; number++) {
            byte[] value = LargeColumn.value(number);
            byte[] decoded = new byte[value.length];
            for (int i = 0; i < sums.length; i++) {
                Codec codec = codecs.get(i);
                byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
                long begin = System.nanoTime();
                int length = codec.encode(value, 0, value.length, encoded, 0);
                codec.decode(encoded, 0, length, decoded, 0, value.length);
                sums[i][2] += System.nanoTime() - begin;
                sums[i][0] += value.length;
                sums[i][1] += length;
            }
            if (!Arrays.equals(value, decoded)) {
                throw new IllegalStateException("value " + number + " has changed");
            }
        }
        return sums;
    }
}
