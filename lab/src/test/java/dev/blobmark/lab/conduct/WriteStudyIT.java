package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs of studies that write. */
@Tag("long")
@Timeout(300)
@ExtendWith(OneServer.class)
class WriteStudyIT {

    @TempDir
    private Path directory;

    private Servers.Source server;

    @BeforeEach
    void server(OwnServer shared) {
        server = OneServer.lent(shared);
    }

    private static Study study(String methods, String conditions, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: writing
                        metric: elapsed
                        baseline: plain
                        methods: %s
                        conditions: [%s]
                        schedule: %s
                        """.formatted(methods, conditions, schedule), "writing.yaml", Optional.empty());
    }

    private Laboratory laboratory(Study study, Listener listener) {
        return new Laboratory(study, new RunOptions(server, OneServer.CACHE, ForkInside.LAUNCH, "test"), listener);
    }

    private RunDirectory empty() {
        return RunDirectory.createAt(directory.resolve("run"));
    }

    private static final String PLAIN_AND_ZSTD = "{plain: {}, zstd: {codec: zstd, layout: compressed}}";

    @Test
    void insertsUpdatesMixesAndScansAreOneStudy() throws Exception {
        Study study = study(
                PLAIN_AND_ZSTD,
                "{workload: ['mix:50', update, scan], dataset: sites, size: 2KB, rows: 300, threads: 2},"
                        + " {workload: insert, dataset: sites, size: 2KB, rows: 300, keys: [ascending, random], commit: all}",
                "{rounds: 2, forks: 1, window: 40ops, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        List<Sample> samples = run.samples();
        Manifest manifest = run.manifest();
        assertThat(samples).hasSize(2 * 2 * 5).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            String workload = sample.condition().find("workload").orElseThrow();
            boolean isLookedAt = workload.equals("scan") || sample.round() == 0;
            assertThat(sample.disk().allocatedBytes().isPresent()).isEqualTo(isLookedAt);
            assertThat(sample.disk().allocatedBytes().orElse(1)).isPositive();
            assertThat(sample.unknown().containsKey("disk")).isNotEqualTo(isLookedAt);
            assertThat(sample.operations().entrySet().stream()
                            .filter(type -> !type.getKey().equals(Sample.MIX)) // that of the others together
                            .mapToLong(type -> type.getValue().count())
                            .sum())
                    .isEqualTo(workload.equals("insert") ? 300 : 40)
                    .isEqualTo(sample.count());
            sample.operations().keySet().forEach(type -> {
                assertThat(sample.value(Metric.ELAPSED, type))
                        .hasValue(sample.resources().elapsedNanos().orElseThrow());
                assertThat(sample.value(Metric.DISK, type).isPresent()).isEqualTo(isLookedAt);
            });
            // its own table, or the one of all that read
            assertThat(manifest.storeOf(sample).orElseThrow().factors().find("workload"))
                    .isEqualTo(workload.equals("scan") ? Optional.empty() : Optional.of(workload));
        });
        assertThat(samples.stream()
                        .filter(sample -> sample.operations().containsKey("scan"))
                        .map(sample -> sample.operations().get("scan").applicationBytes()))
                .containsOnly(40L * 300 * 2_048);
        assertThat(manifest.datasets()).singleElement().satisfies(dataset -> {
            assertThat(dataset.id()).isEqualTo("sites rows=300");
            assertThat(dataset.count()).isEqualTo(300);
        });
        assertThat(manifest.stores()).hasSize(2 + 2 * 4);
    }

    /** Two operations of each worker, and one update for ten operations of all. */
    @Test
    void aMixIsDoneAsItIsAskedForByManyThreads() throws Exception {
        Study study = study(
                "{plain: {}}",
                "{workload: 'mix:90', dataset: sites, size: 256KB, rows: 100, threads: [1, 64]},"
                        + " {workload: 'mix:90', dataset: sites, size: 2KB, rows: 100, threads: 32, processes: 2}",
                "{rounds: 2, forks: 1, window: 120ms, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(6).allSatisfy(sample -> {
            long updates = sample.counts().getOrDefault("update", 0L);
            // each process may be at the end of a group of ten
            assertThat((double) updates).isCloseTo(sample.count() / 10.0, Offset.offset(2.0));
            assertThat(sample.flags()).doesNotContain(Sample.OTHER_MIX);
        });
    }

    @Test
    void processesShareTheKeysOfAnInsert() throws Exception {
        Study study = study(
                "{plain: {batch: 5}}",
                "{workload: insert, dataset: sites, size: 1KB, rows: ['500', dataset], threads: 3, processes: 2}",
                "{rounds: 2, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        // rows are counted and compared with their keys after each window
        assertThat(laboratory(study, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(4);
        assertThat(run.samples().stream()
                        .filter(sample -> sample.condition().find("rows").equals(Optional.of("500")))
                        .map(sample -> sample.operations().get("insert").applicationBytes()))
                .containsExactly(500L * 1_024, 500L * 1_024);
    }

    @Test
    void aStudyThatWritesGoesOnAfterItWasStopped() throws Exception {
        Study study = study(
                PLAIN_AND_ZSTD,
                "{workload: [insert, update], dataset: sites, size: 1KB, rows: 200}",
                "{rounds: 2, forks: 1, window: 20ops, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();
        AtomicReference<Laboratory> stopped = new AtomicReference<>();
        stopped.set(laboratory(study, new QuietListener() {
            private int measured;

            @Override
            public void sampleRecorded(Sample sample) {
                if (++measured == 3) {
                    stopped.get().interrupt();
                }
            }
        }));
        assertThat(stopped.get().run(run)).isEqualTo(Ending.INTERRUPTED);
        assertThat(run.samples()).hasSize(3);

        assertThat(laboratory(study, new QuietListener()).resume(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(8).allMatch(sample -> sample.outcome().isMeasurement());
        assertThat(run.samples().stream().map(sample -> sample.trial().id() + sample.round()))
                .doesNotHaveDuplicates();
        assertThat(run.manifest().stores()).hasSize(4);
    }
}
