package dev.blobmark.lab.store;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Encodes values on all cores and writes them to the file that {@link EncodedValues} reads. */
final class EncodedValuesWriter {

    /** A limit on what can be loaded, so that a mistake in a study does not fill the disk. */
    private static final long MAX_BYTES = 16L << 30;

    /** Small values are encoded and written in batches of this size. */
    private static final long STEP_BYTES = 1 << 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private EncodedValuesWriter() {}

    /**
     * Writes a file and moves it into place atomically, so that others never see an incomplete file.
     *
     * @param encoded receives the application bytes encoded since its last call
     */
    static void write(Path file, Values values, Codec ofStudy, LongConsumer encoded) throws IOException {
        int count = values.count();
        // before hours are spent on encoding
        if (values.totalLength() > MAX_BYTES) {
            throw new IOException("the values take " + values.totalLength()
                    + " bytes, and at most 16 GiB can be loaded; use fewer or smaller values");
        }
        Trees.createPrivate(file.getParent());
        Codec codec = StoredCodec.trained(ofStudy, values, file);
        Path part = Files.createTempFile(file.getParent(), "part-", ".tmp");
        try (FileChannel channel = FileChannel.open(
                part, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer head = ByteBuffer.allocate(EncodedValues.HEADER_BYTES + count * EncodedValues.INDEX_BYTES);
            head.position(EncodedValues.HEADER_BYTES);
            long end = head.capacity();
            long nanos = 0;
            int step = Math.max(4 * Runtime.getRuntime().availableProcessors(), (int)
                    (STEP_BYTES / Math.max(1, values.totalLength() / Math.max(1, count))));
            for (int from = 0; from < count; from += step) {
                List<EncodedValue> batch = IntStream.range(from, Math.min(count, from + step))
                        .parallel()
                        .mapToObj(i -> EncodedValue.of(values.get(i), codec))
                        .toList();
                long done = 0;
                ByteBuffer stored = ByteBuffer.allocate(
                        batch.stream().mapToInt(value -> value.stored.length).sum());
                for (EncodedValue value : batch) {
                    head.putInt(value.length).putInt(value.stored.length).putLong(value.hash);
                    stored.put(value.stored);
                    done += value.length;
                    nanos += value.encodeNanos;
                }
                end += writeFully(channel, stored.flip(), end);
                encoded.accept(done);
            }
            writeFully(
                    channel,
                    head.putInt(0, EncodedValues.MAGIC)
                            .putInt(4, count)
                            .putLong(EncodedValues.HASHED_FROM, nanos)
                            .rewind(),
                    0);
            writeFully(
                    channel,
                    ByteBuffer.allocate(8).putLong(0, EncodedValues.hash(EncodedValues.parts(channel, end))),
                    8);
            channel.force(false);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static int writeFully(FileChannel channel, ByteBuffer from, long position) throws IOException {
        int length = from.remaining();
        while (from.hasRemaining()) {
            position += channel.write(from, position);
        }
        return length;
    }

    private record EncodedValue(int length, long hash, byte[] stored, long encodeNanos) {

        /** Encodes a value, and verifies that decoding restores it. */
        static EncodedValue of(byte[] value, Codec codec) {
            byte[] target = new byte[codec.maxEncodedLength(value.length)];
            boolean isTimed = !codec.id().equals("none") && THREADS.isCurrentThreadCpuTimeSupported();
            long cpuNanos = isTimed ? THREADS.getCurrentThreadCpuTime() : 0;
            int storedLength = codec.encode(value, 0, value.length, target, 0);
            cpuNanos = isTimed ? THREADS.getCurrentThreadCpuTime() - cpuNanos : 0;
            byte[] stored = Arrays.copyOf(target, storedLength);
            byte[] decoded = new byte[value.length];
            int length = codec.decode(stored, 0, stored.length, decoded, 0, decoded.length);
            if (length != value.length || !Arrays.equals(value, decoded)) {
                throw new WrongValueException(codec.id() + " does not decode a value to what it encoded");
            }
            return new EncodedValue(value.length, EncodedValues.hash(value, 0, value.length), stored, cpuNanos);
        }
    }
}
