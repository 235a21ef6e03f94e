package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quantiles against published tables, against scipy 1.17.1, and against what is known of them in closed form. */
class SimultaneousQuantilesTest {

    private static final double KNOWN = 1e9;

    /**
     * C. W. Dunnett, "New tables for multiple comparisons with a control" (Biometrics 20, 1964), two-sided, 95 %, ν =
     * ∞.
     */
    @ParameterizedTest
    @CsvSource({"1, 1.96", "2, 2.21", "3, 2.35", "4, 2.44", "5, 2.51", "9, 2.69", "12, 2.77", "15, 2.83", "20, 2.91"})
    void manyToOneOfKnownVariancesIsDunnetts(int differences, double quantile) {
        assertThat(alike(differences, 0.5, KNOWN)).isCloseTo(quantile, within(0.006));
    }

    /**
     * {@code P = ∫ φ(z) Πᵢ ∫ f(s; νᵢ) [Φ((tᵢs + λᵢz) / √(1 − λᵢ²)) − Φ((−tᵢs + λᵢz) / √(1 − λᵢ²))] ds dz} by
     * scipy.integrate.quad, with f the density of χ/√ν, solved for P = 0.95 by scipy.optimize.brentq.
     */
    @Test
    void manyToOneOfEstimatedVariances() {
        assertThat(alike(4, 0.5, 8)).isCloseTo(3.15367, within(2e-4));
        assertThat(alike(16, 0.5, 20)).isCloseTo(3.25931, within(2e-4));
        assertThat(quantiles(
                        List.of(
                                new ManyToOne.MeanDifference(0.3, 4),
                                new ManyToOne.MeanDifference(0.5, 10),
                                new ManyToOne.MeanDifference(0.7, 30)),
                        0.05))
                .containsExactly(new double[] {3.87679, 2.82876, 2.50539}, within(2e-4));
    }

    /**
     * A reference without error leaves them independent (Šidák); one that is all of the error leaves one comparison.
     */
    @Test
    void manyToOneBetweenItsBounds() {
        double sidak = TDistribution.of(6).inverseSurvivalProbability((1 - Math.pow(0.95, 1.0 / 7)) / 2);
        assertThat(alike(7, 0, 6)).isCloseTo(sidak, within(2e-4));
        assertThat(alike(7, 1, KNOWN)).isBetween(1.96, 2.3);
        assertThat(alike(1, 0.5, 4)).isCloseTo(2.776445, within(1e-6));
    }

    /** scipy.stats.studentized_range.ppf(.95, means, freedom) */
    @ParameterizedTest
    @CsvSource({
        "2, 4, 3.926486",
        "3, 5, 4.601726",
        "5, 10, 4.654293",
        "10, 20, 5.007883",
        "17, 13, 5.930591",
        "17, 64, 5.093001"
    })
    void theStudentizedRange(int means, double freedom, double range) {
        assertThat(StudentizedRange.below(range, means, freedom)).isCloseTo(0.95, within(1e-5));
        double quantile = StudentizedRange.quantile(means, freedom, 0.05) * Math.sqrt(2);
        assertThat(quantile).isBetween(range - 1e-3, range * 1.006);
    }

    /** E. S. Pearson and H. O. Hartley, Biometrika Tables for Statisticians I, table 29: 9 means, 95 %, ν = ∞. */
    @Test
    void theRangeOfMeansOfKnownVariance() {
        assertThat(StudentizedRange.quantile(9, KNOWN, 0.05) * Math.sqrt(2)).isCloseTo(4.39, within(0.006));
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "4", "8", "30", "300", "100000"})
    void anEstimatedDeviationIsRightOnAverage(double freedom) {
        Quadrature deviation = Quadrature.estimatedDeviation(freedom);
        assertThat(deviation.mean(s -> 1)).isCloseTo(1, within(2e-5));
        assertThat(deviation.mean(s -> s * s)).isCloseTo(1, within(2e-5));
    }

    private static double alike(int differences, double share, double freedom) {
        return quantiles(Collections.nCopies(differences, new ManyToOne.MeanDifference(share, freedom)), 0.05)[0];
    }

    /** The half-width of each interval in standard errors. */
    private static double[] quantiles(List<ManyToOne.MeanDifference> differences, double misses) {
        double tail = ManyToOne.tail(differences, misses);
        return differences.stream()
                .mapToDouble(each -> TDistribution.of(each.freedom()).inverseSurvivalProbability(tail))
                .toArray();
    }
}
