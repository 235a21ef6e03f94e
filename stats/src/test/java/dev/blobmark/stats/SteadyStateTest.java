package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class SteadyStateTest {

    private static boolean isSteady(double... means) {
        return SteadyState.isSteady(means, means.length);
    }

    @Test
    void aSeriesThatIsTooShortIsNever() {
        assertThat(isSteady()).isFalse();
        assertThat(isSteady(7, 7, 7, 7, 7)).isFalse();
        assertThat(isSteady(7, 7, 7, 7, 7, 7)).isTrue();
    }

    @Test
    void onlyThePartOfTheArrayThatIsFilledCounts() {
        double[] means = {7, 7, 7, 7, 7, 7, 0, 0};

        assertThat(SteadyState.isSteady(means, 5)).isFalse();
        assertThat(SteadyState.isSteady(means, 6)).isTrue();
        assertThat(SteadyState.isSteady(means, 7)).isFalse();
    }

    @Test
    void onlyTheLastSixCount() {
        assertThat(isSteady(900, 300, 100, 10, 10, 10, 10, 10)).isFalse();
        assertThat(isSteady(900, 300, 10, 10, 10, 10, 10, 10)).isTrue();
    }

    @Test
    void noiseWithoutATrendIsSteadyUpToASpreadOf15Percent() {
        // deviations +d -d -d +d +d -d: the slope is -0.06 d a step; the standard deviation is d sqrt(6/5)
        assertThat(alternating(0.13)).isTrue(); // 0.142
        assertThat(alternating(0.14)).isFalse(); // 0.153
    }

    private static boolean alternating(double d) {
        return isSteady(100 + 100 * d, 100 - 100 * d, 100 - 100 * d, 100 + 100 * d, 100 + 100 * d, 100 - 100 * d);
    }

    @Test
    void aSlopeIsToldFromNoiseByItsOwnError() {
        // 10 % from first to last, with next to no noise around the line; up or down
        assertThat(isSteady(95, 97, 99, 101, 103, 105)).isFalse();
        assertThat(isSteady(105, 103, 101, 99, 97, 95)).isFalse();
        assertThat(isSteady(95.1, 96.9, 99.1, 100.9, 103.1, 104.9)).isFalse();
        // the same line under noise of 8 %: slope 2, its error 8 sqrt(6/4) / sqrt(17.5) = 2.3
        assertThat(isSteady(103, 89, 91, 109, 111, 97)).isTrue();
    }

    @Test
    void aSlopeOfFivePercentInAllDoesNoHarm() {
        assertThat(isSteady(97.6, 98.56, 99.52, 100.48, 101.44, 102.4)).isTrue(); // 4.8 %
        assertThat(isSteady(97.4, 98.44, 99.48, 100.52, 101.56, 102.6)).isFalse(); // 5.2 %
    }

    @Test
    void slowingDownBy30PercentIsNotSteadyUntilItIsOver() {
        double[] means = DoubleStream.concat(
                        DoubleStream.concat(
                                DoubleStream.generate(() -> 100).limit(6), DoubleStream.of(106, 112, 118, 124)),
                        DoubleStream.generate(() -> 130).limit(6))
                .toArray();

        assertThat(SteadyState.isSteady(means, 6)).isTrue();
        // one sub-window of six that is 6 % slower does not make a trend; two do
        for (int length = 8; length <= 14; length++) {
            assertThat(SteadyState.isSteady(means, length))
                    .as("%d sub-windows", length)
                    .isFalse();
        }
        assertThat(SteadyState.isSteady(means, 16)).isTrue();
    }

    @Test
    void timesThatCannotBeToldFromZeroAreNotSteady() {
        assertThat(isSteady(0, 0, 0, 0, 0, 0)).isFalse();
    }
}
