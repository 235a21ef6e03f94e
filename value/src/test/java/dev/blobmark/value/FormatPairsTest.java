package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.FrameException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two formats that agree on {@code reads} and {@code readsSql}, and on nothing else: what one writes, the other one
 * reads. Only a value that is longer than the reader's limit is refused, and as too long.
 */
class FormatPairsTest {

    private static final int MOST = (1 << 30) - 1;
    private static final List<Integer> LIMITS =
            List.of(1, 40, 1_000, 0xC1BE - 1, 0xC1BE, 1 << 20, ValueFormat.STANDARD_MAX_LENGTH, 600 << 20, MOST);
    private static final List<String> CODECS =
            List.of("", "zstd:3", "zstd:-5", "lz4", "lz4hc:9", "deflate:6", "brotli:1", "snappy", "mysql:6", "mysql:1");
    private static final List<String> LEGACY = List.of(
            "raw",
            "none",
            "gzip",
            "zlib",
            "zlib:9",
            "zstd",
            "zstd:9",
            "lz4",
            "lz4hc:9",
            "mysql",
            "mysql:1",
            "deflate",
            "snappy",
            "brotli:1");
    private static final ValueDictionary DICTIONARY =
            DictionaryTest.trained(500).dictionary();

    /** A format and its limit. */
    private record Any(ValueFormat format, int maxLength) {}

    /** Each option that has nothing to do with what the column holds; levels of the legacy codec have no effect. */
    private static Any any(String legacy, boolean readsSql, SplittableRandom random) {
        String codec = CODECS.get(random.nextInt(readsSql ? CODECS.size() : CODECS.size() - 2));
        int maxLength = LIMITS.get(random.nextInt(LIMITS.size()));
        ValueFormat.Builder builder = ValueFormat.builder()
                .reads(
                        switch (legacy) {
                            case "raw" -> Legacy.RAW;
                            case "none" -> Legacy.NONE;
                            default -> Legacy.encodedBy(legacy);
                        })
                .maxLength(maxLength)
                .dictionaries(Dictionaries.of(DICTIONARY));
        boolean hasLegacy = !legacy.equals("none");
        if (readsSql) {
            builder.readsSql();
        }
        if (hasLegacy && random.nextBoolean()) {
            builder.collisionsAreLegacy();
        }
        if (!codec.isEmpty()) {
            builder.writes(codec);
        }
        if (codec.startsWith("zstd") && random.nextBoolean()) {
            builder.writesWith(DICTIONARY);
        }
        if (random.nextBoolean()) {
            builder.policy(new EncodingPolicy(random.nextInt(200), 0, !hasLegacy || random.nextBoolean()));
        }
        ValueFormat format = builder.build();
        if (!codec.isEmpty() && random.nextInt(3) > 0) {
            format.startWriting();
        }
        return new Any(format, maxLength);
    }

    /** The length of a value, the two bytes of zlib, and anything. */
    static byte[] likeSql(SplittableRandom random) {
        byte[] value = Samples.noise(7 + random.nextInt(30), random.nextLong());
        if (random.nextInt(3) == 0) { // text has lengths of 512 MiB and more
            System.arraycopy("text".getBytes(StandardCharsets.US_ASCII), 0, value, 0, 4);
        } else if (random.nextInt(3) == 0) {
            value[3] = 0; // less than 16 MiB
            value[2] = (byte) random.nextInt(0, 2);
        }
        value[4] = 0x78;
        value[5] = new byte[] {0x01, 0x5E, (byte) 0x9C, (byte) 0xDA}[random.nextInt(4)];
        return value;
    }

    private static byte[] beginningLikeAFrame(byte[] value) {
        byte[] changed = value.clone();
        changed[0] = (byte) FrameHeader.MAGIC_0;
        changed[1] = (byte) FrameHeader.MAGIC_1;
        return changed;
    }

    /** A frame, a legacy value, or their beginning. */
    private static byte[] alike(SplittableRandom random) {
        byte[] value = Samples.json(random.nextLong());
        byte[] stored = random.nextBoolean()
                ? any(LEGACY.get(random.nextInt(LEGACY.size())), false, random)
                        .format()
                        .encode(value)
                : LegacyTest.encoded(Mutations.LEGACY.get(random.nextInt(Mutations.LEGACY.size())), value);
        return random.nextInt(3) == 0 ? Arrays.copyOf(stored, 1 + random.nextInt(stored.length)) : stored;
    }

