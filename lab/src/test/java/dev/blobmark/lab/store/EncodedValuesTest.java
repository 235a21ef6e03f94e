package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EncodedValuesTest {

    private static final ListedValues SOME = ListedValues.random(50, 3_000);

    @TempDir
    private Path directory;

    private EncodedValues encoded(ListedValues values, String codec) throws IOException {
        return EncodedValues.of(values, Codecs.parse(codec), directory, bytes -> {});
    }

    private Path only() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .reduce((a, b) -> {
                        throw new AssertionError(a + " and " + b);
                    })
                    .orElseThrow();
        }
    }

    static Stream<String> codecs() {
        return Codecs.all().stream().map(family -> Codecs.parse(family.name()).id());
    }

    private static void assertSame(ListedValues values, EncodedValues encoded, Codec codec) {
        assertThat(encoded.count()).isEqualTo(values.count());
        for (int i = 0; i < values.count(); i++) {
            byte[] stored = encoded.stored(i);
            byte[] decoded = new byte[values.length(i)];
            assertThat(stored).hasSize(encoded.storedLength(i));
            assertThat(codec.decode(stored, 0, stored.length, decoded, 0, decoded.length))
                    .isEqualTo(decoded.length);
            assertThat(decoded).isEqualTo(values.get(i));
            assertThat(encoded.length(i)).isEqualTo(decoded.length);
            assertThat(encoded.hash(i))
                    .isEqualTo(EncodedValues.hash(decoded, 0, decoded.length))
                    .isEqualTo(XXHashFactory.safeInstance().hash64().hash(decoded, 0, decoded.length, 0));
            byte[] target = new byte[stored.length + 1];
            assertThat(encoded.copyStored(i, target)).isEqualTo(stored.length);
            assertThat(target).isEqualTo(Arrays.copyOf(stored, stored.length + 1));
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void comeBackAsTheyWere(String id) throws Exception {
        ListedValues values = ListedValues.of(
                new byte[0], new byte[] {' '}, "some text".getBytes(StandardCharsets.UTF_8), new byte[100_000]);

        EncodedValues fresh = encoded(values, id);
        EncodedValues known = encoded(values, id);
        EncodedValues opened = EncodedValues.open(fresh.path());

        for (EncodedValues each : List.of(fresh, known, opened)) {
            assertSame(values, each, Codecs.parse(id));
            assertThat(each.maxLength()).isEqualTo(100_000);
            assertThat(each.applicationBytes()).isEqualTo(100_010);
            assertThat(each.storedBytes())
                    .isEqualTo(
                            each.storedLength(0) + each.storedLength(1) + each.storedLength(2) + each.storedLength(3));
        }
    }

    /** A whole file with its hash, as somebody could make it who knows the format. */
    private static void forge(EncodedValues of) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(of.path()));
        bytes.putLong(EncodedValues.HASHED_FROM, 1);
        byte[] rest = Arrays.copyOfRange(bytes.array(), EncodedValues.HASHED_FROM, bytes.capacity());
        bytes.putLong(8, XXHashFactory.safeInstance().hash64().hash(rest, 0, rest.length, 0));
        Files.write(of.path(), bytes.array());
    }

    private static double claimed(EncodedValues forged) {
        return forged.applicationBytes() * 1e9;
    }

    @Test
    void aFileThatOthersMayHaveWrittenIsMadeAgain() throws Exception {
        forge(encoded(SOME, "zstd"));
        EncodedValues own = encoded(SOME, "zstd");
        assertThat(own.encodedBytesPerSecond()).hasValue(claimed(own)); // the forgery is a good one

        Files.setAttribute(own.path(), "unix:mode", 0666);
        EncodedValues again = encoded(SOME, "zstd");
        assertThat(again.encodedBytesPerSecond().orElse(0)).isLessThan(claimed(again));
        assertThat(Files.getAttribute(again.path(), "unix:mode")).isEqualTo(0100600);

        forge(again);
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Files.setAttribute(again.path(), "unix:uid", 54_321);
        again = encoded(SOME, "zstd");
        assertThat(again.encodedBytesPerSecond().orElse(0)).isLessThan(claimed(again));
    }

    @Test
    void aDirectoryInWhichOthersMayReplaceFilesIsRefused() throws Exception {
        Path file = encoded(SOME, "zstd").path();
        for (Path open : List.of(file.getParent(), directory)) {
            Files.setAttribute(open, "unix:mode", 0777);
            assertThatThrownBy(() -> encoded(SOME, "zstd"))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("other users may write to " + open);
            assertThatThrownBy(() -> encoded(SOME, "lz4")).isInstanceOf(ServerException.class);
            Files.setAttribute(open, "unix:mode", 0700);
        }
        Files.setAttribute(directory, "unix:mode", 0777);
        assertThatThrownBy(() -> EncodedValues.prune(directory)).isInstanceOf(ServerException.class);
    }

    @Test
    void noValuesAtAllAreAFileToo() throws Exception {
        assertThat(encoded(ListedValues.of(), "zstd").count()).isZero();
        assertThat(encoded(ListedValues.of(), "zstd").maxLength()).isZero();
    }

    @Test
    void eachCodecLevelLibraryVersionAndContentHasAFileOfItsOwn() throws Exception {
        List<Path> files = new ArrayList<>();
        for (String codec : List.of("zstd:3", "zstd:4", "deflate:6", "deflate:6+len", "zlib:6", "lz4", "lz4hc:9")) {
            files.add(encoded(SOME, codec).path());
        }
        files.add(encoded(ListedValues.random(50, 3_001), "zstd:3").path());

        assertThat(files)
                .doesNotHaveDuplicates()
                .allSatisfy(file -> assertThat(file).isRegularFile());
        assertThat(files.get(0).getFileName().toString())
                .startsWith("zstd-3-zstd-jni-")
                .contains(com.github.luben.zstd.util.ZstdVersion.VERSION)
                .endsWith(".values");
    }

    @Test
    void tellsTheBytesItHasEncodedAndThoseItNeedNot() throws Exception {
        AtomicLong told = new AtomicLong();

        EncodedValues.of(SOME, Codecs.parse("zstd"), directory, told::addAndGet);
        assertThat(told.getAndSet(0)).isEqualTo(150_000);
        EncodedValues.of(SOME, Codecs.parse("zstd"), directory, told::addAndGet);
        assertThat(told).hasValue(150_000);
    }

    @Test
    void knownValuesAreNotEncodedAgain() throws Exception {
        Path file = encoded(SOME, "zstd").path();
        Object key = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                .fileKey();

        encoded(SOME, "zstd");

        assertThat(Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                        .fileKey())
                .isEqualTo(key);
    }

    /** Without its checksum, and how long encoding took: no two files have the same. */
    private static byte[] untimed(byte[] file) {
        return ByteBuffer.wrap(file.clone()).putLong(8, 0).putLong(16, 0).array();
    }

    @Test
    void howFastValuesWereEncodedIsKeptWithThem() throws Exception {
        OptionalDouble made = encoded(SOME, "gzip").encodedBytesPerSecond();

        assertThat(made.orElseThrow()).isBetween(1e5, 1e10);
        assertThat(encoded(SOME, "gzip").encodedBytesPerSecond()).isEqualTo(made);
        assertThat(encoded(SOME, "none").encodedBytesPerSecond()).isEmpty();
    }

    /** Of such a file it is not known how long encoding took. */
    @Test
    void aFileOfTheFirstVersionIsMadeAgain() throws Exception {
        Path file = encoded(SOME, "lz4").path();
        byte[] whole = Files.readAllBytes(file);
        byte[] first = ByteBuffer.allocate(whole.length - 8)
                .put(whole, 0, 16)
                .put(whole, 24, whole.length - 24)
                .putInt(0, 0x424d5631)
                .array();
        ByteBuffer.wrap(first)
                .putLong(8, XXHashFactory.fastestInstance().hash64().hash(first, 16, first.length - 16, 0));
        Files.write(file, first);

        EncodedValues again = encoded(SOME, "lz4");

        assertSame(SOME, again, Codecs.parse("lz4"));
        assertThat(again.encodedBytesPerSecond()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 5, 6, 7, 8, 15, 16, 20, 31, 40, 24 + 50 * 16 - 1, 24 + 50 * 16, -1})
    void aFlippedBitIsFoundAndTheFileMadeAgain(int place) throws Exception {
        Path file = encoded(SOME, "lz4").path();
        byte[] whole = Files.readAllBytes(file);
        for (int bit = 0; bit < 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[place < 0 ? whole.length + place : place] ^= (byte) (1 << bit);
            Files.write(file, damaged);

            assertSame(SOME, encoded(SOME, "lz4"), Codecs.parse("lz4"));
            assertThat(untimed(Files.readAllBytes(file))).isEqualTo(untimed(whole));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 17, 24, 500, 30_000, -1})
    void aTruncatedFileIsMadeAgain(int length) throws Exception {
        Path file = encoded(SOME, "lz4").path();
        byte[] whole = Files.readAllBytes(file);
        byte[] part = Arrays.copyOf(whole, length < 0 ? whole.length + length : length);
        Files.write(file, part);

        assertThatThrownBy(() -> EncodedValues.open(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + " is damaged; delete it, and it is created again");
        assertSame(SOME, encoded(SOME, "lz4"), Codecs.parse("lz4"));
        assertThat(untimed(Files.readAllBytes(file))).isEqualTo(untimed(whole));
    }

    @Test
    void whatAKilledWriterLeftIsNotTaken() throws Exception {
        Path file = EncodedValues.file(SOME, Codecs.parse("lz4"), directory);
        Files.createDirectories(file.getParent());
        Path left = Files.write(file.resolveSibling("part-1.tmp"), new byte[100]);

        assertSame(SOME, encoded(SOME, "lz4"), Codecs.parse("lz4"));

        assertThat(left).hasSize(100);
    }

    @Test
    void anInterruptedWriterLeavesNothing() throws Exception {
        assertThatThrownBy(() -> EncodedValues.of(SOME, Codecs.parse("lz4"), directory, bytes -> {
                    throw new IllegalStateException("stop");
                }))
                .hasMessage("stop");

        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void whatIsMappedStaysWhenTheFileIsReplaced() throws Exception {
        EncodedValues before = encoded(SOME, "zstd");
        Files.move(
                encoded(ListedValues.random(20, 5_000), "none").path(),
                before.path(),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        assertSame(SOME, before, Codecs.parse("zstd"));
    }

    @Test
    @Tag("long")
    void valuesOfAllPartsOfALargeFileComeBack() throws Exception {
        Values values = new Megabytes(265); // of which one reaches from the first part into the second

        EncodedValues fresh = EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
        assertThat(Files.size(fresh.path())).isGreaterThan(1L << 28);
        assertSame(values, fresh);
        assertSame(values, EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {}));

        try (RandomAccessFile file = new RandomAccessFile(fresh.path().toFile(), "rw")) {
            file.seek(file.length() - 1);
            file.write(99);
        }
        assertSame(values, EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {}));
    }

    private static void assertSame(Values values, EncodedValues encoded) {
        assertThat(encoded.count()).isEqualTo(values.count());
        for (int i = 0; i < values.count(); i++) {
            assertThat(Arrays.equals(encoded.stored(i), values.get(i)))
                    .as("value %d", i)
                    .isTrue();
        }
    }

    /** Values of a megabyte and some bytes, made when they are asked for. */
    private record Megabytes(int count) implements Values {

        @Override
        public int length(int index) {
            return (1 << 20) + index % 7;
        }

        @Override
        public byte[] get(int index) {
            byte[] value = new byte[length(index)];
            Arrays.fill(value, (byte) (index * 31));
            return value;
        }

        @Override
        public String digest() {
            return "ab".repeat(32);
        }
    }

    @Test
    void moreThanSixteenGigabytesAreRefusedBeforeAnythingIsEncoded() {
        Values values = new Values() {
            @Override
            public int count() {
                return 257;
            }

            @Override
            public int length(int index) {
                return 64 << 20;
            }

            @Override
            public byte[] get(int index) {
                throw new AssertionError("makes a value");
            }

            @Override
            public String digest() {
                return "ab".repeat(32);
            }
        };

        assertThatThrownBy(() -> EncodedValues.of(values, new Untouched(), directory, bytes -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("the values take " + (257L * (64 << 20))
                        + " bytes, and at most 16 GiB can be loaded; use fewer or smaller values");
    }

    /** A codec that must not be used. */
    private static final class Untouched implements Codec {
        @Override
        public String id() {
            return "none";
        }

        @Override
        public int maxEncodedLength(int length) {
            throw new AssertionError("encodes");
        }

        @Override
        public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
            throw new AssertionError("encodes");
        }

        @Override
        public int decode(
                byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
            throw new AssertionError("decodes");
        }
    }

    /** A codec that loses the last byte: its values must never reach a server. */
    @Test
    void aCodecThatLosesSomethingIsFoundOut() {
        Codec none = Codecs.parse("none");
        Codec lossy = new Codec() {
            @Override
            public String id() {
                return "none";
            }

            @Override
            public int maxEncodedLength(int length) {
                return length;
            }

            @Override
            public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
                return none.encode(source, sourceOffset, sourceLength, target, targetOffset);
            }

            @Override
            public int decode(
                    byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
                return none.decode(source, sourceOffset, sourceLength - 1, target, targetOffset, maxLength);
            }
        };

        assertThatThrownBy(() -> EncodedValues.of(SOME, lossy, directory, bytes -> {}))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("none does not decode a value to what it encoded");
    }

    @Test
    void manyMayWriteAndReadTheSameFileAtOnce() throws Exception {
        int threads = 8;
        ExecutorService all = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(threads);
        List<Future<EncodedValues>> results = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            results.add(all.submit(() -> {
                start.countDown();
                start.await();
                return encoded(SOME, "zstd");
            }));
        }
        for (Future<EncodedValues> result : results) {
            assertSame(SOME, result.get(), Codecs.parse("zstd"));
        }
        EncodedValues shared = results.get(0).get();
        List<Future<Long>> readers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long seed = i;
            readers.add(all.submit(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                byte[] stored = new byte[10_000];
                byte[] decoded = new byte[3_000];
                for (int n = 0; n < 5_000; n++) {
                    int row = random.nextInt(SOME.count());
                    int length =
                            Codecs.parse("zstd").decode(stored, 0, shared.copyStored(row, stored), decoded, 0, 3_000);
                    if (length != 3_000 || EncodedValues.hash(decoded, 0, length) != shared.hash(row)) {
                        throw new AssertionError("row " + row);
                    }
                }
                return seed;
            }));
        }
        for (Future<Long> reader : readers) {
            reader.get();
        }
        all.shutdown();
        assertThat(only()).isEqualTo(shared.path());
    }

    @Test
    void valuesThemselvesAreReadFromTheFileOfNone() throws Exception {
        var raw = encoded(SOME, "none").asValues(SOME.digest());

        assertThat(raw.count()).isEqualTo(SOME.count());
        assertThat(raw.digest()).isEqualTo(SOME.digest());
        assertThat(raw.get(7)).isEqualTo(SOME.get(7));
        assertThat(raw.length(7)).isEqualTo(3_000);
    }

    @Test
    void prunesThoseUsedLongestAgoAndNoneThatMayBeInUse() throws Exception {
        Instant now = Instant.parse("2026-11-21T12:00:00Z");
        List<Path> files = new ArrayList<>();
        for (int hoursAgo : new int[] {1, 8, 5, 6}) {
            Path file =
                    encoded(ListedValues.random(10, 1_000 + hoursAgo), "none").path();
            Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofHours(hoursAgo))));
            files.add(file);
        }
        long two = Files.size(files.get(0)) + Files.size(files.get(2));

        EncodedValues.prune(directory, two, now.minus(Duration.ofHours(3)));
        assertThat(files).extracting(Files::exists).containsExactly(true, false, true, false);

        EncodedValues.prune(directory, 0, now.minus(Duration.ofHours(3)));
        assertThat(files).extracting(Files::exists).containsExactly(true, false, false, false);
    }

    @Test
    void hasNothingToPruneWhereThereIsNothing() throws Exception {
        EncodedValues.prune(directory.resolve("never made"));

        assertThat(directory).isEmptyDirectory();
    }
}
