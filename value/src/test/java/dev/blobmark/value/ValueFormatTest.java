package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.FrameException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueFormatTest {

    static final List<String> CODECS =
            List.of("zstd:3", "zstd:-5", "zstd:19", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy", "mysql:6");

    static ValueFormat writing(ValueFormat.Builder builder) {
        ValueFormat format = builder.build();
        format.startWriting();
        return format;
    }

    static ValueFormat.Builder builder(String codec) {
        ValueFormat.Builder builder = ValueFormat.builder().writes(codec);
        return codec.startsWith("mysql") ? builder.readsSql() : builder;
    }

    static ValueFormat writing(String codec) {
        return writing(builder(codec));
    }

    static Stream<String> codecs() {
        return CODECS.stream();
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackEveryValue(String codec) {
        for (EncodingPolicy policy :
                List.of(EncodingPolicy.STANDARD, new EncodingPolicy(0, 0, false), new EncodingPolicy(0, 0, true))) {
            ValueFormat format = writing(builder(codec).policy(policy));
            ValueFormat.Builder other = ValueFormat.builder();
            ValueFormat reader = (codec.startsWith("mysql") ? other.readsSql() : other).build();
            for (byte[] value : Samples.various()) {
                byte[] before = value.clone();
                byte[] stored = format.encode(value);
                assertThat(value).isEqualTo(before);
                assertThat(format.decode(stored)).isEqualTo(value);
                assertThat(reader.decode(stored)).isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd:3", "lz4", "deflate:6", "brotli:5", "snappy"})
    void aHeaderHasAtMost8BytesAndValuesThatStayRawHaveNone(String codec) {
        ValueFormat format = writing(ValueFormat.builder().writes(codec).policy(new EncodingPolicy(0, 0, false)));
        for (byte[] value : Samples.various()) {
            byte[] stored = format.encode(value);
            if (!FrameHeader.begins(stored)) {
                assertThat(stored).isSameAs(value);
            } else {
                long header = FrameHeader.read(stored, 0, stored.length, Integer.MAX_VALUE);
                assertThat(FrameHeader.headerBytes(header)).isLessThanOrEqualTo(8);
                assertThat(stored.length)
                        .isLessThan(
                                FrameHeader.payload(header) == PayloadCodec.ESCAPED ? value.length + 9 : value.length);
            }
        }
    }

    @Test
    void nothingIsEncodedUntilWritingStartsAndAfterItStops() {
        ValueFormat format = ValueFormat.builder().writes("zstd:3").build();
        byte[] value = Samples.text(1_000, 1);
        assertThat(format.isWriting()).isFalse();
        assertThat(format.encode(value)).isSameAs(value);
        format.startWriting();
        byte[] stored = format.encode(value);
        assertThat(stored.length).isLessThan(value.length / 2);
        format.stopWriting();
        assertThat(format.encode(value)).isSameAs(value);
        assertThat(format.decode(stored)).isEqualTo(value);
    }

    /** A switch that takes writing back must not lose against a start that asks a slow server. */
    @Test
    void aStartThatIsStoppedMeanwhileFails() {
        ValueFormat[] format = new ValueFormat[1];
        ValueDictionary dictionary =
                ValueDictionary.of("a dictionary of raw bytes ".repeat(20).getBytes());
        format[0] = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .dictionaries(new Dictionaries() {
                    @Override
                    public Optional<ValueDictionary> find(int number) {
                        return Optional.of(dictionary);
                    }

                    @Override
                    public boolean isWithdrawn(int number) {
                        if (format[0].stops() == 0) {
                            format[0].stopWriting();
                        }
                        return false;
                    }
                })
                .build();
        assertThatThrownBy(format[0]::startWriting)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("writing was stopped while it began");
        assertThat(format[0].isWriting()).isFalse();
        assertThat(format[0].stops()).isEqualTo(1);
        format[0].startWriting();
        assertThat(format[0].isWriting()).isTrue();
    }

    /** A reader would take it for a damaged frame. */
    @Test
    void whileNothingIsEncodedWhatLooksEncodedIsMarked() {
        for (String codec : List.of("zstd:3", "mysql:6")) {
            ValueFormat format = builder(codec).build();
            ValueFormat first = builder(codec).collisionsAreLegacy().build();
            byte[] value = codec.startsWith("mysql")
                    ? new byte[] {10, 0, 0, 0, 0x78, (byte) 0x9C, 1, 2, 3}
                    : Samples.beginningLikeAFrame(Samples.noise(30, 1));
            byte[] stored = format.encode(value);
            assertThat(stored).isNotEqualTo(value);
            assertThat(format.decode(stored)).isEqualTo(value);
            assertThat(first.encode(value)).isEqualTo(stored); // a format without the option reads it too
            assertThat(first.decode(value)).isSameAs(value);
            assertThat(first.decode(stored)).isEqualTo(value);
        }
    }

    @Test
    void aFormatThatOnlyReadsSaysSo() {
        ValueFormat format = ValueFormat.builder().build();
        assertThatThrownBy(format::startWriting)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this format only reads");
        assertThat(format.codec()).isEmpty();
    }

    @Test
    void nullStaysNull() {
        assertThat(writing("zstd:3").encode(null)).isNull();
        assertThat(writing("zstd:3").decode(null)).isNull();
    }

    @Test
    void shortValuesAndThoseThatSaveTooLittleStayRaw() {
        ValueFormat format =
                writing(ValueFormat.builder().writes("zstd:3").policy(new EncodingPolicy(500, 0.5, false)));
        byte[] tooShort = Samples.text(499, 1);
        assertThat(format.encode(tooShort)).isSameAs(tooShort);
        assertThat(format.encode(Samples.text(5_000, 1)).length).isLessThan(2_500);
        byte[] noise = Samples.noise(100_000, 1);
        assertThat(format.encode(noise)).isSameAs(noise);
        byte[] half = Samples.noise(5_000, 1);
        Arrays.fill(half, 0, 1_000, (byte) 0); // 20 % less
        assertThat(format.encode(half)).isSameAs(half);
    }

    @Test
    void aPolicyOutOfRangeIsRefused() {
        assertThatThrownBy(() -> new EncodingPolicy(-1, 0, false)).hasMessageContaining("minLength is -1");
        assertThatThrownBy(() -> new EncodingPolicy(0, 1, false)).hasMessageContaining("minSaving is 1.0");
        assertThatThrownBy(() -> ValueFormat.builder().maxLength(0)).hasMessageContaining("maxLength is 0");
    }

    @Test
    void codecsThatTheFormatDoesNotHaveAreRefused() {
        for (String codec : List.of("gzip:6", "none", "deflate:6+len", "zlib:6")) {
            assertThatThrownBy(() -> ValueFormat.builder().writes(codec).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the value format does not write '" + codec + "'");
        }
        assertThatThrownBy(() -> ValueFormat.builder().writes("zsdt:3").build())
                .hasMessageContaining("did you mean zstd?");
    }

    /** A bit without meaning may be any: an LZ4 match can be copied from several places. */
    @Test
    void withAChecksumNoFlippedBitChangesTheValue() {
        ValueFormat format = writing(ValueFormat.builder().writes("lz4").policy(new EncodingPolicy(0, 0, true)));
        byte[] value = Samples.text(300, 1);
        byte[] stored = format.encode(value);
        int found = 0;
        for (int bit = 8 * FrameHeader.MAGIC_BYTES; bit < 8 * stored.length; bit++) {
            byte[] flipped = stored.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(format.decode(flipped)).isEqualTo(value);
            } catch (FrameException e) {
                found++;
            }
        }
        assertThat(found).isGreaterThan(7 * stored.length);
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void aTruncatedValueIsFound(String codec) {
        ValueFormat format = writing(codec);
        byte[] stored = format.encode(Samples.text(2_000, 1));
        int least = codec.startsWith("mysql") ? 7 : 2; // less does not show that it was a value of COMPRESS()
        for (int length = least; length < stored.length; length++) {
            byte[] truncated = Arrays.copyOf(stored, length);
            assertThatThrownBy(() -> format.decode(truncated))
                    .as("%d of %d bytes", length, stored.length)
                    .isInstanceOf(FrameException.class);
        }
    }

    @Test
    void aNewerVersionIsNamed() {
        byte[] stored = writing("zstd:3").encode(Samples.text(2_000, 1));
        for (int version = 2; version <= 3; version++) {
            byte[] newer = stored.clone();
            newer[2] = (byte) (newer[2] & 0x3F | version << 6);
            assertReason(newer, Reason.NEWER_VERSION, "version " + version + " of the value format");
        }
    }

    @Test
    void aCodecOfANewerLibraryIsNamed() {
        byte[] stored = writing("zstd:3").encode(Samples.text(2_000, 1));
        for (int number = PayloadCodec.values().length; number < 16; number++) {
            byte[] newer = stored.clone();
            newer[2] = (byte) (FrameHeader.VERSION << 6 | number << 2);
            assertReason(newer, Reason.UNKNOWN_CODEC, "codec number " + number);
        }
    }

    private static void assertReason(byte[] stored, Reason reason, String message) {
        assertThatThrownBy(() -> ValueFormat.builder().build().decode(stored))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    @Test
    void aLongValueIsNotReadWhereOnlyShortOnesAre() {
        byte[] value = new byte[100_000];
        byte[] stored = writing("lz4").encode(value);
        ValueFormat format = ValueFormat.builder().maxLength(99_999).build();
        assertThatThrownBy(() -> format.decode(stored))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LONG))
                .hasMessageContaining("100000 bytes, and at most 99999 are read");
        ValueFormat writer = writing(ValueFormat.builder().maxLength(99_999).writes("lz4"));
        assertThatThrownBy(() -> writer.encode(value)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void collisionsAreAnErrorOrLegacyAsStated() {
        byte[] legacy = Samples.beginningLikeAFrame(Samples.noise(100, 4));
        assertThatThrownBy(() -> ValueFormat.builder().build().decode(legacy)).isInstanceOf(FrameException.class);
        ValueFormat format =
                ValueFormat.builder().collisionsAreLegacy().writes("zstd:3").build();
        assertThat(format.decode(legacy)).isSameAs(legacy);
        format.startWriting();
        byte[] value = Samples.text(2_000, 1);
        assertThat(format.decode(format.encode(value))).isEqualTo(value);
    }

    @Test
    void aListenerIsToldOfEachValue() {
        List<String> told = new ArrayList<>();
        ValueFormat format = writing(ValueFormat.builder().writes("zstd:3").listener(new ValueListener() {
            @Override
            public void encoded(int rawBytes, int storedBytes, long nanos) {
                told.add("encoded " + rawBytes + " " + (storedBytes < rawBytes) + " " + (nanos >= 0));
            }

            @Override
            public void decoded(int rawBytes, int storedBytes, long nanos) {
                told.add("decoded " + rawBytes + " " + (storedBytes < rawBytes) + " " + (nanos >= 0));
            }
        }));
        format.decode(format.encode(Samples.text(2_000, 1)));
        format.decode(format.encode(new byte[10]));
        assertThat(told)
                .containsExactly(
                        "encoded 2000 true true",
                        "decoded 2000 true true",
                        "encoded 10 false true",
                        "decoded 10 false true");
    }

    /** Level by level, at the lengths where the field for the length grows. */
    @Test
    void longValuesHaveHeadersOf8BytesAtMost() {
        ValueFormat format = writing(ValueFormat.builder().writes("lz4"));
        for (int length : new int[] {(1 << 22) - 1, 1 << 22, (1 << 22) + 1, 20 << 20}) {
            byte[] value = new byte[length];
            byte[] stored = format.encode(value);
            assertThat(FrameHeader.headerBytes(FrameHeader.read(stored, 0, stored.length, length)))
                    .isLessThanOrEqualTo(8);
            assertThat(Arrays.equals(format.decode(stored), value)).isTrue();
        }
    }
}
