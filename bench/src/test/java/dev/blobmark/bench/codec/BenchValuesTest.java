package dev.blobmark.bench.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BenchValuesTest {

    @ParameterizedTest
    @ValueSource(ints = {4096, 34_011, 607_930, 4_287_156})
    void areDistinctRepeatableAndTwoToFourTimesCompressible(int size) {
        byte[][] values = BenchValues.of(size, 1);
        assertThat(values.length).isBetween(8, 1000);
        assertThat(Arrays.stream(values).map(Arrays::hashCode).distinct().count())
                .isEqualTo(values.length);
        assertThat(BenchValues.of(size, 1)[1]).isEqualTo(values[1]).hasSize(size);
        Codec zlib = Codecs.parse("zlib");
        int encoded = zlib.encode(values[0], 0, size, new byte[zlib.maxEncodedLength(size)], 0);
        assertThat((double) size / encoded).isBetween(2.0, 4.0);
    }
}
