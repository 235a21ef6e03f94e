package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.StudyReader;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThreadsTest {

    @Test
    void theFewestOfAStudyAreThoseOfItsSmallestCondition() {
        assertThat(Threads.fewest(new StudyReader(Factors.VOCABULARY)
                        .read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}, zstd: {codec: zstd}}
                        conditions: [{workload: fetch, dataset: sites, size: 4KB, threads: [8, 2, 32]}]
                        schedule: {rounds: 1, forks: 1, window: 20ms, warm-up: 20ms, seed: 42}
                        """, "small.yaml", Optional.empty())
                        .trials(Factors.VOCABULARY)))
                .isEqualTo(2);
        assertThat(Threads.fewest(List.of())).isEqualTo(1);
    }
}
