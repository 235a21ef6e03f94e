package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.advice.Advice.Segment;
import dev.blobmark.advice.Advice.SizeSegment;
import dev.blobmark.lab.link.Link;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class OutlookTest {

    @Test
    void theSlowerTheLinkTheSmallerTheRecommendation() {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        List<String> ids =
                advice.reach().links().stream().map(Segment::candidate).toList();
        assertThat(ids).containsExactly("zstd-3", "lz4", "as-is");
        assertThat(advice.reach().links().get(0).from()).isEqualTo(Outlook.LEAST_BYTES_PER_SECOND);
        assertThat(advice.reach().links().get(ids.size() - 1).to())
                .isEqualTo(Outlook.MOST_BYTES_PER_SECOND, within(1.0));
    }

    /** Where two candidates take equally long by the parts of the fixture. */
    @Test
    void aFlipIsWhereTheTimesCross() {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        Outlook outlook = Outlook.of(advice);
        Segment slow = advice.reach().links().get(0);
        TimeForecast.ForecastLoad at =
                new TimeForecast.ForecastLoad(Link.parse("1gbit 0ms").withBandwidth(slow.to()), 1, 1);
        double ratio = outlook.readNanos(advice.find("zstd-3").orElseThrow(), at)
                / outlook.readNanos(advice.find("lz4").orElseThrow(), at);
        // speed accepts 2 %
        assertThat(ratio).isBetween(0.95, 1.05);
    }

    /** What the forecast cannot decide lies between the ends of the segment and those of the sure range. */
    @Test
    void theSureRangeLiesWithinTheSegment() {
        for (Goal goal : Goal.values()) {
            Advice advice = AdviceFixture.advice(goal);
            Advice.Range surely = advice.reach().surelyByLink();
            double present = Link.parse(advice.question().link()).down().orElse(Outlook.MOST_BYTES_PER_SECOND);
            Segment segment = advice.reach().links().stream()
                    .filter(each -> each.from() <= present && present <= each.to())
                    .findFirst()
                    .orElseThrow();
            assertThat(segment.candidate()).isEqualTo(advice.recommended().id());
            assertThat(surely.from()).isBetween(segment.from(), present);
            assertThat(surely.to()).isBetween(present, segment.to() * 1.000001);
        }
        Advice speed = AdviceFixture.advice(Goal.SPEED);
        Outlook outlook = Outlook.of(speed);
        Advice.Range surely = speed.reach().surelyByLink();
        Candidate chosen = speed.recommended().candidate();
        // beyond the sure end, another one is better by more than speed accepts, and by less than the forecast may err
        TimeForecast.ForecastLoad beyond =
                new TimeForecast.ForecastLoad(Link.parse("1gbit 0ms").withBandwidth(surely.to() * 1.25), 1, 1);
        double best = speed.entries().stream()
                .filter(entry -> entry.raced().isPresent())
                .mapToDouble(entry -> outlook.readNanos(entry, beyond))
                .min()
                .orElseThrow();
        double excess = outlook.readNanos(speed.recommended(), beyond) / best - 1;
        assertThat(excess).isBetween(Goal.SPEED.tolerance(), Goal.SPEED.tolerance() + outlook.uncertainty());
        assertThat(outlook.recommended(chosen, beyond)).isEqualTo(chosen.id());
    }

    @Test
    void whatWasMeasuredCorrectsTheForecast() {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        Outlook outlook = Outlook.of(advice);
        TimeForecast.ForecastLoad load = new TimeForecast.ForecastLoad(Link.parse("1gbit 0ms"), 1, 1);
        advice.entries().stream()
                .filter(entry -> entry.raced().isPresent())
                .forEach(entry -> assertThat(outlook.readNanos(entry, load))
                        .isEqualTo(entry.raced().orElseThrow().readNanos(), within(1e-6)));
        Advice.Entry mysql = advice.find("mysql-6").orElseThrow();
        assertThat(outlook.readNanos(mysql, load)).isEqualTo(mysql.forecastNanos() + 1_000, within(1e-6));
    }

    @Test
    void smallValuesCanHaveAnotherRecommendation() {
        List<SizeSegment> sizes = AdviceFixture.advice(Goal.BALANCED).reach().sizes();
        assertThat(sizes.get(0).low()).isZero();
        assertThat(sizes.stream().mapToDouble(SizeSegment::share).sum()).isEqualTo(1, within(1e-9));
    }

    /** On values of 500 bytes codecs save nothing; the others are of 16 KB to 64 KB. */
    @Test
    void belowAThresholdValuesStayAsTheyAre() {
        Advice advice = AdviceFixture.adviceForLargeValues();
        assertThat(advice.recommended().id()).isEqualTo("zstd-3");
        assertThat(advice.reach().sizes())
                .extracting(SizeSegment::candidate)
                .containsExactly(Candidate.AS_IS, "zstd-3");
        Advice.Threshold threshold = advice.reach().threshold().orElseThrow();
        assertThat(threshold.bytes()).isEqualTo(16 << 10);
        assertThat(threshold.shorter()).isEqualTo(1_000.0 / 1_100, within(1e-9));
        assertThat(AdviceFixture.advice(Goal.BALANCED).reach().threshold()).isEmpty();
    }

    /** Readers of these could not distinguish encoded values from others. */
    @Test
    void onlyTheValueFormatHasAThreshold() {
        List<SizeSegment> sizes = AdviceFixture.adviceForLargeValues().reach().sizes();
        for (String codec : List.of("gzip:6", "zlib:6", "mysql:6")) {
            Candidate candidate = Candidate.of(
                            List.of(AdviceFixture.codec("none", 1, 0, 0), AdviceFixture.codec(codec, 3, 20, 4)))
                    .get(4);
            assertThat(candidate.codec()).contains(codec);
            assertThat(Advice.Threshold.of(candidate, sizes)).isEmpty();
        }
        assertThat(Advice.Threshold.of(AdviceFixture.candidate("brotli-11"), sizes))
                .isPresent();
        assertThat(Advice.Threshold.of(AdviceFixture.candidate("zstd-3"), sizes.subList(0, 1)))
                .isEmpty();
        assertThat(Advice.Threshold.of(AdviceFixture.candidate("zstd-3"), sizes.subList(1, 2)))
                .isEmpty();
    }

    @Test
    void whatIfIsRefusedBeyondWhatWasMeasured() {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        assertThat(WhatIf.of(advice, Link.parse("25mbit"), 1, OptionalInt.empty())
                        .recommended())
                .isEqualTo("zstd-3");
        assertRefused(advice, "64kbit", 1, OptionalInt.empty(), "the forecast reaches from 1mbit to 40gbit");
        assertRefused(advice, "1gbit", 1_000, OptionalInt.empty(), "the forecast reaches from 1 to 256 threads");
        assertRefused(advice, "1gbit", 1, OptionalInt.of(5_000_000), "there are no values of 4MB-16MB");
    }

    private static void assertRefused(Advice advice, String link, int threads, OptionalInt bytes, String message) {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> WhatIf.of(advice, Link.parse(link), threads, bytes))
                .isInstanceOf(AdviceException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aForecastHasAnIntervalThatIsWiderForOtherNumbersOfThreads() {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        WhatIf.Prediction same = WhatIf.of(advice, Link.parse("100mbit"), 1, OptionalInt.empty())
                .predictions()
                .get(0);
        WhatIf.Prediction more = WhatIf.of(advice, Link.parse("100mbit"), 8, OptionalInt.empty())
                .predictions()
                .get(0);
        assertThat(same.high() / same.low()).isGreaterThan(1.05);
        assertThat(more.high() / more.low()).isGreaterThan(same.high() / same.low());
    }
}
