package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.stats.MethodComparisons.Comparison;
import dev.blobmark.stats.Precision.Next;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.Variance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrecisionTest {

    private static final double[] LOGS = {0.01, 0.03, -0.02, 0.015, 0, 0.025, -0.01, 0.005, 0.02, -0.015};

    /**
     *
     *
     * <pre>
     * sd = LOGS.std(ddof=1); n = 10
     * while scipy.stats.t.ppf(1 - .8 * .025, n - 1) * sd / sqrt(n) > log1p(target): n += 1     # n - 10: 6 for .01, 2 for .012
     * </pre>
     */
    @ParameterizedTest
    @CsvSource({"0.01, 6", "0.012, 2"})
    void plansFromTheVarianceSeen(double target, int more) {
        assertThat(new Precision(target, Confidence.USUAL).next(List.of(forks(LOGS))))
                .isEqualTo(new Next.MeasureMore(more));
    }

    /** {@code expm1(t.ppf(1 - .8 * .025, 9) * sd / sqrt(10))} is 0.0130748. */
    @Test
    void stopsOnceTheIntervalIsNarrowEnough() {
        assertThat(new Precision(0.01308, Confidence.USUAL).next(List.of(forks(LOGS))))
                .isEqualTo(new Next.Enough());
        assertThat(new Precision(0.01307, Confidence.USUAL).next(List.of(forks(LOGS))))
                .isInstanceOf(Next.MeasureMore.class);
    }

    @Test
    void asksForMoreWhenAFamilyShallBeRight() {
        assertThat(new Precision(0.01308, Confidence.USUAL).next(List.of(among(16, LOGS))))
                .isInstanceOf(Next.MeasureMore.class);
    }

    @Test
    void measuresTheLeastNumberFirstHoweverAlikeTheyAre() {
        Precision precision = new Precision(0.01, Confidence.USUAL);

        assertThat(precision.next(List.of(forks(0, 0, 0)))).isEqualTo(new Next.MeasureMore(Precision.MIN_UNITS - 3));
        assertThat(precision.next(List.of(forks(new double[Precision.MIN_UNITS]))))
                .isEqualTo(new Next.Enough());
        assertThat(precision.next(List.of(forks()))).isEqualTo(new Next.MeasureMore(Precision.MIN_UNITS));
    }

    @Test
    void atMostDoublesWhatThereIs() {
        double[] wild = Arrays.stream(LOGS).map(log -> 100 * log).toArray();

        assertThat(new Precision(0.01, Confidence.USUAL).next(List.of(forks(wild))))
                .isEqualTo(new Next.MeasureMore(10));
    }

    @Test
    void followsTheComparisonThatNeedsMost() {
        Comparison quiet = forks(Arrays.stream(LOGS).map(log -> log / 10).toArray());

        assertThat(new Precision(0.01, Confidence.USUAL).next(List.of(quiet, forks(LOGS), quiet)))
                .isEqualTo(new Next.MeasureMore(6));
    }

    @Test
    void widensTheIntervalsThatAreShown() {
        Precision precision = new Precision(0.01, Confidence.USUAL.among(4));

        assertThat(precision.confidence()).isEqualTo(new Confidence(0.95, 4, 0.8));
        assertThat(Interval.quantile(precision.confidence(), 10))
                .isGreaterThan(Interval.quantile(Confidence.USUAL.among(4), 10));
    }

    @Test
    void refusesToMixUnits() {
        Comparison rounds = new Comparison(
                "b",
                "base",
                new Ratios(Unit.ROUND, List.of(List.of(0.1)), 0),
                new Effect(1, Interval.none(Unit.ROUND, 1)),
                Optional.empty());
        Precision precision = new Precision(0.01, Confidence.USUAL);

        assertThatThrownBy(() -> precision.next(List.of(rounds, forks(LOGS))))
                .hasMessage("precision needs comparisons over one kind of unit, but has [ROUND, FORK]");
        assertThatThrownBy(() -> precision.next(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.01, 1.01, Double.NaN})
    void refusesTargetsThatAreNoShare(double target) {
        assertThatThrownBy(() -> new Precision(target, Confidence.USUAL))
                .hasMessage("precision: " + target + " is not above 0 and at most 1; give 0.01 for 1 %");
    }

    private static Comparison forks(double... logs) {
        return among(1, logs);
    }

    private static Comparison among(int family, double... logs) {
        Ratios ratios =
                new Ratios(Unit.FORK, Arrays.stream(logs).mapToObj(List::of).toList(), 0);
        double deviation = logs.length < 2 ? 0 : Math.sqrt(Variance.of(logs).getAsDouble());
        return new Comparison(
                "a",
                "base",
                ratios,
                new Effect(1, Interval.none(Unit.FORK, 1)),
                deviation == 0
                        ? Optional.empty()
                        : Optional.of(new Spread(
                                deviation,
                                logs.length - 1,
                                Confidence.USUAL.whenStopped().among(family).tail(),
                                logs.length)));
    }
}
