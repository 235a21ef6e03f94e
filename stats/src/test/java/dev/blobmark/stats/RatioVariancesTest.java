package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RatioVariancesTest {

    private static final Confidence AMONG_TEN = Confidence.USUAL.among(10);

    /** Five forks of some visits, each with a deviation around a true log ratio. */
    private static Ratios ratios(Random random, double truth, double deviation) {
        return new Ratios(
                Unit.FORK,
                IntStream.range(0, 5)
                        .mapToObj(fork -> IntStream.range(0, 20)
                                .mapToObj(visit -> truth + deviation * random.nextGaussian())
                                .toList())
                        .toList(),
                0);
    }

    private static double halfWidth(Effect effect) {
        return ((Interval.Range) effect.interval()).relativeHalfWidth();
    }

    @Test
    void manyComparisonsOfFewForksHaveNarrowerIntervalsTogether() {
        Random random = new Random(1);
        List<Ratios> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(ratios(random, 0.1 * i, 0.1));
        }
        RatioVariances variances = RatioVariances.of(all);
        double own = 0;
        double moderated = 0;
        for (Ratios ratios : all) {
            assertThat(variances.effect(ratios, AMONG_TEN).ratio())
                    .isEqualTo(Effect.of(ratios, AMONG_TEN).ratio());
            own += halfWidth(Effect.of(ratios, AMONG_TEN));
            moderated += halfWidth(variances.effect(ratios, AMONG_TEN));
        }
        assertThat(moderated).isLessThan(0.7 * own);
    }

    /** Over a slow link figures hardly vary, and the others do not say otherwise. */
    @Test
    void aQuietComparisonStaysQuietAmongNoisyOnes() {
        Random random = new Random(2);
        List<Ratios> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(ratios(random, 0, 0.2));
        }
        Ratios quiet = ratios(random, 0, 0.002);
        all.add(quiet);
        assertThat(halfWidth(RatioVariances.of(all).effect(quiet, AMONG_TEN)))
                .isLessThan(1.5 * halfWidth(Effect.of(quiet, AMONG_TEN)));
    }

    @Test
    void twoComparisonsHaveTheirOwnVariances() {
        Random random = new Random(3);
        List<Ratios> two = List.of(ratios(random, 0, 0.1), ratios(random, 1, 0.1));
        assertThat(RatioVariances.of(two).effect(two.get(0), AMONG_TEN)).isEqualTo(Effect.of(two.get(0), AMONG_TEN));
    }

    @Test
    void whatDoesNotVaryIsExact() {
        Random random = new Random(4);
        Ratios constant = new Ratios(Unit.FORK, List.of(List.of(0.5), List.of(0.5), List.of(0.5)), 0);
        List<Ratios> all = List.of(ratios(random, 0, 0.1), constant, ratios(random, 0, 0.1), ratios(random, 0, 0.1));
        Effect effect = RatioVariances.of(all).effect(constant, AMONG_TEN);
        assertThat(effect.ratio()).isCloseTo(Math.exp(0.5), within(1e-12));
        assertThat(halfWidth(effect)).isZero();
    }
}
