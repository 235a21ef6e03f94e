package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A study without a store in MySQL starts none, and connects to none. */
@Timeout(120)
class NeededServersIT {

    @TempDir
    private Path directory;

    private RunDirectory run(String defaults, String condition) throws Exception {
        Study study = new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: p50
                        defaults: {%s}
                        baseline: plain
                        methods: {plain: {}}
                        conditions: [{%s}]
                        schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 50ms, seed: 42}
                        """.formatted(defaults, condition), "small.yaml", Optional.empty());
        Servers.Source mysql = (cache, options) -> {
            throw new AssertionError("a MySQL was started");
        };
        RunOptions options = new RunOptions(mysql, OneServer.CACHE, ForkInside.LAUNCH, "test");
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(new Laboratory(study, options, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples())
                .hasSize(2)
                .allSatisfy(
                        sample -> assertThat(sample.outcome().isMeasurement()).isTrue());
        return run;
    }

    @Test
    void codecsNeedNone() throws Exception {
        assertThat(run("codec: 'deflate:6'", "workload: codec, dataset: sites, size: 4KB")
                        .manifest()
                        .servers())
                .isEmpty();
    }

    @Test
    @Tag("long")
    void aTableInPostgreSqlNeedsThatAlone() throws Exception {
        assertThat(run("store: postgresql", "workload: [fetch], dataset: sites, size: 4KB, rows: 20")
                        .manifest()
                        .servers())
                .containsOnlyKeys("postgresql");
    }

    @Test
    @Tag("long")
    void aSetInRedisNeedsThatAlone() throws Exception {
        assertThat(run("store: redis", "workload: membership, dataset: 'uuid:4', rows: 1000")
                        .manifest()
                        .servers())
                .containsOnlyKeys("redis");
    }
}
