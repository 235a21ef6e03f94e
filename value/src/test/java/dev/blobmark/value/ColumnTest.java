package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.FrameException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Formats that agree on what a column holds read what any of them writes, whatever it writes. */
class ColumnTest {

    private static final List<String> CODECS =
            List.of("zstd:3", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy", "mysql:6");
    private static final List<String> LEGACY = List.of("raw", "none", "gzip", "zlib", "zstd", "mysql", "lz4", "brotli");

    private static final ValueDictionary DICTIONARY =
            DictionaryTest.trained(500).dictionary();

    private static ValueFormat.Builder form(String legacy, boolean readsSql) {
        Legacy values =
                legacy.equals("raw") ? Legacy.RAW : legacy.equals("none") ? Legacy.NONE : Legacy.encodedBy(legacy);
        ValueFormat.Builder builder = ValueFormat.builder().reads(values).dictionaries(Dictionaries.of(DICTIONARY));
        return readsSql ? builder.readsSql() : builder;
    }

    /** All formats of such a column, those that write and those that do not yet. */
    private static List<ValueFormat> formats(String legacy, boolean readsSql) {
        List<ValueFormat> formats = new ArrayList<>();
        formats.add(form(legacy, readsSql).build());
        formats.add(
                ValueFormatTest.writing(form(legacy, readsSql).writes("zstd:3").writesWith(DICTIONARY)));
        for (String codec : CODECS) {
            if (readsSql || !codec.startsWith("mysql")) {
                for (boolean isAlways : new boolean[] {false, true}) {
                    ValueFormat.Builder builder = form(legacy, readsSql).writes(codec);
                    formats.add(ValueFormatTest.writing(
                            isAlways ? builder.policy(new EncodingPolicy(0, 0, true)) : builder));
                    formats.add(form(legacy, readsSql).writes(codec).build());
                }
            }
        }
        return formats;
    }

    private static List<byte[]> values(SplittableRandom random) {
        List<byte[]> values = new ArrayList<>(Samples.various());
        for (int i = 0; i < 10; i++) {
            long seed = random.nextLong();
            values.add(Samples.json(seed));
            values.add(Samples.noise(random.nextInt(300), seed));
            values.add(Samples.beginningLikeAFrame(Samples.noise(random.nextInt(40), seed)));
            // values that are something in this or another form of column themselves
            values.add(LegacyTest.encoded("mysql", Samples.json(seed)));
            values.add(LegacyTest.encoded("gzip", Samples.json(seed)));
            values.add(ValueFormatTest.writing("zstd:3").encode(Samples.text(1_000, seed)));
            values.add(Arrays.copyOf(LegacyTest.encoded("mysql", Samples.json(seed)), 30));
        }
        values.add(Samples.noise(0xC1BE, 5)); // a length that begins like a frame
        values.add(LegacyTest.encoded("mysql", new byte[0xC1BE]));
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsReadDoesNotDependOnWhatIsWritten(boolean readsSql) {
        SplittableRandom random = new SplittableRandom(7);
        for (String legacy : LEGACY) {
            if (readsSql && legacy.equals("none")) {
                continue;
            }
            List<ValueFormat> formats = formats(legacy, readsSql);
            for (byte[] value : values(random)) {
                for (ValueFormat writer : formats) {
                    byte[] stored = writer.encode(value);
                    ValueFormat reader = formats.get(random.nextInt(formats.size()));
                    assertThat(Arrays.equals(reader.decode(stored), value))
                            .as(
                                    "%s, %s, written with %s, read by a format of %s",
                                    legacy, readsSql, writer.codec(), reader.codec())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void valuesForSqlAreOnlyWrittenWhereTheyAreRead() {
        assertThatThrownBy(() -> ValueFormat.builder().writes("mysql:6").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add readsSql() to all formats of this column");
        assertThatThrownBy(() ->
                        ValueFormat.builder().reads(Legacy.NONE).readsSql().build())
                .hasMessageContaining("leave out readsSql()");
        assertThatThrownBy(() -> ValueFormat.builder()
                        .reads(Legacy.NONE)
                        .collisionsAreLegacy()
                        .build())
                .hasMessageContaining("leave out collisionsAreLegacy()");
        assertThatThrownBy(() -> ValueFormat.builder()
                        .reads(Legacy.NONE)
                        .policy(new EncodingPolicy(0, 0, false))
                        .build())
                .hasMessageContaining("use a policy with hasChecksum");
        assertThatThrownBy(() -> ValueFormat.builder().requires("mysql").build())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("add readsSql()");
        assertThat(ValueFormat.builder().readsSql().build().canRead("mysql:9")).isTrue();
        assertThat(ValueFormat.builder().build().canRead("gzip")).isFalse();
    }

    /** A length whose bytes are BE C1, next to damaged frames. */
    @Test
    void aValueOfCompressWhoseLengthLooksLikeAFrameIsRead() {
        for (int length : new int[] {0xC1BE, 0x1_C1BE, 0x45_C1BE}) {
            byte[] value = Arrays.copyOf(Samples.text(40_000, length), length);
            byte[] stored = LegacyTest.encoded("mysql", value);
            assertThat(FrameHeader.begins(stored)).isTrue();
            assertThat(Arrays.equals(ValueFormat.builder().readsSql().build().decode(stored), value))
                    .isTrue();
            ValueFormat legacy =
                    ValueFormat.builder().reads(Legacy.encodedBy("mysql")).build();
            assertThat(Arrays.equals(legacy.decode(stored), value)).isTrue();
            byte[] truncated = Arrays.copyOf(stored, stored.length - 1);
            assertThatThrownBy(() -> legacy.decode(truncated)).isInstanceOf(FrameException.class);
        }
    }

    @Test
    void whatIsTooLongToBeReadIsNotWritten() {
        for (String legacy : LEGACY) {
            ValueFormat format =
                    form(legacy, false).writes("zstd:3").maxLength(99).build();
            for (byte[] value : List.of(
                    Samples.beginningLikeAFrame(new byte[200]),
                    LegacyTest.encoded("gzip", Samples.noise(100, 1)),
                    new byte[100])) {
                for (boolean isWriting : new boolean[] {false, true}) {
                    if (isWriting) {
                        format.startWriting();
                    }
                    assertThatThrownBy(() -> format.encode(value))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("at most 99 are read again; see maxLength");
                    format.stopWriting();
                }
            }
        }
    }

    @Test
    void anEmptyValueOfAnyLegacyFormIsEmpty() {
        for (String legacy : LEGACY) {
            if (!legacy.equals("none")) {
                assertThat(form(legacy, false).build().decode(new byte[0])).isEmpty();
            }
        }
        assertThatThrownBy(() -> form("none", false).build().decode(new byte[0]))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_A_FRAME));
    }

    /** While nothing is encoded, such a value must not be taken for what it looks like. */
    @Test
    void aValueThatIsAFrameItselfIsGivenBackAlsoWhileCollisionsAreLegacy() {
        byte[] frame = ValueFormatTest.writing("zstd:3").encode(Samples.text(2_000, 1));
        ValueFormat format =
                ValueFormat.builder().collisionsAreLegacy().writes("lz4").build();
        assertThat(format.decode(format.encode(frame))).isEqualTo(frame);
        byte[] collision = Samples.beginningLikeAFrame(Samples.noise(100, 4));
        assertThat(format.decode(format.encode(collision))).isEqualTo(collision);
        assertThat(format.decode(collision)).isSameAs(collision);
    }

    /** Formats of the kind that a program with an old version has are told apart by what they announce. */
    @Test
    void announcesExactlyWhatItReads() {
        ValueFormat plain = ValueFormat.builder().build();
        ValueFormat sql = ValueFormat.builder()
                .readsSql()
                .dictionaries(Dictionaries.of(DICTIONARY))
                .build();
        assertThat(plain.readableCodecs())
                .containsExactlyInAnyOrder("zstd", "lz4", "deflate", "brotli", "snappy", "stored");
        assertThat(plain.readableDictionaries()).isEmpty();
        assertThat(sql.readableCodecs()).contains("mysql");
        assertThat(sql.readableDictionaries()).containsExactly(DICTIONARY.number());
    }

    private static Optional<byte[]> read(ValueFormat format, byte[] stored) {
        try {
            return Optional.of(format.decode(stored));
        } catch (FrameException e) {
            return Optional.empty();
        }
    }

    /** Each single bit, and several: without values from before, no other value is ever returned. */
    @Test
    void noAlteredValueIsReadAsAnotherWithoutLegacyValues() {
        SplittableRandom random = new SplittableRandom(3);
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy")) {
            ValueFormat format = ValueFormatTest.writing(form("none", false).writes(codec));
            for (byte[] value : List.of(
                    Samples.json(1),
                    Samples.text(300, 2),
                    new byte[0],
                    new byte[1],
                    Samples.noise(60, 3),
                    new byte[70])) {
                byte[] stored = format.encode(value);
                for (int bit = 0; bit < 8 * stored.length; bit++) {
                    byte[] altered = stored.clone();
                    altered[bit / 8] ^= (byte) (1 << bit % 8);
                    // a bit that the codec does not use gives the value itself
                    assertThat(read(format, altered).filter(other -> !Arrays.equals(other, value)))
                            .as("%s, bit %d", codec, bit)
                            .isEmpty();
                }
                for (int i = 0; i < 5_000; i++) {
                    byte[] altered = altered(stored, random);
                    assertThat(read(format, altered).filter(other -> !Arrays.equals(other, value)))
                            .as("%s, change %d", codec, i)
                            .isEmpty();
                }
            }
        }
    }

    /** With values from before, only what hits the two bytes of the magic can be taken for one. */
    @Test
    void anAlteredFrameWithAChecksumIsReadAsAnotherOnlyIfItsMagicIsHit() {
        SplittableRandom random = new SplittableRandom(4);
        int taken = 0;
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy")) {
            ValueFormat format = ValueFormatTest.writing(form("raw", false).writes(codec));
            byte[] value = Samples.json(1);
            byte[] stored = format.encode(value);
            for (int i = 0; i < 20_000; i++) {
                byte[] altered = altered(stored, random);
                Optional<byte[]> other = read(format, altered).filter(one -> !Arrays.equals(one, value));
                if (other.isPresent()) {
                    assertThat(FrameHeader.begins(altered))
                            .as("%s, change %d", codec, i)
                            .isFalse();
                    assertThat(other.get()).isSameAs(altered);
                    taken++;
                }
            }
        }
        assertThat(taken).isPositive();
    }

    /** Bits, bytes, a run of them, or the end. */
    private static byte[] altered(byte[] stored, SplittableRandom random) {
        byte[] altered = stored.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    int bit = random.nextInt(8 * altered.length);
                    altered[bit / 8] ^= (byte) (1 << bit % 8);
                }
            }
            case 1 -> altered[random.nextInt(altered.length)] = (byte) random.nextInt(256);
            case 2 -> {
                int from = random.nextInt(altered.length);
                Arrays.fill(altered, from, random.nextInt(from, altered.length) + 1, (byte) random.nextInt(256));
            }
            default -> altered = Arrays.copyOf(altered, random.nextInt(2 * altered.length));
        }
        return altered;
    }
}
