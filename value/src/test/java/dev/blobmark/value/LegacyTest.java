package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was stored before the format is read as it was, next to frames. */
class LegacyTest {

    private static final int VALUES_OF_A_SEED = 1_000_000;

    static byte[] encoded(String id, byte[] value) {
        Codec codec = Codecs.parse(id);
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zlib", "zstd", "mysql", "lz4", "deflate", "deflate:6+len", "snappy", "brotli"})
    void readsWhatOneCodecWrote(String codec) {
        ValueFormat format = ValueFormatTest.writing(ValueFormat.builder()
                .reads(Legacy.encodedBy(codec))
                .writes("zstd:3")
                .policy(new EncodingPolicy(0, 0, false)));
        for (byte[] value : Samples.various()) {
            byte[] legacy = encoded(codec, value);
            if (!FrameHeader.begins(legacy)) {
                assertThat(format.decode(legacy)).isEqualTo(value);
            }
        }
        byte[] text = Samples.text(3_000, 1);
        assertThat(format.decode(format.encode(text))).isEqualTo(text);
    }

    /**
     * What is not worth encoding is stored as legacy values are. Otherwise, a raw value would be decoded by their
     * codec: an error, or other bytes if it is gzip itself.
     */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zlib", "zstd", "mysql", "lz4", "deflate", "snappy", "brotli"})
    void whatStaysUnencodedIsWrittenInTheLegacyWay(String codec) {
        for (String writes : List.of("zstd:3", "mysql:6")) {
            for (boolean areCollisionsLegacy : new boolean[] {false, true}) {
                ValueFormat.Builder builder = ValueFormatTest.builder(writes).reads(Legacy.encodedBy(codec));
                ValueFormat format = (areCollisionsLegacy ? builder.collisionsAreLegacy() : builder).build();
                List<byte[]> values = new ArrayList<>(Samples.various());
                values.add(encoded(codec, Samples.json(1))); // looks like a legacy value
                values.add(encoded("mysql", Samples.json(2)));
                values.add(Samples.noise(49_598, 5)); // a length that begins like a frame
                for (byte[] value : values) {
                    assertThat(format.decode(format.encode(value))).isEqualTo(value);
                    if (areCollisionsLegacy) { // what was stored before
                        assertThat(format.decode(encoded(codec, value))).isEqualTo(value);
                    }
                }
                format.startWriting();
                for (byte[] value : values) {
                    assertThat(format.decode(format.encode(value))).isEqualTo(value);
                }
            }
        }
    }

    /** "none" would be raw values for some, and none at all for others. */
    @Test
    void aWordForLegacyValuesHasOneMeaning() {
        assertThat(Legacy.named("raw")).isSameAs(Legacy.RAW);
        assertThat(Legacy.named("frames")).isSameAs(Legacy.NONE);
        assertThat(Legacy.named("mysql").isSql()).isTrue();
        for (String word : List.of("none", "", "Raw")) {
            assertThatThrownBy(() -> Legacy.named(word)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Legacy.encodedBy(word)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatCannotBeDecodedIsAnError() {
        ValueFormat format =
                ValueFormat.builder().reads(Legacy.encodedBy("gzip")).build();
        assertThatThrownBy(() -> format.decode(Samples.text(100, 1)))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                .hasMessageContaining("the value has no frame, and gzip:6 cannot decode it");
    }

    @Test
    void rawLegacyValuesAreNotCopied() {
        byte[] value = Samples.noise(5_000, 1);
        assertThat(ValueFormat.builder().build().decode(value)).isSameAs(value);
    }

    /**
     * Random bytes, bytes after the magic and after a plausible header, the beginnings of real frames, and values of
     * other formats: returned as they are, or an error. {@code -Dblobmark.values=1000000000} for as many as wanted, in
     * parts with a seed each.
     */
    @Test
    void noGeneratedLegacyValueIsMisread() {
        long parts = Math.max(2, Long.getLong("blobmark.values", 2_000_000) / VALUES_OF_A_SEED);
        long refused = LongStream.range(0, parts)
                .parallel()
                .map(LegacyTest::refusedOfSeed)
                .sum();
        assertThat(refused).isPositive();
    }

    private static long refusedOfSeed(long seed) {
        ValueFormat format = ValueFormat.builder().build();
        LegacyValues values = new LegacyValues(seed);
        long refused = 0;
        for (int i = 0; i < VALUES_OF_A_SEED; i++) {
            byte[] legacy = values.next();
            try {
                if (format.decode(legacy) != legacy) {
                    fail("value %d of seed %d was misread", i, seed);
                }
            } catch (FrameException e) {
                refused++;
            }
        }
        return refused;
    }

    /** Values without a frame that other formats made. */
    @Test
    void valuesOfOtherFormatsAreReturnedAsTheyAre() {
        ValueFormat framed = ValueFormat.builder().build();
        for (String codec : List.of("gzip", "zlib", "zstd", "lz4", "snappy", "brotli", "deflate", "mysql")) {
            for (long seed = 0; seed < Math.max(2_000, Long.getLong("blobmark.values", 0) / 1_000); seed++) {
                byte[] legacy = encoded(codec, Samples.json(seed));
                assertThat(framed.decode(legacy)).isSameAs(legacy);
            }
        }
    }

    @Test
    void compressValuesAndRawValuesAreDistinguished() {
        ValueFormat sql = ValueFormatTest.writing("mysql:6");
        Random random = new Random(5);
        int refused = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            byte[] raw = seed % 2 == 0 ? Samples.json(seed) : Samples.noise(random.nextInt(300), seed);
            assertThat(sql.decode(sql.encode(raw))).isEqualTo(raw);
            try {
                assertThat(sql.decode(raw)).isSameAs(raw);
            } catch (FrameException e) { // of random bytes, one value in 260,000 begins like one of COMPRESS()
                refused++;
            }
        }
        assertThat(refused).isLessThan(5);
        byte[] looksLikeIt = "abcdx^ is text".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        assertThat(sql.decode(looksLikeIt)).isSameAs(looksLikeIt);
    }

    @Test
    void aTruncatedValueOfCompressIsAnError() {
        ValueFormat sql = ValueFormatTest.writing("mysql:6");
        byte[] stored = sql.encode(new byte[1_000_000]);
        byte[] truncated = Arrays.copyOf(stored, 100);
        assertThatThrownBy(() -> sql.decode(truncated))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED));
        ValueFormat small = ValueFormatTest.builder("mysql:6").maxLength(1_000).build();
        assertThatThrownBy(() -> small.decode(stored))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LONG));
    }
}
