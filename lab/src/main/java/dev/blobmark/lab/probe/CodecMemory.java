package dev.blobmark.lab.probe;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.machine.Subprocess;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.ToLongFunction;

/**
 * The memory that a thread needs while it encodes and decodes a value: how much the resident memory of a process grows
 * at most meanwhile, native memory and Java's heap together, less what {@code none} needs. The caller's buffers do not
 * count.
 *
 * <p>Each codec is measured in a JVM of its own, in a fresh thread. In a shared one, an allocator would reuse memory of
 * another codec, and contexts of ended threads would be closed during a measurement. That JVM only interprets: a
 * compiler's memory would count. Libraries are loaded before.
 */
public final class CodecMemory implements ToLongFunction<String> {

    private static final Path STATUS = Path.of("/proc/self/status");

    /** Linux sets {@code VmHWM} to {@code VmRSS} when 5 is written to it (proc(5)). */
    private static final Path RESET = Path.of("/proc/self/clear_refs");

    /** Loads a library, and needs little itself. */
    private static final int FIRST_BYTES = 64;

    private static final long HEAP_MEGABYTES = 64;
    private static final long HEAP_FOR_EACH_MEGABYTE = 16;

    private final byte[] value;
    private final long none;

    /**
     * @param value that is encoded and decoded
     * @throws IllegalStateException if the memory cannot be measured here
     */
    public CodecMemory(byte[] value) {
        requireMeasurable();
        this.value = value;
        none = growth("none");
    }

    /** @throws IllegalStateException if the memory cannot be measured here; the message says why */
    public static void requireMeasurable() {
        try {
            reset();
            status("VmHWM");
        } catch (IOException e) {
            throw new IllegalStateException(
                    "memory can be measured on Linux only, and " + RESET + " must be writable: " + e.getMessage(), e);
        }
    }

    /**
     * Bytes that a thread needs for a codec; they vary by some 100 KB.
     *
     * @throws IllegalStateException if the codec fails, as without enough memory
     */
    @Override
    public long applyAsLong(String codec) {
        return Math.max(0, growth(codec) - none);
    }

    private long growth(String codec) {
        long heap = HEAP_MEGABYTES + HEAP_FOR_EACH_MEGABYTE * (value.length >> 20);
        ProcessBuilder command = Subprocess.of(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xint",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xms" + heap + "m",
                "-Xmx" + heap + "m",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path"),
                CodecMemory.class.getName(),
                codec));
        command.redirectError(ProcessBuilder.Redirect.DISCARD);
        // glibc returns memory that is freed at once, instead of using it again
        command.environment().putAll(Map.of("MALLOC_MMAP_THRESHOLD_", "16384", "MALLOC_TRIM_THRESHOLD_", "0"));
        try {
            Process process = command.start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(value);
            }
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the memory of " + codec + " could not be measured for a value of "
                        + value.length + " bytes: exit code " + process.exitValue());
            }
            return Long.parseLong(answer);
        } catch (IOException e) {
            throw new IllegalStateException("the memory of " + codec + " could not be measured: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Measures one codec: writes to standard output by how many bytes the process grew.
     *
     * @param arguments id of the codec; the value is read from standard input
     */
    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        Codec codec = Codecs.parse(arguments[0]);
        byte[] value = System.in.readAllBytes();
        byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
        byte[] decoded = new byte[value.length];
        inThread(codec, Arrays.copyOf(value, Math.min(FIRST_BYTES, value.length)), encoded, decoded);
        Codecs.releaseContexts(); // so that the value needs contexts of its own
        long growth = inThread(codec, value, encoded, decoded);
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write(Long.toString(growth).getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static long inThread(Codec codec, byte[] value, byte[] encoded, byte[] decoded)
            throws InterruptedException, ExecutionException {
        FutureTask<Long> task = new FutureTask<>(() -> {
            reset();
            long before = status("VmRSS");
            int length = codec.encode(value, 0, value.length, encoded, 0);
            codec.decode(encoded, 0, length, decoded, 0, value.length);
            return status("VmHWM") - before;
        });
        new Thread(task, "measured").start();
        return task.get();
    }

    private static void reset() throws IOException {
        Files.writeString(RESET, "5");
    }

    /** A field in bytes. */
    private static long status(String field) throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new IOException(STATUS + " has no " + field));
    }
}
