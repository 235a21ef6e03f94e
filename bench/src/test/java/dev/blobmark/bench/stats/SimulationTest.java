package dev.blobmark.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Precision;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** What docs/statistics.md promises, on studies whose truth is known. Seeds are fixed: the same studies each time. */
@Execution(ExecutionMode.CONCURRENT)
class SimulationTest {

    private static final List<Noise> NOISES = Noise.ALL;

    private final Simulation simulation = new Simulation(2_000, 7);

    @ParameterizedTest
    @FieldSource("NOISES")
    void intervalsOverThreeForksAndMoreCoverTheTruth(Noise noise) {
        for (int forks : new int[] {3, 5, 10}) {
            assertThat(simulation.coverage(IntervalRule.T_ON_FORKS, noise, forks, 2))
                    .as("%d forks", forks)
                    .isGreaterThanOrEqualTo(0.93);
        }
    }

    /** The simulation can tell a bad interval: this one takes rounds of a fork for independent. */
    @Test
    void resamplingRoundsDoesNotCover() {
        assertThat(simulation.coverage(IntervalRule.PERCENTILE_OF_ROUNDS, Noise.FORKS, 5, 5))
                .isLessThan(0.8);
    }

    private static final List<Noise> OF_VISITS = Noise.OF_VISITS;

    /** Of 200 studies, 95 % are seen as less than 91 % in one of 100 series. */
    @ParameterizedTest
    @FieldSource("OF_VISITS")
    void intervalsOfManyMethodsHoldTogetherAndAreNarrow(Noise noise) {
        for (int methods : new int[] {8, 17}) {
            var found = new Simulation(200, 7).simultaneous(noise, 5, 20, methods);

            assertThat(found.together()).as("%d methods", methods).isGreaterThanOrEqualTo(0.90);
            assertThat(found.pairs()).as("%d methods", methods).isGreaterThanOrEqualTo(0.88);
            assertThat(found.width()).isLessThan(0.75 * found.widthBefore());
        }
    }

    @ParameterizedTest
    @FieldSource("NOISES")
    void fewFamiliesOfTwinsHaveAWinner(Noise noise) {
        assertThat(new Simulation(300, 7).simultaneous(noise, 5, 2, 17).together())
                .isGreaterThanOrEqualTo(0.91);
    }

    @Test
    void uncorrectedFamiliesOfTwinsOftenHaveAWinner() {
        assertThat(new Simulation(500, 7).falseVerdicts(Noise.FORKS, 5, 2, 16, Confidence.USUAL))
                .isGreaterThan(0.2);
    }

    @ParameterizedTest
    @CsvSource({"0.01", "0.015", "0.02", "0.03"})
    void stoppingAtAPrecisionKeepsTheCoverage(double forkDeviation) {
        Noise noise = new Noise("forks", 0.01, forkDeviation, 0, 0, 0, 0, 0);
        var stopped = simulation.stopped(new Precision(0.01, Confidence.USUAL), noise, 2, 1, 0.03, 400);

        assertThat(stopped.coverage()).isGreaterThanOrEqualTo(0.93);
        assertThat(stopped.reached()).isGreaterThan(0.99);
        assertThat(stopped.found()).isGreaterThan(0.8);
    }

    @Test
    void stoppingAtAPrecisionKeepsTheCoverageOfSeveralMethods() {
        Noise noise = new Noise("forks", 0.01, 0.015, 0, 0, 0, 0, 0);
        var stopped = new Simulation(300, 7).stopped(new Precision(0.01, Confidence.USUAL), noise, 2, 4, 0.03, 400);

        assertThat(stopped.coverage()).isGreaterThanOrEqualTo(0.92);
        assertThat(stopped.reached()).isGreaterThan(0.99);
    }

    @ParameterizedTest
    @CsvSource({"0.02, 0", "0.05, 0", "0.05, 0.05", "0.1, 0"})
    void decidingKeepsTheCoverage(double forkDeviation, double effect) {
        Noise noise = new Noise("forks", 0.05, forkDeviation, 0, 0, 0, 0, 0);

        assertThat(simulation.decided(noise, 5, 4, 1, effect, 60).coverage()).isGreaterThanOrEqualTo(0.94);
    }

    @Test
    void percentilesCoverThatOfAllForks() {
        assertThat(new Simulation(500, 7).percentileCoverage(99, 5)[0]).isGreaterThanOrEqualTo(0.92);
    }

    @ParameterizedTest
    @CsvSource({"5", "8", "10", "20", "50"})
    void noiseIsSeldomTakenForLevels(int figures) {
        for (double variation : new double[] {0.05, 0.1, 0.2}) {
            assertThat(simulation.falseLevels(figures, variation)).isLessThanOrEqualTo(0.02);
            assertThat(simulation.falseLevelsOfDrift(figures, variation)).isLessThanOrEqualTo(0.03);
        }
    }

    @Test
    void levelsAreFound() {
        assertThat(simulation.foundLevels(5, 0.05)).isGreaterThan(0.95);
        assertThat(simulation.foundLevels(10, 0.1)).isGreaterThan(0.99);
        assertThat(simulation.foundLevels(20, 0.2)).isGreaterThan(0.9);
    }
}
