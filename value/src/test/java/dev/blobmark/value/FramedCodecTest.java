package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.CodecException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FramedCodecTest {

    private static final List<byte[]> TRAINING =
            LongStream.range(0, 1_000).mapToObj(Samples::json).toList();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "framed(zstd:3)",
                "framed(lz4)",
                "framed(zstd:19+all)",
                "framed(brotli:5+all)",
                "framed(zstd:3+dictionary:16KB)",
                "framed(zstd:3+all+dictionary:4KB)"
            })
    void writesTheSameBytesAsTheFormatAndGivesThemBack(String id) {
        FramedCodec codec = FramedCodec.parse(id);
        assertThat(codec.id()).isEqualTo(id);
        ValueFormat.Builder builder = ValueFormat.builder()
                .writes(codec.inner().id())
                .policy(id.contains("all") ? new EncodingPolicy(0, 0, false) : EncodingPolicy.STANDARD);
        if (codec.dictionaryBytes() > 0) {
            ValueDictionary dictionary = codec.train(TRAINING);
            codec = codec.with(dictionary);
            builder.writesWith(dictionary).dictionaries(Dictionaries.of(dictionary));
        }
        ValueFormat format = ValueFormatTest.writing(builder);
        for (byte[] value : Samples.various()) {
            byte[] stored = format.encode(value);
            byte[] target = new byte[10 + codec.maxEncodedLength(value.length)];
            int length = codec.encode(value, 0, value.length, target, 10);
            assertThat(Arrays.copyOfRange(target, 10, 10 + length)).isEqualTo(stored);
            byte[] exact = new byte[stored.length];
            assertThat(codec.encode(value, 0, value.length, exact, 0)).isEqualTo(stored.length);
            byte[] decoded = new byte[5 + value.length];
            assertThat(codec.decode(target, 10, length, decoded, 5, value.length))
                    .isEqualTo(value.length);
            assertThat(Arrays.copyOfRange(decoded, 5, decoded.length)).isEqualTo(value);
        }
    }

    @Test
    void whatDoesNotFitIsAnError() {
        FramedCodec codec = FramedCodec.parse("framed(zstd:3)");
        byte[] value = Samples.text(2_000, 1);
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        int length = codec.encode(value, 0, value.length, target, 0);
        assertThatThrownBy(() -> codec.encode(value, 0, value.length, new byte[length - 1], 0))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("does not fit into the target");
        assertThatThrownBy(() -> codec.decode(target, 0, length, new byte[1_999], 0, 1_999))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("2000 bytes, and at most 1999 are read");
        assertThatThrownBy(() -> codec.decode(new byte[100], 0, 100, new byte[99], 0, 99))
                .isInstanceOf(CodecException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "framed(zstd:3 | write framed(CODEC), framed(CODEC+all) or framed(zstd:3+dictionary:64KB)",
                "framed(lz4+dictionary:16KB) | only zstd takes a dictionary",
                "framed(gzip:6) | the value format does not write 'gzip:6'",
                "framed(zstd:99) | \"99\" is no level of zstd",
                "framed(zstd:3+dictionary:9999KB) | a dictionary has at most 1024KB"
            })
    void mistakesAreNamed(String text, String message) {
        assertThatThrownBy(() -> FramedCodec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void withoutItsDictionaryItDoesNotEncode() {
        FramedCodec codec = FramedCodec.parse("framed(zstd:3+dictionary:16KB)");
        assertThatThrownBy(() -> codec.encode(new byte[10], 0, 10, new byte[100], 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no dictionary yet");
        assertThatThrownBy(() -> codec.train(List.of(new byte[10])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 values are too few, or too short, to train a dictionary of 16384 bytes");
    }
}
