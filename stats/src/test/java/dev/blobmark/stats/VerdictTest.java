package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictTest {

    private static final Margin TWO_PERCENT = Margin.of(0.02);

    @Test
    void isFasterOrSlowerWhereTheIntervalExcludesOne() {
        assertThat(Verdict.of(interval(1.03, 1.10), true, TWO_PERCENT)).isEqualTo(new Verdict.Faster(false));
        assertThat(Verdict.of(interval(0.90, 0.97), true, TWO_PERCENT)).isEqualTo(new Verdict.Slower(false));
    }

    @Test
    void followsTheMetricsDirection() {
        assertThat(Verdict.of(interval(1.03, 1.10), false, TWO_PERCENT)).isEqualTo(new Verdict.Slower(false));
        assertThat(Verdict.of(interval(0.90, 0.97), false, TWO_PERCENT)).isEqualTo(new Verdict.Faster(false));
    }

    @Test
    void saysThatAnEstablishedDifferenceIsNegligible() {
        assertThat(Verdict.of(interval(1.001, 1.015), true, TWO_PERCENT)).isEqualTo(new Verdict.Faster(true));
        assertThat(Verdict.of(interval(0.985, 0.999), true, TWO_PERCENT)).isEqualTo(new Verdict.Slower(true));
    }

    @Test
    void isEqualWhereTheWholeIntervalLiesWithinTheMargin() {
        assertThat(Verdict.of(interval(0.98, 1.02), true, TWO_PERCENT)).isEqualTo(new Verdict.Equal(0.02));
        assertThat(Verdict.of(interval(1, 1), true, Margin.of(0))).isEqualTo(new Verdict.Equal(0));
    }

    @Test
    void isInconclusiveWhereItReachesBeyondTheMargin() {
        assertThat(Verdict.of(interval(0.979, 1.01), true, TWO_PERCENT)).isInstanceOf(Verdict.Inconclusive.class);
        assertThat(Verdict.of(interval(0.99, 1.021), true, TWO_PERCENT)).isInstanceOf(Verdict.Inconclusive.class);
    }

    @Test
    void isInconclusiveWithoutAnIntervalAndTellsWhy() {
        assertThat(Verdict.of(new Interval.None("1 round measured"), true, TWO_PERCENT))
                .isEqualTo(new Verdict.Inconclusive("1 round measured"));
    }

    @Test
    void neverCallsEqualWhatTheControlCouldNotTellApart() {
        Margin margin = Margin.of(0.02, interval(0.97, 1.01));

        assertThat(margin.effective()).isCloseTo(0.03, within(1e-12));
        assertThat(Verdict.of(interval(0.975, 1.01), true, margin)).isEqualTo(new Verdict.Equal(margin.effective()));
        assertThat(Margin.of(0.02, interval(0.99, 1.01)).effective()).isEqualTo(0.02);
        assertThat(Margin.of(0.02, interval(1.01, 1.05)).effective()).isCloseTo(0.05, within(1e-12));
    }

    @Test
    void callsNothingEqualWhereTheNoiseFloorIsUnknownOrEverything() {
        Margin unknown = Margin.of(0.02, new Interval.None("1 round measured"));
        Margin everything = Margin.of(0.02, interval(0.5, 2));

        assertThat(Verdict.of(interval(0.999, 1.001), true, unknown)).isInstanceOf(Verdict.Inconclusive.class);
        assertThat(Verdict.of(interval(0.999, 1.001), true, everything)).isInstanceOf(Verdict.Inconclusive.class);
        Margin tooMuch = Margin.of(0.02, interval(0.89, 1.01));
        assertThat(Verdict.of(interval(0.999, 1.001), true, tooMuch)).isInstanceOf(Verdict.Inconclusive.class);
        Margin asWanted = Margin.of(0.12, interval(0.89, 1.01));
        assertThat(Verdict.of(interval(0.999, 1.001), true, asWanted)).isEqualTo(new Verdict.Equal(0.12));
        assertThat(Verdict.of(interval(1.1, 1.2), true, unknown)).isEqualTo(new Verdict.Faster(false));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.01, 1, 2, Double.NaN})
    void refusesMarginsThatAreNoShare(double wanted) {
        assertThatThrownBy(() -> Margin.of(wanted))
                .hasMessage("margin: " + wanted + " is not between 0 and 1; give 0.02 for 2 %");
    }

    private static Interval interval(double low, double high) {
        return new Interval.Range(low, high, Confidence.USUAL, Unit.FORK, 3);
    }
}
