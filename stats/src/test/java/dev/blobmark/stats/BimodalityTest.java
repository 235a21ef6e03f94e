package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BimodalityTest {

    /** {@code numpy.exp(scipy.cluster.vq.kmeans2(numpy.log(y), numpy.log([1e4, 3.6e4]))[0])} (scipy 1.17.1) */
    @Test
    void findsTheLevelsOfSharedCores() {
        assertThat(Bimodality.find(10100, 36500, 9800, 35200, 10400, 34900, 9900, 36100, 10200, 35700))
                .hasValueSatisfying(levels -> {
                    assertThat(levels.low()).isCloseTo(10077.741889217175, within(1e-6));
                    assertThat(levels.high()).isCloseTo(35675.27048681199, within(1e-6));
                    assertThat(levels.highShare()).isEqualTo(0.5);
                });
    }

    @Test
    void findsASingleChangeBetweenLevels() {
        assertThat(Bimodality.find(36500, 35200, 34900, 36100, 35700, 35900, 10100, 9800))
                .hasValueSatisfying(levels -> assertThat(levels.highShare()).isEqualTo(0.75));
    }

    @Test
    void takesOneOutlierForNoLevel() {
        assertThat(Bimodality.find(36500, 35200, 34900, 36100, 35700, 35900, 36200, 9800))
                .isEmpty();
    }

    @Test
    void takesASteadyChangeForNoLevels() {
        assertThat(Bimodality.find(10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32))
                .isEmpty();
    }

    @Test
    void ignoresLevelsThatLieCloseTogether() {
        assertThat(Bimodality.find(100, 100, 100, 100, 124, 124, 124, 124)).isEmpty();
        assertThat(Bimodality.find(100, 100, 100, 100, 126, 126, 126, 126)).isPresent();
    }

    @Test
    void saysNothingOfFewOrEqualFigures() {
        assertThat(Bimodality.find()).isEmpty();
        assertThat(Bimodality.find(1, 1, 100, 100)).isEmpty();
        assertThat(Bimodality.find(7, 7, 7, 7, 7, 7)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -5, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesFiguresWithoutLogarithm(double figure) {
        assertThatThrownBy(() -> Bimodality.find(1, 2, figure, 4, 5)).hasMessageStartingWith("figure 2: " + figure);
    }
}
