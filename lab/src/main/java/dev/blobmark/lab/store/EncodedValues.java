package dev.blobmark.lab.store;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * A file of a dataset's values as one codec encodes them. It is what loading writes to a server and what fetches are
 * checked against, and it saves slow encoders from running twice. Any number of threads and processes may read it.
 *
 * <p>File format, big-endian: magic, count, XXH64 of everything that follows; the CPU time of encoding in nanoseconds,
 * or 0 if nothing is encoded or the time is unknown; per value its length, its encoded length and the XXH64 of the
 * unencoded value; then the encoded bytes of all values.
 */
public final class EncodedValues {

    static final int MAGIC = 0x424d5632; // "BMV2"; version 1 had no encoding time
    static final int HASHED_FROM = 4 + 4 + 8;
    static final int HEADER_BYTES = HASHED_FROM + 8;
    static final int INDEX_BYTES = 4 + 4 + 8;

    /** Enough for about 100 datasets of 32 MB, each under a few codecs. */
    private static final long CACHE_BYTES = 10L << 30;

    /** Longer than any block of a study takes. */
    private static final Duration IN_USE = Duration.ofHours(3);

    /** A file is mapped in parts, which begin at multiples of 2 to this power. */
    private static final int PART_SHIFT = 28;

    /** How far a part extends into the next one, so that each value is entirely in the part in which it begins. */
    private static final int OVERLAP_BYTES = 64 << 20;

    private static final XXHash64 HASH = XXHashFactory.fastestInstance().hash64();

    private final Path file;
    private final MappedByteBuffer[] parts;
    private final int count;

    /** The offset of each value's encoded bytes; only that of the first if all have the same encoded length. */
    private final long[] offsets;

    private final int maxLength;
    private final int maxStoredLength;
    private final long applicationBytes;
    private final long storedBytes;
    private final Set<SizeClass> sizeClasses = EnumSet.noneOf(SizeClass.class);

    /** Keeps only offsets that cannot be computed, so that ten million keys take no memory besides the mapped file. */
    private EncodedValues(Path file, MappedByteBuffer[] parts, long size, int count) throws IOException {
        this.file = file;
        this.parts = parts;
        this.count = count;
        int longest = 0;
        int longestStored = 0;
        int shortestStored = Integer.MAX_VALUE;
        long bytes = 0;
        long stored = 0;
        long begin = HEADER_BYTES + (long) count * INDEX_BYTES;
        for (int i = 0; i < count; i++) {
            int length = length(i);
            int encodedLength = storedLength(i);
            bytes += length;
            stored += encodedLength;
            if (length < 0 || encodedLength < 0 || encodedLength > OVERLAP_BYTES || begin + stored > size) {
                throw damaged(file);
            }
            longest = Math.max(longest, length);
            longestStored = Math.max(longestStored, encodedLength);
            shortestStored = Math.min(shortestStored, encodedLength);
            sizeClasses.add(SizeClass.of(length));
        }
        if (begin + stored != size) {
            throw damaged(file);
        }
        maxLength = longest;
        maxStoredLength = longestStored;
        applicationBytes = bytes;
        storedBytes = stored;
        offsets = new long[shortestStored == longestStored ? 1 : Math.max(1, count)];
        offsets[0] = begin;
        for (int i = 1; i < offsets.length; i++) {
            offsets[i] = offsets[i - 1] + storedLength(i - 1);
        }
    }

    private static int entry(int index) {
        return HEADER_BYTES + index * INDEX_BYTES;
    }

    private long offset(int index) {
        return offsets.length == count ? offsets[index] : offsets[0] + (long) index * maxStoredLength;
    }

    private static IOException damaged(Path file) {
        return new IOException(file + " is damaged; delete it, and it is created again");
    }

    /** The hash that identifies a value's content. */
    public static long hash(byte[] value, int offset, int length) {
        return HASH.hash(value, offset, length, 0);
    }

    /**
     * Opens the file of these values under this codec. Writes it first if it does not exist, is damaged, or may have
     * been written by another user.
     *
     * @param directory of all such files
     * @param encoded receives the application bytes encoded since its last call
     * @throws dev.blobmark.mysql.server.ServerException if other users may replace what is in the directory
     */
    public static EncodedValues of(Values values, Codec codec, Path directory, LongConsumer encoded)
            throws IOException {
        Path file = file(values, codec, directory);
        Trees.createPrivate(file.getParent());
        if (Files.exists(file) && Ownership.problem(file).isEmpty()) {
            try {
                EncodedValues existing = open(file, true);
                existing.codec(codec); // needs its dictionary
                Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
                encoded.accept(existing.applicationBytes());
                return existing;
            } catch (IOException damaged) {
                // replaced below, atomically: another process may be replacing it too
            }
        }
        EncodedValuesWriter.write(file, values, codec, encoded);
        return open(file, false);
    }

    /**
     * The file of these values under this codec, whether it exists or not. Each version of a codec's library has its
     * own file, since it may write other bytes.
     */
    public static Path file(Values values, Codec codec, Path directory) {
        return directory.resolve(values.digest().substring(0, 32)).resolve(fileName(codec));
    }

    private static String fileName(Codec codec) {
        String name = codec.id() + "-" + StoredCodec.family(codec).library();
        return name.replaceAll("[^A-Za-z0-9.+]+", "-") + ".values";
    }

    /** Opens the file of the same values under another codec, which {@link #of} created in the same directory. */
    public EncodedValues as(Codec codec) throws IOException {
        Path other = file.resolveSibling(fileName(codec));
        return other.equals(file) ? this : open(other);
    }

