package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ZstdDictionaryTest {

    private static List<byte[]> values(int count) {
        Random random = new Random(count);
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"name\": \"value %d\", \"a long key\": \"in all of them\", \"random\": %d}"
                        .formatted(i, random.nextInt())
                        .getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static byte[] encode(Codec codec, byte[] value) {
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    @Test
    void valuesThatItWasNotTrainedOnBecomeSmallerAndAreGivenBack() {
        ZstdDictionary dictionary = ZstdDictionary.train(values(500), 2_000).orElseThrow();
        assertThat(dictionary.bytes()).isBetween(256, 2_000);
        Codec with = Bare.zstd(3, Optional.of(dictionary));
        Codec loaded = Bare.zstd(19, Optional.of(ZstdDictionary.of(dictionary.toBytes())));
        for (byte[] value : values(20)) {
            byte[] encoded = encode(with, value);
            assertThat(2 * encoded.length).isLessThan(encode(Codecs.parse("zstd:3"), value).length);
            byte[] decoded = new byte[value.length];
            assertThat(loaded.decode(encoded, 0, encoded.length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
        }
    }

    @Test
    void anotherDictionaryIsFoundToBeWrong() {
        byte[] value = values(20).get(7);
        byte[] encoded = encode(Bare.zstd(3, ZstdDictionary.train(values(500), 2_000)), value);
        Codec without = Bare.zstd(3, Optional.empty());
        assertThatThrownBy(() -> without.decode(encoded, 0, encoded.length, new byte[1_000], 0, 1_000))
                .isInstanceOf(CodecException.class);
    }

    @Test
    void fewValuesTrainNone() {
        assertThat(ZstdDictionary.train(values(2), 2_000)).isEmpty();
        assertThat(ZstdDictionary.train(List.of(), 2_000)).isEmpty();
    }
}
