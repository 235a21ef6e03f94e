package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PercentileTest {

    /**
     * Four forks with 1,000 operations each, of 100, 200 … 100,000 ns and of 1.03, 0.98 and 1.01 times that.
     *
     * <pre>
     * F = [numpy.arange(1, 1001) * k for k in (100, 103, 98, 101)]
     * pc = lambda v, p: numpy.sort(v)[math.ceil(p / 100 * len(v)) - 1]; t = pc(numpy.concatenate(F), p)
     * J = numpy.log([pc(numpy.concatenate(F[:i] + F[i + 1:]), p) for i in range(4)])
     * se = numpy.sqrt(3 / 4 * ((J - J.mean()) ** 2).sum()); q = scipy.stats.t.ppf(.975, 3)
     * t * exp(-q * se), t * exp(q * se)    # 48663.08, 51938.25; 96683.40, 103430.38
     * </pre>
     */
    @ParameterizedTest
    @CsvSource({"50, 50274, 48663, 51938", "99, 100000, 96683, 103430"})
    void leavesOutForksOneAtATime(double percent, double value, double low, double high) {
        List<List<Histogram>> byFork = new ArrayList<>();
        for (int step : new int[] {100, 103, 98, 101}) {
            byFork.add(List.of(steps(step, 1, 500), steps(step, 501, 1000)));
        }

        assertThat(Percentile.of(byFork, percent, Confidence.USUAL))
                .isEqualTo(new Percentile(value, new Interval.Range(low, high, Confidence.USUAL, Unit.FORK, 4)));
    }

    @Test
    void leavesOutRoundsWhereThereIsOneFork() {
        List<Histogram> rounds =
                List.of(steps(100, 1, 1000), steps(103, 1, 1000), steps(98, 1, 1000), steps(101, 1, 1000));

        assertThat(Percentile.of(List.of(rounds), 50, Confidence.USUAL))
                .isEqualTo(new Percentile(50274, new Interval.Range(48663, 51938, Confidence.USUAL, Unit.ROUND, 4)));
    }

    @Test
    void leavesItsInputAsItWas() {
        Histogram first = steps(100, 1, 1000);
        Histogram second = steps(103, 1, 1000);
        Percentile.of(List.of(List.of(first), List.of(second)), 50, Confidence.USUAL);

        assertThat(first).isEqualTo(steps(100, 1, 1000));
        assertThat(second).isEqualTo(steps(103, 1, 1000));
    }

    @Test
    void isNoFinerThanItsBuckets() {
        Histogram coarse = new Histogram(2);
        coarse.recordValueWithCount(100_000, 1_000);
        Percentile percentile = Percentile.of(List.of(List.of(coarse), List.of(coarse)), 50, Confidence.USUAL);

        assertThat(percentile.interval())
                .isEqualTo(new Interval.Range(
                        coarse.lowestEquivalentValue(100_000),
                        coarse.highestEquivalentValue(100_000),
                        Confidence.USUAL,
                        Unit.FORK,
                        2));
        assertThat(((Interval.Range) percentile.interval()).low()).isLessThan(100_000);
    }

    @Test
    void hasNoIntervalOfAPercentileThatTooFewOperationsReach() {
        List<List<Histogram>> byFork = List.of(List.of(steps(100, 1, 1000)), List.of(steps(101, 1, 1000)));

        assertThat(Percentile.of(byFork, 99.9, Confidence.USUAL).interval())
                .isEqualTo(new Interval.None("only 2.0 of 2000 operations lie beyond p99.9; it takes 10"));
        assertThat(Percentile.of(byFork, 99.5, Confidence.USUAL).interval()).isInstanceOf(Interval.Range.class);
    }

    @Test
    void hasNoIntervalOfOneRound() {
        assertThat(Percentile.of(List.of(List.of(steps(100, 1, 1000))), 50, Confidence.USUAL))
                .isEqualTo(new Percentile(50_000, new Interval.None("1 round measured; an interval needs 2 or more")));
    }

    @Test
    void survivesForksThatHaveNothingInCommon() {
        List<List<Histogram>> byFork = List.of(List.of(steps(1, 1, 1000)), List.of(steps(100_000_000, 1, 1000)));

        assertThat(Percentile.of(byFork, 50, Confidence.USUAL).interval())
                .isInstanceOfSatisfying(Interval.Range.class, range -> {
                    assertThat(range.low()).isZero();
                    assertThat(range.high()).isGreaterThan(1e11);
                });
    }

    @Test
    void leavesOutForksWithoutOperations() {
        Histogram empty = new Histogram(3);

        assertThat(Percentile.of(
                                List.of(List.of(steps(100, 1, 1000)), List.of(empty), List.of(steps(103, 1, 1000))),
                                50,
                                Confidence.USUAL)
                        .interval())
                .isInstanceOfSatisfying(
                        Interval.Range.class, range -> assertThat(range.units()).isEqualTo(2));
        assertThatThrownBy(() -> Percentile.of(List.of(List.of(empty)), 50, Confidence.USUAL))
                .hasMessage("p50.0: no operation was recorded; leave out trials that completed none");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 100, -1, Double.NaN})
    void refusesWhatIsNoPercentile(double percent) {
        assertThatThrownBy(() -> Percentile.of(List.of(List.of(steps(1, 1, 100))), percent, Confidence.USUAL))
                .hasMessage("percentile: " + percent + " is not between 0 and 100; give 99 for p99");
    }

    /** With 5 digits every value below 262,144 has a bucket to itself. */
    private static Histogram steps(long step, int from, int to) {
        Histogram histogram = new Histogram(5);
        for (int i = from; i <= to; i++) {
            histogram.recordValue(i * step);
        }
        return histogram;
    }
}
