package dev.blobmark.bench.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.bench.value.AlteredFrames.Outcome;
import dev.blobmark.bench.value.AlteredFrames.Outcomes;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code bench/value-bits} on fewer frames. */
class AlteredFramesTest {

    private static final int COUNT = 100_000;

    @Test
    void withAChecksumOnlyTheFirstTwoBytesMakeAnotherValue() {
        Map<String, Outcomes> columns = AlteredFrames.run(COUNT, 5, true);
        assertThat(columns).hasSize(16);
        assertThat(columns.get("all").all()).isEqualTo(COUNT);
        columns.forEach((name, outcomes) -> {
            assertThat(outcomes.all()).as(name).isGreaterThan(COUNT / 20);
            assertThat(outcomes.of(Outcome.OTHER_BY_OTHER_BITS)).as(name).isZero();
            if (name.endsWith(AlteredFrames.NO_LEGACY)) {
                assertThat(outcomes.of(Outcome.OTHER_BY_MAGIC)).as(name).isZero();
            } else {
                assertThat(outcomes.of(Outcome.OTHER_BY_MAGIC)).as(name).isPositive();
            }
        });
    }

    /** So a checksum is what prevents it, and this would be seen. */
    @Test
    void withoutAChecksumOtherBitsMakeOtherValues() {
        Map<String, Outcomes> columns = AlteredFrames.run(10_000, 5, false);
        columns.forEach((name, outcomes) ->
                assertThat(outcomes.of(Outcome.OTHER_BY_OTHER_BITS)).as(name).isPositive());
    }
}
