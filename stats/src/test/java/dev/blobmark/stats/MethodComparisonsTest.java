package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.stats.MethodComparisons.Comparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class MethodComparisonsTest {

    private static final int FORKS = 4;
    private static final int ROUNDS = 3;

    /**
     * Ratios, deviations, degrees of freedom and quantiles by numpy and scipy 1.17.1, from the formulas of
     * docs/statistics.md.
     */
    @Test
    void allAgainstABaselineByArithmetic() {
        List<Comparison> comparisons = new MethodComparisons(four(), Confidence.USUAL).to("m0");

        assertThat(comparisons).extracting(Comparison::method).containsExactly("m1", "m2", "m3");
        expect(comparisons.get(0), 1.087357, 0.071060, 0.973119, 1.215006);
        expect(comparisons.get(1), 1.206230, 0.069807, 1.081618, 1.345199);
        expect(comparisons.get(2), 1.356625, 0.090354, 1.178053, 1.562265);
        assertThat(range(comparisons.get(0)).confidence()).isEqualTo(Confidence.USUAL.among(3));
        assertThat(range(comparisons.get(0)).unit()).isEqualTo(Unit.FORK);
        assertThat(range(comparisons.get(0)).units()).isEqualTo(FORKS);
    }

    /**
     * {@code scipy.stats.studentized_range.ppf(1 - .75 * .05, 4, 6.8182) / sqrt(2)} is 3.562487; degrees of freedom are
     * rounded down a little.
     */
    @Test
    void allPairsByArithmetic() {
        Comparison pair = new MethodComparisons(four(), Confidence.USUAL)
                .pair("m3", "m2", 4)
                .orElseThrow();

        assertThat(pair.effect().ratio()).isCloseTo(1.124682, within(1e-6));
        assertThat(range(pair).low()).isCloseTo(0.935100, within(1e-3));
        assertThat(range(pair).high()).isCloseTo(1.352700, within(1e-3));
    }

    private static void expect(Comparison comparison, double ratio, double deviation, double low, double high) {
        assertThat(comparison.effect().ratio()).isCloseTo(ratio, within(1e-6));
        assertThat(comparison.spread().orElseThrow().deviation()).isCloseTo(deviation, within(1e-6));
        assertThat(comparison.spread().orElseThrow().freedom()).isCloseTo(6.8182, within(1e-4));
        assertThat(range(comparison).low()).isCloseTo(low, within(2e-5));
        assertThat(range(comparison).high()).isCloseTo(high, within(2e-5));
    }

    /** By the formulas of Smyth (2004), with scipy.special and scipy.optimize.brentq. */
    @Test
    void variancesAreModerated() {
        ModeratedVariances moderated = ModeratedVariances.of(
                new double[] {1, 4, 0.25, 9, 40}, new double[] {1, 1, 1, 1, 1}, new int[] {4, 4, 3, 4, 2});
        assertThat(moderated.priorFreedom()).isCloseTo(1.295024, within(1e-4));
        assertThat(moderated.factors())
                .containsExactly(new double[] {1.194425, 3.460704, 0.715831, 7.237835, 24.984497}, within(1e-4));

        ModeratedVariances alike =
                ModeratedVariances.of(new double[] {1, 1.1, 0.9}, new double[] {1, 1, 1}, new int[] {4, 4, 4});
        assertThat(alike.priorFreedom()).isInfinite();
        assertThat(alike.factors()).containsExactly(new double[] {1, 1, 1}, within(1e-12));
    }

    @Test
    void twoMethodsAreComparedByStudentsT() {
        Map<String, List<Figure>> two = four();
        two.keySet().retainAll(List.of("m0", "m3"));
        Comparison only = new MethodComparisons(two, Confidence.USUAL).to("m0").get(0);

        assertThat(only.effect()).isEqualTo(Effect.of(Ratios.byRound(two.get("m3"), two.get("m0")), Confidence.USUAL));
        assertThat(new MethodComparisons(two, Confidence.USUAL)
                        .toBest(List.of("m3", "m0"), 0)
                        .get(0)
                        .effect())
                .isEqualTo(Effect.of(Ratios.byRound(two.get("m0"), two.get("m3")), Confidence.USUAL));
    }

    @Test
    void whatDoesNotVaryHasAnIntervalWithoutWidth() {
        Map<String, List<Figure>> bytes = new LinkedHashMap<>();
        bytes.put("base", figures(f -> 1000));
        bytes.put("half", figures(f -> 500));
        bytes.put("third", figures(f -> 333));
        for (Comparison comparison : new MethodComparisons(bytes, Confidence.USUAL).to("base")) {
            assertThat(range(comparison).low()).isEqualTo(range(comparison).high());
            assertThat(comparison.spread()).isEmpty();
        }
        // next to others that vary, too
        bytes.putAll(four());
        Comparison half =
                new MethodComparisons(bytes, Confidence.USUAL).to("base").get(0);
        assertThat(range(half).low()).isEqualTo(range(half).high()).isCloseTo(0.5, within(1e-12));
    }

    @Test
    void roundsOfTheOnlyForkAreTheUnit() {
        Map<String, List<Figure>> one = new LinkedHashMap<>();
        four().forEach((method, its) -> one.put(
                method,
                its.stream()
                        .map(f -> new Figure(0, 0, 3 * f.fork() + f.round(), f.value()))
                        .toList()));
        Comparison first = new MethodComparisons(one, Confidence.USUAL).to("m0").get(0);

        assertThat(range(first).unit()).isEqualTo(Unit.ROUND);
        assertThat(range(first).units()).isEqualTo(FORKS * ROUNDS);
        assertThat(first.spread().orElseThrow().freedom()).isGreaterThan(FORKS * ROUNDS - 1);
    }

    @Test
    void oneRoundHasNoInterval() {
        Map<String, List<Figure>> one = new LinkedHashMap<>();
        four().forEach((method, its) -> one.put(method, its.subList(0, 1)));
        MethodComparisons comparisons = new MethodComparisons(one, Confidence.USUAL);

        assertThat(comparisons.to("m0").get(0).effect().interval())
                .isEqualTo(new Interval.None("1 round measured; an interval needs 2 or more"));
        assertThat(comparisons.tiers(List.of("m3", "m2", "m1", "m0"), 0).groups())
                .hasSize(1);
    }

    @Test
    void aMethodWithFewerForksRestsOnThose() {
        Map<String, List<Figure>> fewer = four();
        fewer.put("m2", fewer.get("m2").subList(0, 2 * ROUNDS));
        List<Comparison> comparisons = new MethodComparisons(fewer, Confidence.USUAL).to("m0");

        assertThat(range(comparisons.get(1)).units()).isEqualTo(2);
        assertThat(range(comparisons.get(1)).relativeHalfWidth())
                .isGreaterThan(range(comparisons.get(0)).relativeHalfWidth());
        assertThat(range(comparisons.get(0)).units()).isEqualTo(FORKS);
        // the methods of a fork that others lack are still compared in it
        fewer.put("m2", fewer.get("m2").subList(0, ROUNDS));
        Comparison ofOneFork =
                new MethodComparisons(fewer, Confidence.USUAL).to("m0").get(1);
        assertThat(range(ofOneFork).unit()).isEqualTo(Unit.ROUND);
    }

    /** A baseline that is visited twice in each round counts with the geometric mean of both. */
    @Test
    void severalVisitsOfARoundAreAveraged() {
        Map<String, List<Figure>> twice = four();
        List<Figure> more = new ArrayList<>();
        twice.get("m0").forEach(f -> {
            more.add(new Figure(f.block(), f.fork(), f.round(), f.value() * 1.1));
            more.add(new Figure(f.block(), f.fork(), f.round(), f.value() / 1.1));
        });
        twice.put("m0", more);
        Comparison comparison =
                new MethodComparisons(twice, Confidence.USUAL).to("m0").get(2);

        expect(comparison, 1.356625, 0.090354, 1.178053, 1.562265);
        assertThat(comparison.ratios().unmatched()).isZero();
    }

    /** Fewer visits leave more noise in a fork's mean. */
    @Test
    void fewerVisitsMakeAWiderInterval() {
        Map<String, List<Figure>> figures = four();
        figures.put("m1", figures.get("m1").stream().filter(f -> f.round() == 0).toList());
        Comparison fewer =
                new MethodComparisons(figures, Confidence.USUAL).to("m0").get(0);

        assertThat(fewer.spread().orElseThrow().deviation()).isGreaterThan(0.08);
        assertThat(range(fewer).units()).isEqualTo(FORKS);
    }

    @Test
    void methodsOfOtherBlocksAreComparedByPassWithTheCorrectionOfAll() {
        Map<String, List<Figure>> figures = four();
        figures.put(
                "m3",
                figures.get("m3").stream()
                        .map(f -> new Figure(1, f.fork(), f.round(), f.value()))
                        .toList());
        Comparison other =
                new MethodComparisons(figures, Confidence.USUAL).to("m0").get(2);

        assertThat(range(other).unit()).isEqualTo(Unit.BLOCK);
        assertThat(other.effect())
                .isEqualTo(Effect.of(Ratios.matched(figures.get("m3"), figures.get("m0")), Confidence.USUAL.among(3)));
    }

    @Test
    void theOnlyBestIsToldByNarrowerIntervalsThanPairs() {
        Map<String, List<Figure>> figures = four();
        figures.put("m4", figures(f -> 5 * value(4, f)));
        MethodComparisons comparisons = new MethodComparisons(figures, Confidence.USUAL);
        List<String> ranked = List.of("m4", "m3", "m2", "m1", "m0");

        List<Comparison> toBest = comparisons.toBest(ranked, 0.02);
        assertThat(toBest).extracting(Comparison::method).containsExactly("m3", "m2", "m1", "m0");
        assertThat(toBest).allMatch(its -> its.isApart(0.02));
        assertThat(range(toBest.get(0)).relativeHalfWidth())
                .isLessThan(range(comparisons.pair("m3", "m4", 5).orElseThrow()).relativeHalfWidth());
        assertThat(comparisons.tiers(ranked, 0.02).steps().get(0)).containsExactly("m4");
        // even that is no difference where the control shows more
        assertThat(comparisons.tiers(ranked, 20).groups()).hasSize(1);
    }

    @Test
    void tellsHowManyMoreForksWouldDo() {
        Spread spread = new Spread(0.05, 20, 0.004, 5);
        int more = spread.moreUnitsFor(0.02);

        assertThat(spread.reach(5 + more)).isLessThanOrEqualTo(Math.log1p(0.02));
        assertThat(spread.reach(4 + more)).isGreaterThan(Math.log1p(0.02));
        assertThat(new Spread(0.005, 20, 0.004, 5).moreUnitsFor(0.02)).isZero();
        assertThat(new Spread(50, 20, 0.004, 5).moreUnitsFor(0.0001)).isEqualTo(100_000 - 5);
    }

    private static Interval.Range range(Comparison comparison) {
        return (Interval.Range) comparison.effect().interval();
    }

    private static Map<String, List<Figure>> four() {
        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        for (int m = 0; m < 4; m++) {
            int method = m;
            figures.put("m" + m, figures(f -> value(method, f)));
        }
        return figures;
    }

    private static double value(int m, Figure at) {
        int f = at.fork();
        int r = at.round();
        return Math.exp(0.1 * m
                + 0.02 * ((7 * m + 3 * f) % 5 - 2)
                + 0.03 * ((5 * m + 2 * f + 3 * r * (m + 1)) % 7 - 3) * (1 + 0.5 * m));
    }

    private static List<Figure> figures(ToDoubleFunction<Figure> value) {
        List<Figure> figures = new ArrayList<>();
        for (int fork = 0; fork < FORKS; fork++) {
            for (int round = 0; round < ROUNDS; round++) {
                figures.add(new Figure(0, fork, round, value.applyAsDouble(new Figure(0, fork, round, 1))));
            }
        }
        return figures;
    }
}