    /**
     * The codec that these values were encoded with.
     *
     * @param ofStudy the level of the factor
     */
    public Codec codec(Codec ofStudy) throws IOException {
        return StoredCodec.of(ofStudy, file);
    }

    /**
     * Deletes the least recently used files of a directory until the rest takes at most {@link #CACHE_BYTES}. Keeps
     * files that a run may still be using.
     */
    public static void prune(Path directory) throws IOException {
        prune(directory, CACHE_BYTES, Instant.now().minus(IN_USE));
    }

    static void prune(Path directory, long maxBytes, Instant unusedSince) throws IOException {
        Ownership.requireOfCache(directory);
        List<Path> files;
        try (Stream<Path> found = Files.exists(directory) ? Files.walk(directory, 2) : Stream.empty()) {
            files = found.filter(file -> file.toString().endsWith(".values"))
                    .sorted(Comparator.comparing(file -> file.toFile().lastModified()))
                    .toList();
        }
        long bytes = files.stream().mapToLong(file -> file.toFile().length()).sum();
        for (Path file : files) {
            if (bytes <= maxBytes || Files.getLastModifiedTime(file).toInstant().isAfter(unusedSince)) {
                return;
            }
            bytes -= Files.size(file);
            Files.delete(file);
            StoredCodec.deleteDictionary(file);
        }
    }

    /** Opens a file that {@link #of} created, possibly in another process. */
    public static EncodedValues open(Path file) throws IOException {
        return open(file, false);
    }

    private static EncodedValues open(Path file, boolean check) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < HEADER_BYTES) {
                throw damaged(file);
            }
            MappedByteBuffer[] parts = parts(channel, size);
            int count = parts[0].getInt(4);
            if (parts[0].getInt(0) != MAGIC
                    || count < 0
                    || HEADER_BYTES + (long) count * INDEX_BYTES > parts[0].capacity()) {
                throw damaged(file);
            }
            if (check && hash(parts) != parts[0].getLong(8)) {
                throw damaged(file);
            }
            return new EncodedValues(file, parts, size, count);
        }
    }

    /** Maps a file in parts, because a single buffer cannot exceed 2 GiB. */
    static MappedByteBuffer[] parts(FileChannel channel, long size) throws IOException {
        MappedByteBuffer[] parts = new MappedByteBuffer[(int) ((size - 1) >> PART_SHIFT) + 1];
        for (int i = 0; i < parts.length; i++) {
            long from = (long) i << PART_SHIFT;
            long length = Math.min(size - from, (1L << PART_SHIFT) + OVERLAP_BYTES);
            parts[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, length);
        }
        return parts;
    }

    /** The file's XXH64 from {@link #HASHED_FROM} on. Each part's hash is the seed of the next part's. */
    static long hash(MappedByteBuffer[] parts) {
        long hash = 0;
        for (int i = 0; i < parts.length; i++) {
            int from = i == 0 ? HASHED_FROM : 0;
            int end = Math.min(parts[i].capacity(), 1 << PART_SHIFT);
            hash = HASH.hash(parts[i], from, end - from, hash);
        }
        return hash;
    }

    public Path path() {
        return file;
    }

    public int count() {
        return count;
    }

    /** Length of a value in bytes. */
    public int length(int index) {
        return parts[0].getInt(entry(index));
    }

    /** Length of an encoded value in bytes. */
    public int storedLength(int index) {
        return offsets != null && offsets.length < count ? maxStoredLength : parts[0].getInt(entry(index) + 4);
    }

    /** XXH64 of a value, not of its encoded bytes. */
    public long hash(int index) {
        return parts[0].getLong(entry(index) + 8);
    }

    /** The encoded bytes of a value; the caller owns the array. */
    public byte[] stored(int index) {
        byte[] stored = new byte[storedLength(index)];
        copyStored(index, stored);
        return stored;
    }

    /** Copies the encoded bytes of a value to the start of an array and returns how many there are. */
    public int copyStored(int index, byte[] target) {
        long offset = offset(index);
        int part = (int) (offset >> PART_SHIFT);
        int length = storedLength(index);
        parts[part].get((int) (offset - ((long) part << PART_SHIFT)), target, 0, length);
        return length;
    }

    /** The size classes that occur among the unencoded values. */
    public Set<SizeClass> sizeClasses() {
        return Collections.unmodifiableSet(sizeClasses);
    }

    /** The number of values that take at most this many bytes when encoded. */
    public long countWithin(int storedBytes) {
        return IntStream.range(0, count)
                .filter(i -> storedLength(i) <= storedBytes)
                .count();
    }

    public int maxLength() {
        return maxLength;
    }

    public int maxStoredLength() {
        return maxStoredLength;
    }

    public long applicationBytes() {
        return applicationBytes;
    }

    public long storedBytes() {
        return storedBytes;
    }

    /**
     * Application bytes that were encoded per second of CPU time when the file was written; empty if nothing is encoded
     * or the time is unknown. A rough figure: each value was encoded once, with all cores busy.
     */
    public OptionalDouble encodedBytesPerSecond() {
        long nanos = parts[0].getLong(HASHED_FROM);
        return nanos > 0 ? OptionalDouble.of(applicationBytes * 1e9 / nanos) : OptionalDouble.empty();
    }

    /** The values of a file under the codec {@code none}, so that they need not be generated again. */
    public Values asValues(String digest) {
        return new Raw(this, digest);
    }

    private record Raw(EncodedValues file, String digest) implements Values {

        @Override
        public int count() {
            return file.count();
        }

        @Override
        public int length(int index) {
            return file.length(index);
        }

        @Override
        public byte[] get(int index) {
            return file.stored(index);
        }
    }
}
