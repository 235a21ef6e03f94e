package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LimitTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throughput < -5%     | THROUGHPUT       | -5    | throughput < -5%",
                "throughput<-5%       | THROUGHPUT       | -5    | throughput < -5%",
                "operations < - 2.50 %| OPERATIONS       | -2.5  | operations < -2.5%",
                "compression-ratio<-1%| COMPRESSION_RATIO| -1    | compression-ratio < -1%",
                "throughput < -0%     | THROUGHPUT       | 0     | throughput < -0%",
                "throughput < 0%      | THROUGHPUT       | 0     | throughput < -0%",
                "p99 > +10%           | P99              | 10    | p99 > +10%",
                "p999>+0.5%           | P999             | 0.5   | p999 > +0.5%",
                "cpu > +150%          | CPU              | 150   | cpu > +150%",
                "disk > 0%            | DISK             | 0     | disk > +0%"
            })
    void readsALimit(String text, Metric metric, double percent, String canonical) {
        Limit limit = Limit.parse(text);

        assertThat(limit).isEqualTo(new Limit(metric, percent));
        assertThat(limit).hasToString(canonical);
        assertThat(Limit.parse(limit.toString())).isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "throughput        | this is not a limit; write 'METRIC < -X%' or 'METRIC > +X%', such as 'throughput < -5%'",
                "throughput < -5   | this is not a limit; write 'METRIC < -X%' or 'METRIC > +X%', such as 'throughput < -5%'",
                "throughput <= -5% | this is not a limit; write 'METRIC < -X%' or 'METRIC > +X%', such as 'throughput < -5%'",
                "troughput < -5%     | unknown metric 'troughput'; did you mean 'throughput'?",
                "throughput < 5%   | a fall has a minus; write 'throughput < -5%'",
                "throughput < +5%  | a fall has a minus; write 'throughput < -5%'",
                "throughput > +5%  | more throughput is no loss; write 'throughput < -5%'",
                "p99 < -5%         | more p99 is a loss; write 'p99 > +5%'",
                "p99 > 5%          | a rise has a plus; write 'p99 > +5%'",
                "throughput < -100%| nothing falls by 100 % or more; write less, such as 'throughput < -5%'"
            })
    void aMistakeIsNamedWithItsMend(String text, String problem) {
        assertThatThrownBy(() -> Limit.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "': " + problem);
    }

    @Test
    void aLimitInTheGoodDirectionIsRefused() {
        assertThatThrownBy(() -> new Limit(Metric.THROUGHPUT, 5)).hasMessageContaining("give -5");
        assertThatThrownBy(() -> new Limit(Metric.P99, -5)).hasMessageContaining("give +5");
    }

    @ParameterizedTest
    @CsvSource({
        "0.90, 0.88, 0.92,   EXCEEDED",
        "0.90, 0.88, 0.9499, EXCEEDED",
        "0.90, 0.85, 0.95,   INCONCLUSIVE", // it may be just at the limit
        "0.90, 0.80, 1.01,   INCONCLUSIVE",
        "0.97, 0.94, 1.00,   INCONCLUSIVE",
        "0.97, 0.95, 0.99,   KEPT", // slower, but not by so much
        "1.00, 0.99, 1.01,   KEPT",
        "1.30, 1.20, 1.40,   KEPT"
    })
    void aFallIsJudgedByEffectAndInterval(double ratio, double low, double high, Limit.LimitJudgement expected) {
        assertThat(Limit.parse("throughput < -5%").judge(effect(ratio, low, high)))
                .isEqualTo(expected);
        // a rise of the inverse, where less is better
        assertThat(new Limit(Metric.P99, (1 / 0.95 - 1) * 100).judge(effect(1 / ratio, 1 / high, 1 / low)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Metric.class)
    void withoutALossAnyLimitIsKept(Metric metric) {
        assertThat(new Limit(metric, 0).judge(effect(1, 1, 1))).isEqualTo(Limit.LimitJudgement.KEPT);
    }

    @Test
    void withoutAnIntervalNothingIsExceeded() {
        Effect effect = new Effect(0.1, new Interval.None("1 round measured; an interval needs 2 or more"));

        assertThat(Limit.parse("throughput < -5%").judge(effect)).isEqualTo(Limit.LimitJudgement.INCONCLUSIVE);
    }

    private static Effect effect(double ratio, double low, double high) {
        return new Effect(ratio, new Interval.Range(low, high, Confidence.USUAL, Unit.FORK, 3));
    }
}
