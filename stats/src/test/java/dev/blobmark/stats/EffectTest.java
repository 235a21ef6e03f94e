package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EffectTest {

    private static final Offset<Double> EXACTLY = within(1e-12);
    private static final double[][] METHOD = {{110, 108}, {104, 107}, {109, 115}};
    private static final double[][] BASELINE = {{100, 101}, {99, 100}, {100, 102}};
    private static final double[] METHOD_LOGS = Arrays.stream(METHOD)
            .mapToDouble(
                    rounds -> Arrays.stream(rounds).map(Math::log).average().orElseThrow())
            .toArray();
    private static final double[] OTHER_LOGS =
            Arrays.stream(new double[] {100, 101, 99, 104.5, 97}).map(Math::log).toArray();

    /**
     *
     *
     * <pre>
     * L = numpy.log(numpy.array(METHOD) / numpy.array(BASELINE)); f = L.mean(axis=1)
     * numpy.exp(f.mean()); numpy.exp(scipy.stats.t.interval(.95, 2, f.mean(), scipy.stats.sem(f)))   # scipy 1.17.1
     * </pre>
     */
    @Test
    void isTheGeometricMeanOverForksWithStudentsInterval() {
        Effect effect = Effect.of(Ratios.byRound(figures(METHOD), figures(BASELINE)), Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.0842602238910337, EXACTLY);
        assertRange(effect.interval(), 1.025821999176987, 1.1460275116496137, Unit.FORK, 3);
    }

    /** As above, with {@code 1 - .05 / 16} for {@code .95}. */
    @Test
    void widensTheIntervalForAFamily() {
        Effect effect = Effect.of(Ratios.byRound(figures(METHOD), figures(BASELINE)), Confidence.USUAL.among(16));

        assertRange(effect.interval(), 0.8616500142511129, 1.364382537768543, Unit.FORK, 3);
        assertThat(((Interval.Range) effect.interval()).confidence()).isEqualTo(Confidence.USUAL.among(16));
    }

    /** Rounds of visits are not those of windows: a fork's means are compared, of all that it has. */
    @Test
    void visitsAndWholeWindowsAreMatchedByFork() {
        double[][] visits = {{110, 110, 110, 110}, {110, 110, 110, 110}, {110, 110, 110, 110}};
        double[][] windows = {{100}, {100}, {100}};

        Ratios ratios = Ratios.byRound(figures(visits), figures(windows));

        assertThat(ratios.unit()).isEqualTo(Unit.FORK);
        assertThat(ratios.unmatched()).isZero();
        assertThat(ratios.logRatios())
                .hasSize(3)
                .allSatisfy(fork -> assertThat(fork)
                        .singleElement()
                        .satisfies(log -> assertThat(log).isCloseTo(Math.log(1.1), EXACTLY)));
    }

    @Test
    void doesNotDependOnTheOrderOfFigures() {
        List<Figure> method = figures(METHOD);
        List<Figure> baseline = figures(BASELINE);
        Effect ordered = Effect.of(Ratios.byRound(method, baseline), Confidence.USUAL);
        Collections.shuffle(method, new Random(1));
        Collections.shuffle(baseline, new Random(2));

        assertThat(Effect.of(Ratios.byRound(method, baseline), Confidence.USUAL))
                .isEqualTo(ordered);
    }

    @Test
    void isInvertedWhenTheSidesAreSwapped() {
        Effect effect = Effect.of(Ratios.byRound(figures(METHOD), figures(BASELINE)), Confidence.USUAL);
        Effect swapped = Effect.of(Ratios.byRound(figures(BASELINE), figures(METHOD)), Confidence.USUAL);

        assertThat(swapped.ratio()).isCloseTo(1 / effect.ratio(), EXACTLY);
        assertRange(swapped.interval(), 1 / 1.1460275116496137, 1 / 1.025821999176987, Unit.FORK, 3);
    }

    /** {@code scipy.stats.t.interval(.95, 1, L[0].mean(), scipy.stats.sem(L[0]))} */
    @Test
    void takesRoundsForTheUnitWhereThereIsOneForkAndSaysSo() {
        Ratios ratios = Ratios.byRound(figures(METHOD[0]), figures(BASELINE[0]));
        Effect effect = Effect.of(ratios, Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.084544892460601, EXACTLY);
        assertRange(effect.interval(), 0.9060788174109676, 1.2981625893466546, Unit.ROUND, 2);
        assertThat(ratios.unit().scope()).contains("variance between forks is not covered");
    }

    /** As the first, with the mean of fork 2 replaced by its first round. */
    @Test
    void dropsAndCountsRoundsWithoutCounterpart() {
        List<Figure> baseline = figures(BASELINE);
        baseline.remove(5);
        baseline.add(new Figure(0, 7, 0, 100));
        Ratios ratios = Ratios.byRound(figures(METHOD), baseline);
        Effect effect = Effect.of(ratios, Confidence.USUAL);

        assertThat(ratios.unmatched()).isEqualTo(2);
        assertThat(effect.ratio()).isCloseTo(1.0781726995736152, EXACTLY);
        assertRange(effect.interval(), 1.0393402084326204, 1.1184560749929053, Unit.FORK, 3);
    }

    /**
     *
     *
     * <pre>
     * A = [[10,12],[11,13],[9,10]]; B = [[5,5.5],[5.2,5.9],[5.1,4.4]]
     * l = [log(a).mean() - log(b).mean() for a, b in zip(A, B)]; exp(scipy.stats.t.interval(.95, 2, mean(l), scipy.stats.sem(l)))
     * </pre>
     */
    @Test
    void takesPassesForTheUnitOfSidesThatRanInDifferentBlocks() {
        List<Figure> method = inBlock(7, figures(new double[] {10, 12}, new double[] {11, 13}, new double[] {9, 10}));
        List<Figure> baseline =
                figures(new double[] {5, 5.5}, new double[] {5.2, 5.9}, new double[] {5.1, 4.4}, new double[] {5, 5});
        Ratios ratios = Ratios.matched(method, baseline);
        Effect effect = Effect.of(ratios, Confidence.USUAL);

        assertThat(ratios.unmatched()).isEqualTo(2);
        assertThat(effect.ratio()).isCloseTo(2.082531033366123, EXACTLY);
        assertRange(effect.interval(), 1.8965349099912332, 2.286768085356794, Unit.BLOCK, 3);
    }

    /**
     *
     *
     * <pre>
     * a = numpy.log(METHOD).mean(axis=1); b = numpy.log([100, 101, 99, 104.5, 97])
     * exp(a.mean() - b.mean()); numpy.exp(scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(.95))
     * </pre>
     */
    @Test
    void takesWelchsIntervalOfSidesThatShareNoFork() {
        Effect effect = Effect.unpaired(METHOD_LOGS, OTHER_LOGS, Unit.FORK, Confidence.USUAL);
        Effect swapped = Effect.unpaired(OTHER_LOGS, METHOD_LOGS, Unit.FORK, Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.0849025517941338, EXACTLY);
        assertRange(effect.interval(), 1.0232339949977316, 1.1502877666726, Unit.FORK, 3);
        assertThat(swapped.ratio()).isCloseTo(1 / effect.ratio(), EXACTLY);
        assertRange(swapped.interval(), 1 / 1.1502877666726, 1 / 1.0232339949977316, Unit.FORK, 3);
    }

    /** As above, with {@code 1 - .05 / 16} for {@code .95}. */
    @Test
    void widensWelchsIntervalForAFamily() {
        Effect effect = Effect.unpaired(METHOD_LOGS, OTHER_LOGS, Unit.FORK, Confidence.USUAL.among(16));

        assertRange(effect.interval(), 0.9493570609789707, 1.2398006980384122, Unit.FORK, 3);
    }

    /** {@code scipy.stats.ttest_ind(a, b, equal_var=True)}, with a and b as above. */
    @Test
    void poolsTheVarianceOfSidesThatAreEquallyNoisy() {
        Effect effect = Effect.pooled(METHOD_LOGS, OTHER_LOGS, Unit.RUN, Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.0849025517941338, EXACTLY);
        assertRange(effect.interval(), 1.0313944873055005, 1.1411865793120048, Unit.RUN, 7);
    }

    /** {@code s = b.std(ddof=1) * sqrt(1 + 1/5)}, and {@code scipy.stats.t.ppf(.975, 4)} of them. */
    @Test
    void holdsASingleUnitAgainstSeveral() {
        Effect effect = Effect.pooled(new double[] {METHOD_LOGS[0]}, OTHER_LOGS, Unit.RUN, Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.0870244227129662, EXACTLY);
        assertRange(effect.interval(), 0.9997485016421133, 1.1819193463492188, Unit.RUN, 5);
        assertThat(Effect.pooled(new double[] {0}, new double[] {0}, Unit.RUN, Confidence.USUAL)
                        .interval())
                .isEqualTo(new Interval.None("1 run measured; an interval needs 2 or more"));
        assertThatThrownBy(() -> Effect.pooled(new double[0], OTHER_LOGS, Unit.RUN, Confidence.USUAL))
                .hasMessageStartingWith("a side without figures has no ratio");
    }

    /**
     *
     *
     * <pre>
     * v = [var(x, ddof=1) / len(x) for x in (a, b, c)]; s = sum(v); df = s ** 2 / sum(w ** 2 / (len(x) - 1) for w, x in zip(v, (a, b, c)))
     * m = a.mean() + b.mean() + c.mean(); exp(m); numpy.exp(scipy.stats.t.interval(.95, df, m, s ** .5))
     * </pre>
     */
    @Test
    void multipliesIndependentFactors() {
        double[] a = {0.11, 0.13, 0.1, 0.12};
        double[] b = {-0.02, 0.01, 0.005};
        double[] c = {0.2, 0.26};
        Effect effect = Effect.product(List.of(a, b, c), Unit.FORK, Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.4096385631429458, EXACTLY);
        assertRange(effect.interval(), 1.1073935968197481, 1.7943763485776665, Unit.FORK, 2);
    }

    @Test
    void hasAnUnpairedIntervalOfNoWidthWhereNothingVaries() {
        double[] four = {Math.log(4), Math.log(4), Math.log(4)};
        double[] two = {Math.log(2), Math.log(2)};
        Effect effect = Effect.unpaired(four, two, Unit.FORK, Confidence.USUAL);

        assertRange(effect.interval(), 2, 2, Unit.FORK, 2);
    }

    @Test
    void hasNoUnpairedIntervalWhereASideHasOneUnit() {
        Effect effect = Effect.unpaired(METHOD_LOGS, new double[] {0}, Unit.FORK, Confidence.USUAL);

        assertThat(effect.interval()).isEqualTo(new Interval.None("1 fork measured; an interval needs 2 or more"));
    }

    @Test
    void refusesASideWithoutUnitsOrWithALogarithmThatIsNotFinite() {
        assertThatThrownBy(() -> Effect.unpaired(METHOD_LOGS, new double[0], Unit.FORK, Confidence.USUAL))
                .hasMessage("a side without figures has no ratio: the method has 3 forks, the baseline 0");
        assertThatThrownBy(
                        () -> Effect.unpaired(METHOD_LOGS, new double[] {0, Double.NaN}, Unit.FORK, Confidence.USUAL))
                .hasMessageStartingWith("unit 1: the logarithm NaN is not finite");
    }

    @Test
    void keepsForksOfDifferentBlocksApart() {
        List<Figure> method = List.of(new Figure(0, 0, 0, 2), new Figure(1, 0, 0, 3));
        List<Figure> baseline = List.of(new Figure(0, 0, 0, 1), new Figure(1, 0, 0, 1));

        assertThat(Ratios.byRound(method, baseline).units()).isEqualTo(2);
    }

    @Test
    void hasNoIntervalOfOneRound() {
        Effect effect = Effect.of(
                Ratios.byRound(List.of(new Figure(0, 0, 0, 3)), List.of(new Figure(0, 0, 0, 2))), Confidence.USUAL);

        assertThat(effect.ratio()).isCloseTo(1.5, EXACTLY);
        assertThat(effect.interval()).isEqualTo(new Interval.None("1 round measured; an interval needs 2 or more"));
    }

    @Test
    void hasAnIntervalOfNoWidthWhereNothingVaries() {
        double[][] bytes = {{4096, 4096}, {4096, 4096}};
        Effect effect = Effect.of(Ratios.byRound(figures(bytes), figures(bytes)), Confidence.USUAL);

        assertThat(effect.ratio()).isEqualTo(1);
        assertRange(effect.interval(), 1, 1, Unit.FORK, 2);
        assertThat(((Interval.Range) effect.interval()).relativeHalfWidth()).isZero();
    }

    @Test
    void tellsTheHalfWidthAroundTheGeometricMiddle() {
        assertThat(new Interval.Range(1 / 1.02, 1.02, Confidence.USUAL, Unit.FORK, 3).relativeHalfWidth())
                .isCloseTo(0.02, EXACTLY);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesFiguresThatHaveNoRatio(double value) {
        assertThatThrownBy(() -> new Figure(1, 2, 3, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("block 1, fork 2, round 3: " + value + " has no ratio to other figures; "
                        + "give positive, finite figures, and leave out rounds that have none");
    }

    @Test
    void severalVisitsOfARoundCountWithTheirGeometricMean() {
        List<Figure> twice = List.of(new Figure(0, 1, 2, 4), new Figure(0, 1, 2, 9));
        Ratios ratios = Ratios.byRound(twice, List.of(new Figure(0, 1, 2, 3)));

        assertThat(ratios.mean()).isCloseTo(Math.log(2), within(1e-12));
        assertThat(ratios.unmatched()).isZero();
    }

    @Test
    void refusesSidesWithNothingInCommon() {
        Ratios none = Ratios.byRound(List.of(new Figure(0, 0, 0, 1)), List.of(new Figure(0, 0, 1, 1)));

        assertThatThrownBy(() -> Effect.of(none, Confidence.USUAL))
                .hasMessage(
                        "no figures of method and baseline match (2 were left over); measure both in the same rounds");
    }

    @Test
    void refusesLogarithmsThatAreNotFinite() {
        assertThatThrownBy(() -> Interval.ofLogs(new double[] {0, Double.NaN}, Confidence.USUAL, Unit.FORK))
                .hasMessageStartingWith("unit 1: the logarithm NaN is not finite");
        assertThatThrownBy(() -> new Ratios(Unit.FORK, List.of(List.of(0.0), List.of()), 0))
                .hasMessageStartingWith("fork 1: [] are no log ratios");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, 95, Double.NaN})
    void refusesLevelsThatAreNoProbability(double level) {
        assertThatThrownBy(() -> new Confidence(level, 1, 1))
                .hasMessage("confidence level: " + level + " is not between 0 and 1; 0.95 is usual");
    }

    @Test
    void refusesAFamilyOfNone() {
        assertThatThrownBy(() -> Confidence.USUAL.among(0)).hasMessage("comparisons: 0 is not at least 1");
    }

    private static void assertRange(Interval interval, double low, double high, Unit unit, int units) {
        assertThat(interval).isInstanceOfSatisfying(Interval.Range.class, range -> {
            assertThat(range.low()).isCloseTo(low, EXACTLY);
            assertThat(range.high()).isCloseTo(high, EXACTLY);
            assertThat(range.unit()).isEqualTo(unit);
            assertThat(range.units()).isEqualTo(units);
        });
    }

    /** One row for each fork. */
    private static List<Figure> figures(double[]... forks) {
        List<Figure> figures = new ArrayList<>();
        for (int fork = 0; fork < forks.length; fork++) {
            for (int round = 0; round < forks[fork].length; round++) {
                figures.add(new Figure(0, fork, round, forks[fork][round]));
            }
        }
        return figures;
    }

    private static List<Figure> inBlock(int block, List<Figure> figures) {
        return figures.stream()
                .map(f -> new Figure(block, f.fork(), f.round(), f.value()))
                .toList();
    }
}
