package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class VarianceComponentsTest {

    private static final Ratios RATIOS = forks(
            new double[] {0.010, 0.018, 0.013, 0.021},
            new double[] {0.052, 0.047, 0.055, 0.049},
            new double[] {0.029, 0.038, 0.030, 0.026},
            new double[] {-0.004, 0.006, -0.010, 0.001});

    /**
     *
     *
     * <pre>
     * r = statsmodels.formula.api.mixedlm('y ~ 1', d, groups=d.fork).fit(reml=True); r.cov_re; r.scale   # statsmodels 0.15.0
     * 0.00049183, 2.74386e-05                                          (iterated; for balanced samples equal to the next)
     * g.mean(1).var(ddof=1) - g.var(axis=1, ddof=1).mean() / 4; g.var(axis=1, ddof=1).mean()               # numpy
     * </pre>
     */
    @Test
    void separatesForksFromRounds() {
        VarianceComponents components = VarianceComponents.of(RATIOS);

        assertThat(components.betweenForks()).isCloseTo(0.00049190625, within(1e-15));
        assertThat(components.withinForks()).isCloseTo(2.7437500000000003e-05, within(1e-15));
        assertThat(components.betweenForks()).isCloseTo(0.0004918281537735369, within(1e-6));
        assertThat(components.withinForks()).isCloseTo(2.7438570562164315e-05, within(1e-8));
    }

    /** By hand: the fork means are 1, 1 and 10. */
    @Test
    void takesTheHarmonicMeanOfUnequalRounds() {
        VarianceComponents components = VarianceComponents.of(
                forks(new double[] {0.0, 2.0}, new double[] {0.0, 1.0, 2.0, 1.0}, new double[] {10.0, 10.0}));

        double within = (2 + 2 + 0) / 5.0; // sums of squares over degrees of freedom 1 + 3 + 1
        assertThat(components.withinForks()).isCloseTo(within, within(1e-12));
        assertThat(components.betweenForks())
                .isCloseTo(
                        27 - within * (1 / 2.0 + 1 / 4.0 + 1 / 2.0) / 3, within(1e-12)); // variance of 1, 1, 10 is 27
    }

    /** {@code sqrt(30 / .5 * within / between)} is 1.83, with 600 for 30 it is 8.18. */
    @Test
    void findsTheRoundsThatATimeIsBestSpentOn() {
        VarianceComponents components = VarianceComponents.of(RATIOS);

        assertThat(components.bestRoundsPerFork(30, 0.5, 100)).isEqualTo(2);
        assertThat(components.bestRoundsPerFork(600, 0.5, 100)).isEqualTo(9);
        assertThat(components.bestRoundsPerFork(600, 0.5, 4)).isEqualTo(4);
        assertThat(components.bestRoundsPerFork(0, 0.5, 100)).isEqualTo(1);
    }

    /** Of all numbers of rounds, the one found gives the least variance per total time, to within the rounding. */
    @Test
    void isTheMinimumOfVarianceTimesCost() {
        VarianceComponents components = new VarianceComponents(1e-4, 9e-4);
        int best = components.bestRoundsPerFork(8, 1, 100);

        assertThat(best).isEqualTo(9);
        for (int rounds = 1; rounds <= 100; rounds++) {
            assertThat(product(components, 8, 1, best)).isLessThanOrEqualTo(product(components, 8, 1, rounds) * 1.001);
        }
    }

    @Test
    void putsAllRoundsIntoOneForkWhereForksDoNotDiffer() {
        VarianceComponents same = VarianceComponents.of(forks(new double[] {0.0, 0.2}, new double[] {0.2, 0.0}));

        assertThat(same.betweenForks()).isZero();
        assertThat(same.bestRoundsPerFork(1, 1, 50)).isEqualTo(50);
        assertThat(same.bestRoundsPerFork(0, 1, 50)).isEqualTo(50);
        assertThat(new VarianceComponents(0, 0).bestRoundsPerFork(1, 1, 50)).isEqualTo(1);
    }

    @Test
    void needsTwoForksOfTwoRounds() {
        assertThatThrownBy(() -> VarianceComponents.of(forks(new double[] {0.1, 0.2}, new double[] {0.1})))
                .hasMessage("variance components need 2 forks with 2 rounds each; there are 2 with [2, 1]");
        assertThatThrownBy(() -> VarianceComponents.of(forks(new double[] {0.1, 0.2})))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VarianceComponents(1, 1).bestRoundsPerFork(1, 0, 5))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static double product(VarianceComponents components, double forkSeconds, double roundSeconds, int rounds) {
        return (components.betweenForks() + components.withinForks() / rounds) * (forkSeconds + roundSeconds * rounds);
    }

    private static Ratios forks(double[]... forks) {
        return new Ratios(
                Unit.FORK,
                Arrays.stream(forks)
                        .map(rounds -> Arrays.stream(rounds).boxed().toList())
                        .toList(),
                0);
    }
}
