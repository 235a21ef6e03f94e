package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.numbers.gamma.Erfc;
import org.junit.jupiter.api.Test;

class QuadratureTest {

    @Test
    void theNormalDistributionIsInterpolatedWithin1em11() {
        for (double x = -9; x <= 9; x += 0.00137) {
            assertThat(Quadrature.below(x))
                    .as("below %s", x)
                    .isCloseTo(Erfc.value(-x * Math.sqrt(0.5)) / 2, within(1e-11));
        }
        assertThat(Quadrature.below(Double.NEGATIVE_INFINITY)).isZero();
        assertThat(Quadrature.below(Double.POSITIVE_INFINITY)).isOne();
        assertThat(Quadrature.below(Double.NaN)).isNaN();
    }
}
