package dev.blobmark.evidence.value;

import dev.blobmark.bench.value.SmallJson;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The same encodes and decodes by many virtual threads or by a pool of platform threads: time and resident memory.
 * {@code ThreadsBench virtual|platform THREADS CODEC BYTES OPERATIONS}; each run is a process of its own.
 */
public final class ThreadsBench {

    private ThreadsBench() {}

    /** Prints seconds, and the most memory that was resident in MiB. */
    public static void main(String[] arguments) throws Exception {
        boolean isVirtual = arguments[0].equals("virtual");
        int threads = Integer.parseInt(arguments[1]);
        String codec = arguments[2];
        int bytes = Integer.parseInt(arguments[3]);
        int operations = Integer.parseInt(arguments[4]);
        ValueFormat format = ValueFormat.builder()
                .writes(codec)
                .policy(new EncodingPolicy(0, 0, true))
                .build();
        format.startWriting();
        byte[] value = new byte[bytes];
        byte[] document = SmallJson.value(1, Math.min(bytes, 1_024));
        for (int at = 0; at < bytes; at += document.length) {
            System.arraycopy(document, 0, value, at, Math.min(document.length, bytes - at));
            value[at] = (byte) at;
        }
        roundTrips(format, value, operations / 20); // until it is compiled
        AtomicInteger wrong = new AtomicInteger();
        long begin = System.nanoTime();
        ExecutorService executor = executor(isVirtual, threads);
        for (int i = 0; i < threads; i++) {
            executor.submit(() -> {
                if (!roundTrips(format, value, operations / threads)) {
                    wrong.incrementAndGet();
                }
            });
        }
        executor.shutdown();
        if (!executor.awaitTermination(1, TimeUnit.HOURS) || wrong.get() > 0) {
            throw new IllegalStateException(wrong + " threads have read another value");
        }
        System.out.printf(
                "%s %d %s %d: %.2f s, %d MiB%n",
                arguments[0], threads, codec, bytes, (System.nanoTime() - begin) / 1e9, residentMib());
    }

    private static ExecutorService executor(boolean isVirtual, int threads) throws ReflectiveOperationException {
        return isVirtual
                ? (ExecutorService) Executors.class // Java 21
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null)
                : Executors.newFixedThreadPool(threads);
    }

    /** Yields after each, so that all threads have begun before the first one ends. */
    private static boolean roundTrips(ValueFormat format, byte[] value, int times) {
        for (int i = 0; i < times; i++) {
            if (!Arrays.equals(format.decode(format.encode(value)), value)) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    private static long residentMib() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElseThrow()
                >> 10;
    }
}
