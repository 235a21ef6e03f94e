package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SizeDistributionTest {

    @Test
    void takesNearestRanks() {
        SizeDistribution sizes = SizeDistribution.of(
                IntStream.rangeClosed(1, 100).map(i -> 101 - i).toArray(), Map.of());

        assertThat(sizes).isEqualTo(new SizeDistribution(100, 1, 10, 50, 90, 100, 5_050, Map.of()));
    }

    @Test
    void isTheValueItselfForOne() {
        assertThat(SizeDistribution.of(new int[] {7}, Map.of()))
                .isEqualTo(new SizeDistribution(1, 7, 7, 7, 7, 7, 7, Map.of()));
    }

    @Test
    void describesItself() {
        assertThat(SizeDistribution.of(new int[] {1}, Map.of()).describe())
                .isEqualTo("1 value of 1 byte, 1 byte in total");
        assertThat(SizeDistribution.of(new int[] {7}, Map.of()).describe())
                .isEqualTo("1 value of 7 bytes, 7 bytes in total");
        assertThat(SizeDistribution.of(new int[] {3, 1, 2}, Map.of("symbolic link", 1, "empty", 2))
                        .describe())
                .isEqualTo("3 values of 1 to 3 bytes (p10 1, median 2, p90 3), 6 bytes in total; "
                        + "skipped: 2 empty, 1 symbolic link");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> SizeDistribution.of(new int[0], Map.of()))
                .hasMessage("a size distribution needs at least one value, not 0");
        assertThatThrownBy(() -> new SizeDistribution(2, 1, 1, 3, 2, 4, 5, Map.of()))
                .hasMessage("sizes must not decrease: min 1, p10 1, median 3, p90 2, max 4");
        assertThatThrownBy(() -> new SizeDistribution(2, 1, 1, 1, 2, 2, 5, Map.of()))
                .hasMessage("2 values of 1 to 2 bytes cannot total 5");
        assertThatThrownBy(() -> new SizeDistribution(1, 1, 1, 1, 1, 1, 1, Map.of("empty", 0)))
                .hasMessage("each reason for skipping must have a count of at least 1: {empty=0}");
    }
}
