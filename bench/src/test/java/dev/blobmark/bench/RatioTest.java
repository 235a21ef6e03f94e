package dev.blobmark.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class RatioTest {

    /** Mean 2, standard deviation 1, and t = 4.302653 for two degrees of freedom at 97.5 % (any table). */
    @Test
    void isStudentsIntervalOnLogarithms() {
        Ratio ratio = Ratio.of(new double[] {1, 2, 3});
        assertThat(Math.log(ratio.mean())).isCloseTo(2, within(1e-12));
        assertThat(Math.log(ratio.low())).isCloseTo(2 - 4.302653 / Math.sqrt(3), within(1e-6));
        assertThat(Math.log(ratio.high())).isCloseTo(2 + 4.302653 / Math.sqrt(3), within(1e-6));
    }

    @Test
    void hasNoIntervalFromOneRound() {
        assertThatThrownBy(() -> Ratio.of(new double[] {1})).hasMessageContaining("two rounds or more");
    }
}
