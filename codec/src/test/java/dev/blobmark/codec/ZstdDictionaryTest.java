package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
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

    @Test
    void valuesThatItWasNotTrainedOnBecomeSmaller() {
        Codec zstd = Codecs.parse("zstd:3");
        try (ZstdDictionary dictionary =
                ZstdDictionary.train(values(500), 2_000, 3).orElseThrow()) {
            assertThat(dictionary.bytes()).isBetween(256, 2_000);
            for (byte[] value : values(20)) {
                byte[] target = new byte[zstd.maxEncodedLength(value.length)];
                assertThat(2 * dictionary.encodedLength(value))
                        .isLessThan(zstd.encode(value, 0, value.length, target, 0));
            }
        }
    }

    @Test
    void fewValuesTrainNone() {
        assertThat(ZstdDictionary.train(values(2), 2_000, 3)).isEmpty();
        assertThat(ZstdDictionary.train(List.of(), 2_000, 3)).isEmpty();
    }
}
