package dev.blobmark.bench.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class StudyStreamTest {

    /** The two ways are compared on equal bytes only if they speak one format. */
    @ParameterizedTest
    @EnumSource(StudyStream.class)
    void readsWhatTheCodecWritesAndTheOtherWayRound(StudyStream format) throws Exception {
        byte[] value = BenchValues.of(34_011)[0];
        Codec codec = format.codec();
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        int length = codec.encode(value, 0, value.length, target, 0);
        assertThat(format.decode(Arrays.copyOf(target, length))).isEqualTo(value);

        byte[] encoded = format.encode(value);
        byte[] decoded = new byte[value.length];
        assertThat(codec.decode(encoded, 0, encoded.length, decoded, 0, decoded.length))
                .isEqualTo(value.length);
        assertThat(decoded).isEqualTo(value);
    }

    @ParameterizedTest
    @EnumSource(StudyStream.class)
    void isComparedWithinOneProcess(StudyStream format) throws Exception {
        CodecComparison.Line line = CodecComparison.compare(format, 34_011, 3, 1_000_000);
        assertThat(line.oneShot()).isPositive();
        assertThat(line.stream()).isPositive();
        assertThat(line.ratio().mean())
                .isBetween(line.ratio().low(), line.ratio().high());
    }
}
