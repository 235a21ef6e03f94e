package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.FrameException.Reason;
import dev.blobmark.value.StoredForm.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredFormTest {

    private static final ValueDictionary DICTIONARY =
            DictionaryTest.trained(500).dictionary();

    @ParameterizedTest
    @ValueSource(strings = {"zstd:3", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy"})
    void aFrameNamesItsCodec(String codec) {
        byte[] value = Samples.text(3_000, 1);
        for (boolean hasChecksum : new boolean[] {false, true}) {
            byte[] stored = ValueFormatTest.writing(
                            ValueFormat.builder().writes(codec).policy(new EncodingPolicy(128, 0.125, hasChecksum)))
                    .encode(value);
            StoredForm form = StoredForm.of(stored);
            assertThat(form.kind()).isEqualTo(Kind.ENCODED);
            assertThat(form.codec()).contains(codec.replaceFirst("(hc)?:.*", ""));
            assertThat(form.valueBytes()).hasValue(3_000);
            assertThat(form.hasChecksum()).isEqualTo(hasChecksum);
            assertThat(form.headerBytes()).isBetween(5, 8);
            assertThat(form.dictionary()).isEmpty();
            assertThat(form.problem()).isEmpty();
        }
    }

    @Test
    void aFrameNamesItsDictionary() {
        byte[] stored = ValueFormatTest.writing(ValueFormat.builder()
                        .writes("zstd:3")
                        .dictionaries(Dictionaries.of(DICTIONARY))
                        .writesWith(DICTIONARY))
                .encode(Samples.json(9));
        StoredForm form = StoredForm.of(stored);
        assertThat(form.dictionary()).hasValue(DICTIONARY.number());
        assertThat(form)
                .hasToString("frame, version 1, zstd, dictionary " + ValueDictionary.name(DICTIONARY.number())
                        + ", checksum");
    }

    @Test
    void valuesThatAreNotEncoded() {
        byte[] like = Samples.beginningLikeAFrame(Samples.noise(20, 3));
        ValueFormat legacy = ValueFormatTest.writing("zstd:3");
        assertThat(StoredForm.of(legacy.encode(like))).hasToString("frame, version 1, escaped");
        assertThat(StoredForm.of(legacy.encode(like)).valueBytes()).hasValue(like.length);
        ValueFormat frames =
                ValueFormatTest.writing(ValueFormat.builder().reads(Legacy.NONE).writes("zstd:3"));
        StoredForm stored = StoredForm.of(frames.encode(like));
        assertThat(stored).hasToString("frame, version 1, stored as it is, checksum");
        assertThat(stored.valueBytes()).hasValue(like.length);
        assertThat(StoredForm.of(new byte[0])).hasToString("empty");
        assertThat(StoredForm.of(Samples.json(1))).hasToString("without a frame");
        assertThat(StoredForm.of(Samples.json(1)).valueBytes()).isEmpty();
    }

    @Test
    void valuesOfCompress() {
        byte[] value = Samples.json(4);
        StoredForm form = StoredForm.of(LegacyTest.encoded("mysql", value));
        assertThat(form.kind()).isEqualTo(Kind.SQL);
        assertThat(form.codec()).contains("mysql");
        assertThat(form.valueBytes()).hasValue(value.length);
        assertThat(StoredForm.of("abcdx^ text".getBytes(StandardCharsets.UTF_8)).kind())
                .isEqualTo(Kind.LEGACY);
        // the length of a value of COMPRESS() may be the magic
        byte[] zeros = new byte[0xC1BE];
        assertThat(StoredForm.of(LegacyTest.encoded("mysql", zeros)).kind()).isEqualTo(Kind.SQL);
    }

    @Test
    void whatBeginsLikeAFrameAndIsNoneHasAReason() {
        byte[] stored = ValueFormatTest.writing("zstd:3").encode(Samples.text(2_000, 1));
        StoredForm truncated = StoredForm.of(Arrays.copyOf(stored, stored.length - 1));
        assertThat(truncated.kind()).isEqualTo(Kind.NO_FRAME);
        assertThat(truncated.problem().orElseThrow().reason()).isEqualTo(Reason.NOT_A_FRAME);
        assertThat(truncated).hasToString("begins like a frame and is none: NOT_A_FRAME");
        stored[2] |= (byte) 0x80;
        assertThat(StoredForm.of(stored).problem().orElseThrow().reason()).isEqualTo(Reason.NEWER_VERSION);
        stored[2] = (byte) (0x40 | 15 << 2);
        assertThat(StoredForm.of(stored).problem().orElseThrow().reason()).isEqualTo(Reason.UNKNOWN_CODEC);
    }

    /** What a format reads has the length that its form states, and any bytes have a form. */
    @Test
    void itAgreesWithReaders() {
        SplittableRandom random = new SplittableRandom(11);
        ValueFormat reader = ValueFormat.builder().build();
        for (int i = 0; i < 100_000; i++) {
            byte[] stored = new byte[random.nextInt(40)];
            random.nextBytes(stored);
            stored = random.nextBoolean() ? Samples.beginningLikeAFrame(stored) : stored;
            StoredForm form = StoredForm.of(stored);
            boolean isReadable;
            try {
                reader.decode(stored);
                isReadable = true;
            } catch (FrameException e) {
                isReadable = false;
            }
            if (form.kind() == Kind.NO_FRAME) {
                assertThat(isReadable).isFalse();
            } else if (form.kind() == Kind.LEGACY) {
                assertThat(isReadable).isTrue();
            }
        }
    }
}
