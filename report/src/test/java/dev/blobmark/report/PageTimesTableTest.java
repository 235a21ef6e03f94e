package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageTimesTableTest {

    private static Sample sample(String method, int fork) {
        return TestRuns.sample(method, fork, fork, new Outcome.Measured(), 100);
    }

    private static Analysis report(Sample... samples) {
        return Analysis.of(TestRuns.manifest("plain", "zstd"), List.of(samples));
    }

    @Test
    void theTimesOfAPageAreShownWithTheirErrors() throws Exception {
        Analysis report = report(
                sample("plain", 0),
                sample("zstd", 0).with(new PageTimes(500, 240_000, 5_200, 900, 100_000, 310)),
                sample("zstd", 1).with(new PageTimes(500, 230_000, 5_400, 900, 100_000, 290)),
                sample("zstd", 2).with(new PageTimes(500, 220_000, 5_300, 900, 100_000, 300)));

        assertThat(Written.as(report, "table"))
                .contains("\nReading and inflating a page: ")
                .containsPattern("\n +read +inflate +read ÷ inflate\n method +µs +µs\n")
                .containsPattern("\n zstd +230 ± 5.30 +100 ± 0.300 +2.30\n")
                .contains("The error of reading is the standard error", "whole seconds");
        assertThat(Written.as(report, "csv").lines().findFirst().orElseThrow())
                .contains("page_read_ns", "page_inflate_ns", "read_to_inflate");
    }

    @Test
    void thereIsNoTableWhereNoPageWasTimed() throws Exception {
        assertThat(Written.as(report(sample("plain", 0), sample("zstd", 0)), "table"))
                .doesNotContain("inflating a page");
    }
}
