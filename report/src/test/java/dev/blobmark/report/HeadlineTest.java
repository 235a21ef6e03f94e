package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The line follows from tiers: figures are far apart, or the same but for noise. */
class HeadlineTest {

    private static final double[][] NOISE = {{100, 104, 97}, {103, 99, 102}, {98, 101, 100}};
    private static final double[][] OTHER_NOISE = {{101, 98, 103}, {97, 104, 99}, {102, 100, 99}};

    private final List<Sample> samples = new ArrayList<>();

    private HeadlineTest at(String size, Map<String, double[][]> figures) {
        figures.forEach((method, ofForks) -> TestRuns.samples(method, ofForks)
                .forEach(sample -> samples.add(Sample.ofJson(sample.toJson().replace("64KB", size)))));
        return this;
    }

    private String line() {
        return Headline.of(Analysis.of(TestRuns.manifest("plain", "lz4", "zstd"), samples));
    }

    private static Map<String, double[][]> fastest(String winner) {
        return Map.of(
                "plain", NOISE,
                "lz4", TestRuns.times(winner.equals("lz4") ? 3 : 2, OTHER_NOISE),
                "zstd", TestRuns.times(winner.equals("zstd") ? 3 : 0.5, NOISE));
    }

    private static Map<String, double[][]> tied() {
        return Map.of("plain", NOISE, "lz4", OTHER_NOISE, "zstd", TestRuns.times(0.5, NOISE));
    }

    @Test
    void aWinnerOfAllConditionsNeedsNoCondition() {
        assertThat(at("4KB", fastest("lz4")).at("1MB", fastest("lz4")).line()).isEqualTo("lz4 is fastest.");
    }

    @Test
    void winnersAreNamedWithTheirConditionsAndTiesFollow() {
        assertThat(at("4KB", tied())
                        .at("64KB", fastest("zstd"))
                        .at("1MB", fastest("zstd"))
                        .line())
                .isEqualTo("zstd is fastest at 64 KB and 1 MB; at 4 KB, lz4 and plain are tied.");
    }

    @Test
    void withoutAWinnerTheLineSaysSo() {
        assertThat(at("4KB", tied()).at("64KB", tied()).line()).isEqualTo("No clear winner: lz4 and plain are tied.");
    }

    @Test
    void methodsThatMayDifferAreNotCalledTied() {
        Map<String, double[][]> noisy = Map.of(
                "plain", NOISE, "lz4", new double[][] {{60, 62}, {150, 151}}, "zstd", TestRuns.times(0.1, NOISE));
        assertThat(at("4KB", noisy).line()).isEqualTo("No clear winner: lz4 and plain cannot be distinguished.");
    }

    @Test
    void withoutAWinnerUnderAnyConditionTheyAreCounted() {
        Map<String, double[][]> others = Map.of("plain", TestRuns.times(0.5, NOISE), "lz4", OTHER_NOISE, "zstd", NOISE);
        assertThat(at("4KB", tied()).at("64KB", others).line())
                .isEqualTo("No clear winner: several methods cannot be distinguished under each of 2 conditions.");
    }

    @Test
    void manyConditionsAreCounted() {
        for (String size : List.of("1KB", "2KB", "4KB", "8KB")) {
            at(size, fastest("zstd"));
        }
        for (String size : List.of("16KB", "32KB")) {
            at(size, fastest("lz4"));
        }
        assertThat(at("64KB", tied()).line())
                .isEqualTo(
                        "zstd is fastest under 4 of 7 conditions, lz4 under 2; under 1 several methods cannot be distinguished.");
    }

    @Test
    void oneRoundIsNotAWinner() {
        assertThat(at("4KB", Map.of("plain", new double[][] {{100}}, "lz4", new double[][] {{300}}))
                        .line())
                .isEqualTo("lz4 was ahead in the only round.");
        samples.clear();
        assertThat(at("4KB", Map.of("plain", NOISE)).line()).isEqualTo("plain is the only method measured.");
        samples.clear();
        assertThat(line()).isEqualTo("Nothing has been measured yet.");
    }
}
