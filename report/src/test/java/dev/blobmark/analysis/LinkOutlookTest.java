package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.LinkOutlook.LinkPrediction;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.stats.Interval;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinkOutlookTest {

    private static final Analysis RUN = Analysis.of(
            TestRuns.manifest("plain", "zstd"), TestFetches.loopback().toList());

    private static List<LinkPrediction> over(String link) {
        List<LinkOutlook> outlooks = LinkOutlook.of(RUN, Link.parse(link), Map.of());
        assertThat(outlooks).hasSize(1);
        assertThat(outlooks.get(0).link()).isEqualTo(Link.parse(link));
        return outlooks.get(0).predictions();
    }

    /** 100 µs of waiting, 20 bytes to send, 65,600 or 16,400 bytes at 12.5 MB/s, and 4 µs or 101.6 µs of the client. */
    @Test
    void aSlowLinkTakesThePlaceOfReceivingAndTheFastestIsTheFirst() {
        List<LinkPrediction> predictions = over("100mbit 5ms");

        assertThat(predictions).extracting(LinkPrediction::method).containsExactly("zstd", "plain");
        assertThat(predictions.get(0).measuredNanos()).isEqualTo(208_000, within(1.0));
        assertThat(predictions.get(0).nanos()).isEqualTo(5_100_000 + 1_600 + 1_312_000 + 101_600, within(1.0));
        assertThat(predictions.get(1).measuredNanos()).isEqualTo(120_000, within(1.0));
        assertThat(predictions.get(1).nanos()).isEqualTo(5_100_000 + 1_600 + 5_248_000 + 4_000, within(1.0));
    }

    @Test
    void overTheLinkOfTheRunItIsWhatWasMeasured() {
        assertThat(over("loopback")).extracting(LinkPrediction::method).containsExactly("plain", "zstd");
        assertThat(over("loopback"))
                .allSatisfy(prediction -> assertThat(prediction.nanos()).isEqualTo(prediction.measuredNanos()));
    }

    /** The forks of one method are alike; those of the other differ by 5 µs each, in 1.5 ms. */
    @Test
    void theIntervalIsThatOfTheForks() {
        List<LinkPrediction> predictions = over("100mbit 0ms");

        Interval.Range zstd = (Interval.Range) predictions.get(0).interval();
        assertThat(zstd.low()).isBetween(1_500_000.0, 1_510_000.0);
        assertThat(zstd.high()).isBetween(1_517_000.0, 1_530_000.0);
        Interval.Range plain = (Interval.Range) predictions.get(1).interval();
        assertThat(plain.high() - plain.low()).isLessThan(1.0);
    }

    @Test
    void oneForkHasNoInterval() {
        Analysis one = Analysis.of(
                TestRuns.manifest("plain", "zstd"),
                TestFetches.loopback().filter(sample -> sample.fork() == 0).toList());

        assertThat(LinkOutlook.of(one, Link.parse("100mbit"), Map.of()).get(0).predictions())
                .hasSize(2)
                .allSatisfy(prediction -> assertThat(prediction.interval()).isNotInstanceOf(Interval.Range.class));
    }

    @Test
    void onlyConditionsWithTheLevelsAreForecast() {
        assertThat(LinkOutlook.of(RUN, Link.parse("wifi"), Map.of("size", "64KB")))
                .singleElement()
                .satisfies(outlook ->
                        assertThat(outlook.ranking().condition().find("size")).contains("64KB"));
        assertRefused(RUN, "wifi", Map.of("size", "4KB"), "the run measured size 64KB, not 4KB; a forecast for others");
        assertRefused(RUN, "wifi", Map.of("threads", "8"), "the run measured threads not at all, not 8");
    }

    @Test
    void beyondTheForecastItIsRefused() {
        assertRefused(RUN, "64kbit", Map.of(), "the forecast reaches from 1mbit to 40gbit, not to 64kbit");
        assertRefused(RUN, "80gbit", Map.of(), "the forecast reaches from 1mbit to 40gbit, not to 80gbit");
    }

    /** Without the parts of the time, and over an emulated link, nothing can be predicted. */
    @Test
    void aRunWithoutSuchFetchesIsRefused() {
        String message = "the run has no fetch over the machine's own link whose time is known by its parts";
        assertRefused(
                Analysis.of(
                        TestRuns.manifest("plain"),
                        List.of(TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100))),
                "wifi",
                Map.of(),
                message);
        assertRefused(
                Analysis.of(
                        TestRuns.manifest("plain", "zstd"),
                        Stream.of("plain", "zstd")
                                .map(method -> TestFetches.sample(method, "100mbit", 0, 20, 0, 65_600))
                                .toList()),
                "wifi",
                Map.of(),
                message);
    }

    private static void assertRefused(Analysis run, String link, Map<String, String> levels, String message) {
        assertThatThrownBy(() -> LinkOutlook.of(run, Link.parse(link), levels))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
