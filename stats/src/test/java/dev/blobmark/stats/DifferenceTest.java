package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DifferenceTest {

    private static final double[][] METHOD = {{110, 108}, {104, 107}, {109, 115}};
    private static final double[][] BASELINE = {{100, 101}, {99, 100}, {100, 102}};

    /**
     * The forks' means are 8.5, 6 and 11: their mean is 8.5, and its error 2.5 ÷ √3, times 4.302653 for 2 degrees of
     * freedom.
     */
    @Test
    void isTheMeanOverForksWithStudentsInterval() {
        Difference difference = Difference.byRound(figures(METHOD), figures(BASELINE), Confidence.USUAL)
                .orElseThrow();

        assertThat(difference.mean()).isCloseTo(8.5, within(1e-12));
        assertThat(difference.low()).isCloseTo(8.5 - 6.2103, within(1e-4));
        assertThat(difference.high()).isCloseTo(8.5 + 6.2103, within(1e-4));
        assertThat(difference.unit()).isEqualTo(Unit.FORK);
        assertThat(difference.units()).isEqualTo(3);
    }

    @Test
    void ofOneForkItsRoundsAreTheUnits() {
        Difference difference = Difference.byRound(figures(METHOD).subList(0, 2), figures(BASELINE), Confidence.USUAL)
                .orElseThrow();

        assertThat(difference.mean()).isEqualTo(8.5);
        assertThat(difference.unit()).isEqualTo(Unit.ROUND);
        assertThat(Difference.byRound(figures(METHOD).subList(0, 1), figures(BASELINE), Confidence.USUAL))
                .isEmpty();
    }

    /** Of intervals that promise 95 %, about 5 in 100 may miss: of 2,000, 100 give or take three times 10. */
    @Test
    void coversTheTruthAsOftenAsItSays() {
        int missed = 0;
        for (int seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            List<Figure> method = new ArrayList<>();
            List<Figure> baseline = new ArrayList<>();
            for (int fork = 0; fork < 5; fork++) {
                double machine = 200 + 20 * random.nextGaussian();
                for (int round = 0; round < 4; round++) {
                    baseline.add(new Figure(0, fork, round, machine + random.nextGaussian()));
                    method.add(new Figure(0, fork, round, machine + 6 + random.nextGaussian()));
                }
            }
            Difference difference =
                    Difference.byRound(method, baseline, Confidence.USUAL).orElseThrow();
            missed += difference.low() <= 6 && 6 <= difference.high() ? 0 : 1;
        }
        assertThat(missed).isBetween(70, 130);
    }

    private static List<Figure> figures(double[][] forks) {
        List<Figure> figures = new ArrayList<>();
        for (int fork = 0; fork < forks.length; fork++) {
            for (int round = 0; round < forks[fork].length; round++) {
                figures.add(new Figure(0, fork, round, forks[fork][round]));
            }
        }
        return figures;
    }
}