    private static byte[] value(SplittableRandom random) {
        return switch (random.nextInt(9)) {
            case 0 -> likeSql(random);
            case 1 -> beginningLikeAFrame(likeSql(random));
            case 2 -> Samples.beginningLikeAFrame(Samples.noise(random.nextInt(40), random.nextLong()));
            case 3 -> Samples.noise(random.nextInt(300), random.nextLong());
            case 4 -> Samples.json(random.nextLong());
            case 5 -> new byte[random.nextInt(3_000)];
            case 6 -> Arrays.copyOf(Samples.text(2_000, random.nextInt()), 0xC1BE + (random.nextInt(2) << 16));
            case 7 -> LegacyTest.encoded("mysql", new byte[0xC1BE]);
            default -> alikeOrShort(random);
        };
    }

    private static byte[] alikeOrShort(SplittableRandom random) {
        try {
            return alike(random);
        } catch (IllegalArgumentException e) { // longer than that format's limit
            return new byte[random.nextInt(4)];
        }
    }

    @Test
    void whatOneFormatWritesEachOtherOneReads() {
        SplittableRandom random = new SplittableRandom(Long.getLong("blobmark.seed", 46));
        int pairs = Integer.getInteger("blobmark.pairs", 30_000);
        int refused = 0;
        for (int i = 0; i < pairs; i++) {
            String legacy = LEGACY.get(random.nextInt(LEGACY.size()));
            boolean readsSql = !legacy.equals("none") && random.nextBoolean();
            Any writer = any(legacy, readsSql, random);
            Any reader = any(legacy, readsSql, random);
            byte[] value = value(random);
            byte[] stored;
            try {
                stored = writer.format().encode(value);
            } catch (IllegalArgumentException e) {
                refused++; // longer than the writer's limit
                continue;
            }
            try {
                assertThat(Arrays.equals(reader.format().decode(stored), value))
                        .as("pair %d: %s", i, legacy)
                        .isTrue();
            } catch (FrameException e) {
                assertThat(e.reason())
                        .as("pair %d: %s, sql %s, %s", i, legacy, readsSql, e.getMessage())
                        .isEqualTo(Reason.TOO_LONG);
                assertThat(value.length).as("pair %d", i).isGreaterThan(reader.maxLength());
            }
        }
        assertThat(refused).isLessThan(pairs / 2);
    }

    /** With a limit of 64 MiB it is text, and with one of 1 GiB it claims to be a value of 512 MiB. */
    @ParameterizedTest
    @CsvSource({"67108864, 1073741823", "1048576, 67108864", "1, 1048576"})
    void aLimitHasNoEffectOnWhatIsStored(int limit, int larger) {
        byte[] text = "aaaax^hello, this is text".getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = {1, 2, 3, 1, 'x', '^', 'h', 'e', 'l', 'l', 'o'};
        for (byte[] value : List.of(text, bytes)) {
            if (value.length <= limit) {
                byte[] stored = ValueFormat.builder()
                        .readsSql()
                        .maxLength(limit)
                        .build()
                        .encode(value);
                assertThat(ValueFormat.builder()
                                .readsSql()
                                .maxLength(larger)
                                .build()
                                .decode(stored))
                        .isEqualTo(value);
            }
        }
    }

    /** Its length begins like a frame, so that it must not be taken for a damaged one, or for a value from before. */
    @Test
    void aValueOfCompressThatIsTooLongIsRefusedAsSuchAlsoIfItsLengthBeginsLikeAFrame() {
        byte[] stored = LegacyTest.encoded("mysql", new byte[0x2_C1BE]);
        List<ValueFormat> formats = new ArrayList<>();
        for (ValueFormat.Builder builder : List.of(
                ValueFormat.builder().readsSql(),
                ValueFormat.builder().readsSql().collisionsAreLegacy(),
                ValueFormat.builder().reads(Legacy.encodedBy("mysql")).collisionsAreLegacy())) {
            formats.add(builder.maxLength(1_000).build());
        }
        for (ValueFormat format : formats) {
            assertThatThrownBy(() -> format.decode(stored))
                    .isInstanceOfSatisfying(
                            FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LONG));
        }
    }
}
