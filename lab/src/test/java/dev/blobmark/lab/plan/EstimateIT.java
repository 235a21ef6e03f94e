package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.ForkInside;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.QuietListener;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EstimateIT {

    @TempDir
    private Path cache;

    private Estimate estimate(Study study) {
        return new Laboratory(
                        study,
                        new RunOptions(Servers.parse("embedded"), cache, ForkInside.LAUNCH, "test"),
                        new QuietListener())
                .estimate();
    }

    /** A busy machine takes none of it. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Study blobFetch(String profile) {
        return Studies.read("blob-fetch", Factors.VOCABULARY, Optional.of(profile));
    }

    @Test
    void ofTheCodecsProfile() {
        Estimate estimate = estimate(blobFetch("codecs"));

        assertThat(estimate.trials()).hasSize(51);
        assertThat(estimate.samples()).isEqualTo(10 * 51);
        assertThat(estimate.ddl()).hasSize(48).doesNotHaveDuplicates();
        // windows alone take 10 x 51 x 0.15 s, and those of the baselines four times as long
        assertThat(estimate.measuring()).isBetween(Duration.ofSeconds(120), Duration.ofSeconds(400));
        assertThat(estimate.total()).isEqualTo(estimate.measuring().plus(estimate.preparing()));
        assertThat(estimate.workingSetBytes()).isBetween(15L << 20, 18L << 20);
        assertThat(estimate.bufferPoolBytes()).isEqualTo(1L << 30);
        assertThat(cache).isEmptyDirectory();
    }

    /** Nine of the twelve trials have tables with compressed blocks, whose pages take 8 s in each of five rounds. */
    @Test
    void ofTimesOfPages() {
        Estimate estimate = estimate(Studies.read("innodb-compression", Factors.VOCABULARY, Optional.of("processor")));

        assertThat(estimate.trials()).hasSize(12);
        assertThat(estimate.measuring()).isBetween(Duration.ofSeconds(9 * 8 * 5), Duration.ofSeconds(2 * 9 * 8 * 5));
    }

    /** An operation is about one key, not about all ten million. */
    @Test
    void ofWindowsOfQuestions() {
        Estimate estimate = estimate(Studies.read("set-membership", Factors.VOCABULARY, Optional.of("longest")));

        assertThat(estimate.total()).isLessThan(Duration.ofHours(2));
    }

    /** Thousands of trials and gigabytes of values, of which none but a few are made. */
    @Test
    void ofTheFullProfileTakesSeconds() {
        long start = cpuNanos();

        Estimate estimate = estimate(blobFetch("full"));

        assertThat(estimate.trials()).hasSizeGreaterThan(5_000);
        assertThat(estimate.total()).isGreaterThan(Duration.ofHours(5));
        assertThat(Duration.ofNanos(cpuNanos() - start)).isLessThan(Duration.ofSeconds(15));
    }

    /** A value of 16 MB would keep the slowest encoder busy for half a minute. */
    @Test
    void ofLargeFilesProbesAPartOfThem(@TempDir Path values) throws Exception {
        byte[] large = new byte[(1 << 24) - 1];
        new SplittableRandom(1).nextBytes(large);
        Files.write(values.resolve("large"), large);
        Study study = new StudyReader(Factors.VOCABULARY).read("""
                        study: large
                        metric: throughput
                        baseline: brotli
                        methods: {brotli: {codec: "brotli:11"}}
                        conditions: [{workload: fetch, dataset: "dir:%s"}]
                        schedule: {rounds: 1, forks: 1, window: 100ms, warm-up: 100ms, seed: 1}
                        """.formatted(values), "large.yaml", Optional.empty());
        long start = cpuNanos();

        Estimate estimate = estimate(study);

        assertThat(estimate.workingSetBytes()).isBetween(16L << 20, 17L << 20);
        assertThat(Duration.ofNanos(cpuNanos() - start)).isLessThan(Duration.ofSeconds(8));
    }
}
