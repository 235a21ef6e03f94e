package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every codec promises. A subclass names the ids to hold to it; the first one also gets the 16 MiB values, so let
 * it be a fast one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CodecContract {

    /** Found on both sides of every range that a codec may write to, and checked after each call. */
    static final byte CANARY = (byte) 0xA5;

    private static final int MARGIN = 37;
    private static final int MIB = 1 << 20;
    private static final Set<String> LOADED = ConcurrentHashMap.newKeySet();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final byte[] TEXT = ("https://blob.example/a/b?id=42 https://blob.example/a/c?id=43 "
                    + "a value short enough to try all its prefixes and bits, and long enough to hold a match")
            .getBytes(StandardCharsets.UTF_8);

    private final List<Codec> codecs;

    CodecContract(String... ids) {
        codecs = Stream.of(ids).map(Codecs::parse).toList();
    }

    /**
     * Whether a flipped bit must be noticed: the codec must then fail or, where the bit means nothing, give the value.
     */
    abstract boolean checksummed();

    List<Codec> codecs() {
        return codecs;
    }

    Stream<Codec> first() {
        return codecs.stream().limit(1);
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void namesItselfSoThatParsingTheNameGivesItBack(Codec codec) {
        assertThat(Codecs.parse(codec.id())).isSameAs(codec);
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackEveryShortLength(Codec codec) {
        for (int length = 0; length <= 300; length++) {
            assertRoundTrip(codec, Arrays.copyOf(TEXT, length));
            assertRoundTrip(codec, Samples.incompressible(length, length));
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackEveryByte(Codec codec) {
        for (int b = 0; b < 256; b++) assertRoundTrip(codec, new byte[] {(byte) b});
    }

    /**
     * Lengths around the blocks and windows of the formats: 16, 32, 64 and 128 KiB, and the 65,535 bytes of deflate.
     */
    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackLengthsAroundBlocks(Codec codec) {
        for (int block : new int[] {1 << 14, 1 << 15, 65_535, 1 << 16, 1 << 17}) {
            for (int length = block - 1; length <= block + 1; length++) {
                assertRoundTrip(codec, Samples.incompressible(length, length));
                assertRoundTrip(codec, new byte[length]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("first")
    void givesBack16MiB(Codec codec) {
        assertRoundTrip(codec, Samples.structured(16 * MIB, 1));
        assertRoundTrip(codec, Samples.incompressible(16 * MIB, 2));
        assertRoundTrip(codec, new byte[16 * MIB]);
    }

    /** Values drawn from a grammar of runs, repeats and noise; a failure names the seed that makes the value again. */
    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackValuesOfAnyStructure(Codec codec) {
        for (int seed = 0; seed < 100; seed++) {
            byte[] value = Samples.structured(Samples.length(seed), seed);
            try {
                assertRoundTrip(codec, value);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(codec.id() + ", seed " + seed + ", " + value.length + " bytes", e);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void boundIsNeverBelowTheEncodedSize(Codec codec) {
        int before = 0;
        for (int length : new int[] {0, 1, 2, 100, 4095, 4096, 65_536, 1_000_000, 100_000_000, Codec.MAX_LENGTH - 1}) {
            int bound = codec.maxEncodedLength(length);
            assertThat(bound).isGreaterThanOrEqualTo(before).isGreaterThanOrEqualTo(length);
            before = bound;
        }
        assertThatThrownBy(() -> codec.maxEncodedLength(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> codec.maxEncodedLength(Codec.MAX_LENGTH + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(codec.id());
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void encodesIntoATargetOfExactlyTheEncodedSizeAndFailsOneByteBelow(Codec codec) {
        for (byte[] value : Samples.various()) {
            byte[] encoded = encode(codec, value);
            assertThat(encodeInto(codec, value, encoded.length)).isEqualTo(encoded);
            for (int room : IntStream.of(0, 1, 2, 3, 4, 5, encoded.length / 2, encoded.length - 1)
                    .filter(room -> room >= 0 && room < encoded.length)
                    .toArray()) {
                assertThatThrownBy(() -> encodeInto(codec, value, room))
                        .as("%s, %d bytes into %d", codec.id(), encoded.length, room)
                        .isInstanceOfSatisfying(
                                CodecException.class, e -> assertThat(e.codec()).isEqualTo(codec.id()))
                        .hasMessage(codec.id() + ": the encoded value does not fit into the target");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void decodesIntoExactlyTheLengthAndFailsOneByteBelow(Codec codec) {
        for (byte[] value : Samples.various()) {
            byte[] encoded = encode(codec, value);
            assertThat(decode(codec, encoded, value.length)).isEqualTo(value);
            assertThat(decode(codec, encoded, value.length + 1)).isEqualTo(value);
            assertThat(decode(codec, encoded, value.length + 100_000)).isEqualTo(value);
            for (int bound : IntStream.of(0, 1, value.length / 2, value.length - 1)
                    .filter(bound -> bound >= 0 && bound < value.length)
                    .toArray()) {
                assertThatThrownBy(() -> decode(codec, encoded, bound))
                        .as("%s, %d bytes into %d", codec.id(), value.length, bound)
                        .isInstanceOf(CodecException.class)
                        .hasMessage(codec.id() + ": the value is longer than the " + bound + " bytes allowed");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void failsOnEveryTruncatedPrefix(Codec codec) {
        for (byte[] value :
                List.of(TEXT, Samples.incompressible(100, 1), new byte[3000], new byte[] {7}, new byte[0])) {
            byte[] encoded = encode(codec, value);
            // a value that is encoded as no bytes at all (none, mysql) makes the empty prefix a complete value
            int shortest = encode(codec, new byte[0]).length == 0 ? 1 : 0;
            for (int length = shortest; length < encoded.length; length++) {
                byte[] prefix = Arrays.copyOf(encoded, length);
                if (codec.isIdentity()) {
                    assertThat(decode(codec, prefix, value.length)).isEqualTo(prefix);
                } else {
                    assertThatThrownBy(() -> decode(codec, prefix, value.length + 100))
                            .as("%s, %d of %d bytes", codec.id(), length, encoded.length)
                            .isInstanceOf(CodecException.class);
                }
            }
        }
    }

    /** Whether encoded values that follow each other are one value. */
    boolean readsSeveral() {
        return false;
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void failsOnBytesAfterTheValue(Codec codec) {
        if (codec.isIdentity()) return;
        byte[] encoded = encode(codec, TEXT);
        for (int tail = 0; tail < 256; tail++) {
            byte[] longer = Arrays.copyOf(encoded, encoded.length + 1);
            longer[encoded.length] = (byte) tail;
            assertThatThrownBy(() -> decode(codec, longer, TEXT.length + 1000))
                    .as("%s, followed by %d", codec.id(), tail)
                    .isInstanceOf(CodecException.class);
        }
        byte[] twice = Arrays.copyOf(encoded, encoded.length * 2);
        System.arraycopy(encoded, 0, twice, encoded.length, encoded.length);
        if (readsSeveral()) {
            byte[] both = decode(codec, twice, TEXT.length * 2);
            assertThat(both).startsWith(TEXT).endsWith(TEXT).hasSize(TEXT.length * 2);
            return;
        }
        assertThatThrownBy(() -> decode(codec, twice, TEXT.length * 3))
                .as("%s, two values", codec.id())
                .isInstanceOf(CodecException.class);
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void survivesEveryFlippedBit(Codec codec) {
        int noticed = 0;
        for (byte[] value : List.of(TEXT, Samples.incompressible(90, 1), new byte[2000])) {
            byte[] encoded = encode(codec, value);
            for (int bit = 0; bit < encoded.length * 8; bit++) {
                byte[] flipped = encoded.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                try {
                    byte[] decoded = decode(codec, flipped, value.length + 1000);
                    if (checksummed())
                        assertThat(decoded).as("%s, bit %d", codec.id(), bit).isEqualTo(value);
                } catch (CodecException e) {
                    noticed++;
                    assertThat(e).hasMessageStartingWith(codec.id() + ": ");
                }
            }
        }
        assertThat(noticed > 0).as("%s notices some", codec.id()).isEqualTo(!codec.isIdentity());
    }

    /** What is no encoded value at all: noise, and real values with a few bytes replaced. */
    @ParameterizedTest
    @MethodSource("codecs")
    void survivesNoise(Codec codec) {
        byte[] encoded = encode(codec, Samples.structured(20_000, 5));
        for (int seed = 0; seed < 500; seed++) {
            byte[] noise = Samples.incompressible(1 + seed, seed);
            decodeOrFail(codec, noise);
            UniformRandomProvider random = Samples.random(seed);
            byte[] damaged = encoded.clone();
            for (int i = random.nextInt(5); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            decodeOrFail(codec, damaged);
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void decodesAValueWhoseLengthIsNotKnown(Codec codec) {
        List<byte[]> values = new ArrayList<>(Samples.various());
        values.add(new byte[MIB]);
        for (byte[] value : values) {
            byte[] encoded = encode(codec, value);
            assertThat(codec.decode(encoded, value.length)).isEqualTo(value);
            assertThat(codec.decode(encoded, Codec.MAX_LENGTH)).isEqualTo(value);
            for (int bound : new int[] {0, value.length / 2, value.length - 1}) {
                if (bound < 0 || bound >= value.length) continue;
                assertThatThrownBy(() -> codec.decode(encoded, bound))
                        .isInstanceOf(CodecException.class)
                        .hasMessage(codec.id() + ": the value is longer than the " + bound + " bytes allowed");
            }
        }
        assertThatThrownBy(() -> codec.decode(new byte[0], -1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** What is damaged for the one method is damaged for the other, and the value is the same. */
    @ParameterizedTest
    @MethodSource("codecs")
    void decodesDamagedBytesAsIntoATarget(Codec codec) {
        UniformRandomProvider random = Samples.random(12);
        for (byte[] value : List.of(TEXT, Samples.incompressible(90, 1), new byte[2000])) {
            byte[] encoded = encode(codec, value);
            for (int length = 0; length < encoded.length; length++) {
                assertDecodesAsIntoATarget(codec, Arrays.copyOf(encoded, length));
            }
            for (int bit = 0; bit < encoded.length * 8; bit++) {
                byte[] flipped = encoded.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                assertDecodesAsIntoATarget(codec, flipped);
            }
            for (int i = 0; i < 200; i++) {
                byte[] noise = new byte[random.nextInt(64)];
                random.nextBytes(noise);
                System.arraycopy(encoded, 0, noise, 0, Math.min(encoded.length, noise.length / 2));
                assertDecodesAsIntoATarget(codec, noise);
            }
        }
    }

    private static void assertDecodesAsIntoATarget(Codec codec, byte[] encoded) {
        int maxLength = 20_000;
        byte[] expected = decodedOrNull(() -> decode(codec, encoded, maxLength));
        assertThat(decodedOrNull(() -> codec.decode(encoded, maxLength)))
                .as("%s, %s", codec.id(), HexFormat.of().formatHex(encoded))
                .isEqualTo(expected);
    }

    private static byte[] decodedOrNull(Supplier<byte[]> decode) {
        try {
            return decode.get();
        } catch (CodecException e) {
            return null;
        }
    }

    /** Zeros are what the formats encode best. */
    @ParameterizedTest
    @MethodSource("codecs")
    void boundIsNeverBelowTheDecodedLength(Codec codec) {
        assertBound(codec, MIB);
        assertThat(codec.maxDecodedLength(Integer.MAX_VALUE)).isGreaterThanOrEqualTo(Integer.MAX_VALUE);
        assertThatThrownBy(() -> codec.maxDecodedLength(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("first")
    void boundIsNeverBelowTheDecodedLengthOf64MiB(Codec codec) {
        for (int length = 2 * MIB; length <= 64 * MIB; length *= 2) assertBound(codec, length);
    }

    private static void assertBound(Codec codec, int length) {
        byte[] encoded = encode(codec, new byte[length]);
        assertThat(codec.maxDecodedLength(encoded.length)).as(codec.id()).isGreaterThanOrEqualTo(length);
        assertThat(codec.decode(encoded, length)).hasSize(length);
    }

    /** Short bytes that state any length make no codec allocate it. */
    @ParameterizedTest
    @MethodSource("codecs")
    void allocatesNoMoreThanItsBound(Codec codec) {
        byte[] encoded = encode(codec, TEXT);
        codec.decode(encoded, TEXT.length);
        for (int at = 0; at < encoded.length; at++) {
            for (int count = 1; count <= 4 && at + count <= encoded.length; count++) {
                byte[] damaged = encoded.clone();
                Arrays.fill(damaged, at, at + count, (byte) 0x3F);
                long before = THREADS.getCurrentThreadAllocatedBytes();
                byte[] decoded = decodedOrNull(() -> codec.decode(damaged, Codec.MAX_LENGTH));
                long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
                long grown = 8L * (decoded == null ? 0 : decoded.length) + MIB;
                assertThat(allocated)
                        .as("%s, %d bytes from %d", codec.id(), count, at)
                        .isLessThan(Math.max(grown, Math.min(codec.maxDecodedLength(encoded.length), 64 * MIB)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void rejectsRangesOutsideTheArrays(Codec codec) {
        byte[] ten = new byte[10];
        byte[] room = new byte[codec.maxEncodedLength(10)];
        for (int[] range : new int[][] {{-1, 1}, {0, 11}, {11, 0}, {5, 6}, {0, -1}, {1, Integer.MAX_VALUE}}) {
            assertThatThrownBy(() -> codec.encode(ten, range[0], range[1], room, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> codec.decode(ten, range[0], range[1], room, 0, room.length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> codec.decode(room, 0, room.length, ten, range[0], range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        for (int offset : new int[] {-1, room.length + 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> codec.encode(ten, 0, 10, room, offset))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void keepsNoStateBetweenCalls(Codec codec) {
        List<byte[]> values = Samples.various();
        List<byte[]> encoded =
                values.stream().map(value -> encode(codec, value)).toList();
        UniformRandomProvider random = Samples.random(11);
        for (int i = 0; i < 150; i++) {
            int pick = random.nextInt(values.size());
            byte[] bytes = encoded.get(pick);
            switch (random.nextInt(4)) {
                case 0 -> assertThat(encode(codec, values.get(pick))).isEqualTo(bytes);
                case 1 ->
                    assertThat(decode(codec, bytes, values.get(pick).length)).isEqualTo(values.get(pick));
                case 2 -> decodeOrFail(codec, Arrays.copyOf(bytes, bytes.length / 2));
                default -> {
                    if (bytes.length > 0) {
                        assertThatThrownBy(() -> encodeInto(codec, values.get(pick), bytes.length - 1))
                                .isInstanceOf(CodecException.class);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void isSafeInEightThreadsAtOnce(Codec codec) throws Exception {
        List<byte[]> values = Samples.various();
        List<byte[]> encoded =
                values.stream().map(value -> encode(codec, value)).toList();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            CyclicBarrier start = new CyclicBarrier(8);
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                UniformRandomProvider random = Samples.random(100 + thread);
                tasks.add(() -> {
                    start.await();
                    for (int i = 0; i < 10; i++) {
                        int pick = random.nextInt(values.size());
                        assertThat(encode(codec, values.get(pick))).isEqualTo(encoded.get(pick));
                        assertThat(decode(codec, encoded.get(pick), values.get(pick).length + 1))
                                .isEqualTo(values.get(pick));
                    }
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(tasks)) done.get();
        } finally {
            threads.shutdownNow();
        }
    }

    /** A codec that copied the value in Java, once, would allocate 100,000 bytes per call. */
    @ParameterizedTest
    @MethodSource("codecs")
    void allocatesNextToNothing(Codec codec) {
        byte[] value = Samples.structured(100_000, 6);
        byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
        byte[] decoded = new byte[value.length];
        int length = codec.encode(value, 0, value.length, encoded, 0);
        codec.decode(encoded, 0, length, decoded, 0, decoded.length);
        long least = Long.MAX_VALUE; // what happens once is of no interest: a class is loaded, a method is compiled
        for (int i = 0; i < 20; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            codec.encode(value, 0, value.length, encoded, 0);
            codec.decode(encoded, 0, length, decoded, 0, decoded.length);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least)
                .as("%s, bytes in the call with the fewest", codec.id())
                .isLessThan(5_000);
    }

    @Test
    void decodesWhatItsOtherLevelsWrote() {
        for (Codec writer : codecs) {
            for (Codec reader : codecs) {
                if (!format(writer).equals(format(reader))) continue;
                assertThat(decode(reader, encode(writer, TEXT), TEXT.length)).isEqualTo(TEXT);
            }
        }
    }

    private static String format(Codec codec) {
        return codec.id().replaceFirst(":-?[0-9]+", "");
    }

    static void assertRoundTrip(Codec codec, byte[] value) {
        byte[] encoded = encode(codec, value);
        byte[] decoded = decode(codec, encoded, value.length);
        assertThat(Arrays.equals(decoded, value))
                .as("%s gives back %d bytes", codec.id(), value.length)
                .isTrue();
    }

    static byte[] encode(Codec codec, byte[] value) {
        return encodeInto(codec, value, codec.maxEncodedLength(value.length));
    }

    /** Encodes from the middle of one array to the end of another, with canaries before the target. */
    static byte[] encodeInto(Codec codec, byte[] value, int room) {
        byte[] source = amidCanaries(value);
        byte[] target = new byte[MARGIN + room];
        Arrays.fill(target, CANARY);
        int length;
        try {
            length = codec.encode(source, MARGIN, value.length, target, MARGIN);
        } finally {
            assertCanaries(codec, target, 0, MARGIN);
            assertThat(Arrays.equals(source, MARGIN, MARGIN + value.length, value, 0, value.length))
                    .as("%s leaves its source alone", codec.id())
                    .isTrue();
        }
        assertThat(length).isBetween(0, room);
        return Arrays.copyOfRange(target, MARGIN, MARGIN + length);
    }

    /** The first use of a library loads it, which takes memory once: zstd-jni 13 MB under JDK 25. */
    private static void load(Codec codec) {
        if (LOADED.add(codec.id())) {
            byte[] encoded = new byte[codec.maxEncodedLength(0)];
            codec.decode(encoded, 0, codec.encode(new byte[0], 0, 0, encoded, 0), new byte[0], 0, 0);
        }
    }

    /** Decodes from the middle of one array to the middle of another, with canaries on both sides of the target. */
    static byte[] decode(Codec codec, byte[] encoded, int maxLength) {
        byte[] source = amidCanaries(encoded);
        byte[] target = new byte[MARGIN + maxLength + MARGIN];
        Arrays.fill(target, CANARY);
        int length;
        load(codec);
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        try {
            length = codec.decode(source, MARGIN, encoded.length, target, MARGIN, maxLength);
        } finally {
            assertCanaries(codec, target, 0, MARGIN);
            assertCanaries(codec, target, MARGIN + maxLength, target.length);
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocated)
                    .as(
                            "%s allocates no more than the bound of %d bytes, and what a first exception takes",
                            codec.id(), maxLength)
                    .isLessThan((long) maxLength + MIB);
        }
        assertThat(length).isBetween(0, maxLength);
        return Arrays.copyOfRange(target, MARGIN, MARGIN + length);
    }

    private static void decodeOrFail(Codec codec, byte[] bytes) {
        try {
            decode(codec, bytes, 20_000);
        } catch (CodecException e) {
            assertThat(e.codec()).isEqualTo(codec.id());
        }
    }

    private static byte[] amidCanaries(byte[] bytes) {
        byte[] amid = new byte[MARGIN + bytes.length + MARGIN];
        Arrays.fill(amid, CANARY);
        System.arraycopy(bytes, 0, amid, MARGIN, bytes.length);
        return amid;
    }

    private static void assertCanaries(Codec codec, byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != CANARY) throw new AssertionError(codec.id() + " wrote outside its range, at " + i);
        }
    }
}
