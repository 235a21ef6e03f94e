package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodecOnlyTest {

    private static final Workload CODEC = Workload.FACTOR.parse("codec");
    private static final int ENCODE = 0;
    private static final int DECODE = 1;

    @TempDir
    private Path directory;

    static Stream<String> codecs() {
        return Stream.concat(
                Codecs.all().stream().map(family -> Codecs.parse(family.name()).id()),
                Stream.of("deflate:6+len", "brotli:11+len", "zlib:9+len"));
    }

    private Setup setup(ListedValues values, String stored, String codec) throws IOException {
        return new Setup(
                Design.of(Map.of("codec", codec)),
                EncodedValues.of(values, Codecs.parse(stored), directory, bytes -> {}),
                null,
                null,
                null);
    }

    private static ListedValues values() {
        return ListedValues.of(
                new byte[0], new byte[] {1}, ListedValues.random(1, 5_000).get(0), new byte[70_000]);
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void encodesAndDecodesEveryValueInAnyOrder(String codec) throws Exception {
        Setup setup = setup(values(), codec, codec);
        try (Operation operation = CODEC.open(setup)) {
            for (int row : new int[] {3, 0, 1, 2, 0, 3, 3}) {
                for (int type : new int[] {ENCODE, DECODE, DECODE, ENCODE}) {
                    operation.prepare(type, row);
                    assertThat(operation.perform(type, row))
                            .isEqualTo(setup.values().length(row));
                    operation.verify(type, row, true);
                }
            }
        }
    }

    @Test
    void theTypeThatHadLessTimeIsNext() throws Exception {
        try (Operation operation = CODEC.open(setup(values(), "lz4", "lz4"))) {
            assertThat(operation.nextType(0, new long[] {0, 0})).isEqualTo(ENCODE);
            assertThat(operation.nextType(0, new long[] {1, 0})).isEqualTo(DECODE);
            assertThat(operation.nextType(0, new long[] {5, 6})).isEqualTo(ENCODE);
        }
    }

    @Test
    void bytesThatAreNotThoseOfTheLibraryAreFoundOut() throws Exception {
        // what level 1 has stored is not what level 9 encodes, though it decodes to the same
        try (Operation operation = CODEC.open(setup(values(), "zlib:1", "zlib:9"))) {
            operation.prepare(DECODE, 3);
            operation.perform(DECODE, 3);
            operation.verify(DECODE, 3, true);
            operation.prepare(ENCODE, 3);
            operation.perform(ENCODE, 3);
            assertThatThrownBy(() -> operation.verify(ENCODE, 3, true))
                    .isInstanceOf(WrongValueException.class)
                    .hasMessageStartingWith("value 3 gave ");
        }
    }

    /** The times differ by one operation at most, which is long if the system interrupts it. */
    @Test
    void aTrialSpendsHalfOfItsTimeInEachAndAllocatesNothing() throws Exception {
        TrialRun run = WindowedTrial.run(new TrialSpec(
                CODEC,
                setup(ListedValues.random(100, 4_000), "lz4", "lz4"),
                1,
                new Window.Count(40_000),
                Duration.ofMillis(500),
                Clock.SYSTEM,
                42));

        double encoding = run.operations().get("encode").count()
                / run.operations().get("encode").operationsPerSecond();
        double decoding = run.operations().get("decode").count()
                / run.operations().get("decode").operationsPerSecond();
        double longest = run.latency().values().stream()
                .mapToDouble(histogram -> histogram.getMaxValue() / 1e9)
                .max()
                .orElseThrow();
        assertThat(encoding).isCloseTo(decoding, within(1.01 * longest));
        assertThat(run.operations().get("encode").count()
                        + run.operations().get("decode").count())
                .isEqualTo(40_000);
        assertThat(run.usage().allocatedBytesPerOp()).isLessThan(1);
    }
}
