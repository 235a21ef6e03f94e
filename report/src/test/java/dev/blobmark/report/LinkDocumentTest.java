package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkOutlook;
import dev.blobmark.analysis.TestFetches;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LinkDocumentTest {

    private static String written(Stream<Sample> samples) throws Exception {
        Analysis report = Analysis.of(TestRuns.manifest("plain", "zstd"), samples.toList());
        return Written.as(report, "links");
    }

    @Test
    void showsWhichMethodIsFastestOverWhichLink() throws Exception {
        String text = written(TestFetches.loopback());

        // 65,600 B / B + 4 µs = 16,400 B / B + 1.6 µs + 100 µs, both with 20 B more to send: 504 MB/s, about 4 Gbit/s
        assertThat(text)
                .contains("\n below 4gbit  zstd\n")
                .contains("\n above 4gbit  plain\n")
                .contains("plain and zstd are equal at 4gbit (3.8gbit to 4.3gbit by fork)\n")
                .containsPattern("\n method +10mbit|\n +10mbit +30mbit .*\n method +MB/s")
                // 52.48 ms for the value, 0.1 ms to wait, 16 µs for the request
                .containsPattern("(?m)^ plain +1\\.25 +");
    }

    @Test
    void comparesThePredictionWithWhatWasMeasured() throws Exception {
        // predicted: 100 µs + 5 ms + 0.8 µs + 1.312 ms + 100 µs = 6.5128 ms, 10.06 MB/s
        TimeSpent spent = new TimeSpent(5_100_000, 1_300_000, 10_000, 100_000, 0, 0, 6_300_000);
        Stream<Sample> emulated = IntStream.range(0, 3)
                .mapToObj(fork -> TestFetches.sample("zstd", "100mbit 5ms", fork, 9.6e6, 16_400, spent));

        String text = written(Stream.concat(TestFetches.loopback(), emulated));

        assertThat(text)
                .containsPattern("(?m)^ zstd +100mbit 5ms +9\\.60 +10\\.1 +\\+4\\.8 %$")
                .contains("The median error of 1 is 4.8 %, the largest 4.8 %.");
    }

    /** What both gave over a link, in bytes per second. */
    private static Stream<Sample> over(String link, double plain, double zstd) {
        TimeSpent spent = new TimeSpent(100_000, 500_000, 10_000, 0, 0, 0, 500_000);
        return Stream.of(
                TestFetches.sample("plain", link, 0, plain, 65_600, spent),
                TestFetches.sample("zstd", link, 0, zstd, 16_400, spent));
    }

    /**
     * Over 1 Gbit/s one is ahead by a fifth, over 4 Gbit/s the other by as much: midway in logarithms they are equal.
     */
    @Test
    void showsWhereTwoWereEqualAsMeasured() throws Exception {
        Stream<Sample> all = Stream.of(
                        TestFetches.loopback(),
                        over("1gbit 0ms", 100e6, 120e6),
                        over("4gbit", 240e6, 200e6),
                        over("4gbit 1ms", 100e6, 300e6))
                .flatMap(its -> its);

        assertThat(written(all))
                .contains("plain and zstd are equal at 4gbit (3.8gbit to 4.3gbit by fork); measured: 2gbit (+102 %)\n");
    }

    @Test
    void whereNoneWasMeasuredItSaysSo() throws Exception {
        Stream<Sample> all = Stream.of(
                        TestFetches.loopback(), over("1gbit 0ms", 100e6, 120e6), over("2gbit", 110e6, 130e6))
                .flatMap(its -> its);

        assertThat(written(all)).contains("equal at 4gbit (3.8gbit to 4.3gbit by fork); measured: no crossing from");
    }

    @Test
    void withoutAFetchOverLoopbackNothingCanBePredicted() throws Exception {
        assertThat(written(Stream.of(TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100))))
                .startsWith("Nothing can be predicted: ");
    }

    @Test
    void theShortReportNamesTheForecastWhereOneLinkWasMeasured() {
        String hint = "'report RUN --format links' forecasts other networks.\n";
        Manifest one = TestRuns.manifest("plain", "zstd");
        Manifest two = one.with(
                Adjustments.apply(one.study(), List.of(new Adjustment("--link", "loopback,wifi")), Factors.VOCABULARY)
                        .study());

        assertThat(brief(one, TestFetches.loopback())).endsWith(hint);
        assertThat(brief(two, TestFetches.loopback())).doesNotContain(hint);
        assertThat(brief(one, Stream.of(TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100))))
                .doesNotContain(hint);
    }

    private static String brief(Manifest manifest, Stream<Sample> samples) {
        return Written.as(Analysis.of(manifest, samples.toList()), Formats.TABLE, Style.PLAIN);
    }

    @Test
    void whatIfOfARunNamesTheFastestThereAndHere() throws IOException {
        Analysis run = Analysis.of(
                TestRuns.manifest("plain", "zstd"), TestFetches.loopback().toList());
        LinkOutlookDocument.Forecasts forecasts =
                new LinkOutlookDocument.Forecasts(run, LinkOutlook.of(run, Link.parse("100mbit 0ms"), Map.of()));

        assertThat(written(forecasts, "table"))
                .startsWith("fetch: 64 KB, sites, loopback, over 100mbit by forecast\n")
                .containsPattern("(?m)^ zstd +1515 +1507 – 1524 +208$")
                .contains("\nzstd would be the fastest, instead of plain.\n", "Nothing was measured for this.");
        JsonNode json = new JsonMapper().readTree(written(forecasts, "json")).get(0);
        assertThat(json.get("link").asString()).isEqualTo("100mbit");
        assertThat(json.get("condition").get("size").asString()).isEqualTo("64KB");
        JsonNode first = json.get("predictions").get(0);
        assertThat(first.get("method").asString()).isEqualTo("zstd");
        assertThat(first.get("nanos").asDouble())
                .isBetween(first.get("low").asDouble(), first.get("high").asDouble());
    }

    private static String written(LinkOutlookDocument.Forecasts forecasts, String form) throws IOException {
        StringBuilder out = new StringBuilder();
        Formats.OF_LINK_OUTLOOK.find(form).orElseThrow().write(forecasts, Style.PLAIN, out);
        return out.toString();
    }
}
