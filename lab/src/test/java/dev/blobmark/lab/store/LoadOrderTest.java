package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadOrderTest {

    @TempDir
    private Path directory;

    private EncodedValues encoded(Values values) throws Exception {
        return EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
    }

    /** Those of version 7 begin alike in their first 48 bits, ten at a time. */
    @ParameterizedTest
    @ValueSource(strings = {"uuid:4", "uuid:7"})
    void sortedIsByAllBytes(String dataset) throws Exception {
        assertSorted(encoded(Datasets.parse(dataset).values(0, 42, 5_000)));
    }

    @Test
    void keysOfAnyLengthAreSortedToo() throws Exception {
        List<byte[]> keys = new ArrayList<>();
        for (String key : List.of("b", "", "ab", "abcdefghi", "abcdefgh", "a", "abcdefghz", "\u00ff")) {
            keys.add(key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        }
        assertSorted(encoded(new ListedValues(keys)));
    }

    private static void assertSorted(EncodedValues keys) {
        int[] order = LoadOrder.SORTED.of(keys).toArray();

        assertThat(order)
                .containsExactlyInAnyOrder(IntStream.range(0, keys.count()).toArray());
        for (int i = 1; i < order.length; i++) {
            assertThat(Arrays.compareUnsigned(keys.stored(order[i - 1]), keys.stored(order[i])))
                    .isNegative();
        }
    }

    @Test
    void generatedIsAsTheyAre() throws Exception {
        EncodedValues keys = encoded(Datasets.parse("uuid:4").values(0, 42, 100));

        assertThat(LoadOrder.GENERATED.of(keys).toArray())
                .isEqualTo(IntStream.range(0, 100).toArray());
    }
}
