package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.VisitGroups;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Figure;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Studies whose trials are visited in turns, from their texts to their samples. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class VisitedStudyIT {

    private static final String FOUR =
            "{plain: {}, lz4: {codec: lz4}, zstd: {codec: zstd}, gzip: {codec: gzip}, snappy: {codec: snappy}}";

    @TempDir
    private Path directory;

    private static Study study(String methods, String conditions, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: %s
                        conditions: [%s]
                        schedule: %s
                        """.formatted(methods, conditions, schedule), "small.yaml", Optional.empty());
    }

    private List<Sample> run(Servers.Source server, Study study, String manner) throws Exception {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        new Laboratory(
                        study,
                        new RunOptions(
                                server,
                                OneServer.CACHE,
                                new JvmLaunch(
                                        TestFork.class.getName(),
                                        TestFork.flags("-Dmanner=" + manner, "-Dfirst=" + directory.resolve("first"))),
                                "test"),
                        new QuietListener())
                .run(run);
        return run.samples();
    }

    private static Visits visits(Sample sample) {
        return sample.visits()
                .orElseThrow(() -> new AssertionError(sample.outcome().reason()));
    }

    @Test
    void eachRoundHasASampleOfATrialWithTheFiguresOfItsVisits() throws Exception {
        Study study = study(
                FOUR,
                "{workload: fetch, dataset: sites, size: [1KB, 4KB], rows: 50, threads: 2}",
                "{rounds: 4, forks: 2, window: 80ms, visit: 10ms, warm-up: 100ms, seed: 42}");

        List<Sample> samples = run(Servers.parse("embedded"), study, "work");

        // a trial is warmed up in the first round of a fork, and stays open in the second
        assertThat(samples)
                .allSatisfy(sample -> assertThat(sample.warmUp().orElseThrow().seconds())
                        .matches(seconds -> seconds > 0 == sample.round() < 2));
        assertThat(samples).hasSize(2 * 5 * 4).allSatisfy(sample -> {
            assertThat(sample.outcome()).isEqualTo(new Outcome.Measured());
            assertThat(sample.unknown()).isEmpty();
            // the baseline is visited twice as often as each of the four others
            int each = sample.method().equals("plain") ? 2 : 1;
            assertThat(visits(sample).count()).isLessThanOrEqualTo(8 * each);
            if (sample.events().isEmpty()) {
                assertThat(visits(sample).count()).isEqualTo(8 * each);
                assertThat(visits(sample).rounds()).isSorted().contains(0, 7);
            }
            assertThat(sample.resources().serverCpuNanosPerOp().orElseThrow()).isNotNegative();
            assertThat(sample.resources().clientCpuNanosPerOp().orElseThrow()).isNotNegative();
            List<Figure> figures = sample.figures(Metric.THROUGHPUT, "fetch");
            assertThat(figures.stream().map(Figure::value))
                    .isEqualTo(visits(sample).bytesPerS());
            assertThat(sample.figures(Metric.P99, "fetch")).hasSize(1);
        });
        // on a busy machine, a sample may get less than a tick
        assertThat(samples)
                .anyMatch(sample -> sample.resources().serverCpuNanosPerOp().orElseThrow() > 0)
                .anyMatch(sample -> sample.resources().clientCpuNanosPerOp().orElseThrow() > 0);
    }

    @Test
    void visitsInWhichNoTrialGotOnAreLeftOut(OwnServer server) throws Exception {
        Study study = study(
                FOUR,
                "{workload: fetch, dataset: sites, size: 1KB, rows: 50, threads: 1}",
                "{rounds: 2, forks: 1, window: 80ms, visit: 10ms, warm-up: 100ms, seed: 42}");

        List<Sample> samples = run(OneServer.lent(server), study, "slump");

        assertThat(samples)
                .hasSize(2 * 5)
                .allSatisfy(sample ->
                        assertThat(visits(sample).rounds()).isNotEmpty().doesNotContain(2));
        assertThat(samples)
                .flatExtracting(Sample::events)
                .anySatisfy(event -> assertThat(event)
                        .startsWith("disturbed in ")
                        .contains("several trials in a row were at less than half of their usual rate"));
    }

    @Test
    void aJvmThatDiesInAVisitCostsTheTrialThatItWasIn(OwnServer server) throws Exception {
        Study study = study(
                FOUR,
                "{workload: fetch, dataset: sites, size: 1KB, rows: 50, threads: 1}",
                "{rounds: 1, forks: 1, window: 80ms, visit: 10ms, warm-up: 100ms, seed: 42}");

        List<Sample> samples = run(OneServer.lent(server), study, "dies in a visit");

        assertThat(samples).hasSize(5);
        assertThat(samples)
                .filteredOn(Sample::isCrashed)
                .singleElement()
                .satisfies(sample -> assertThat(sample.outcome().reason()).contains("about to die"));
        assertThat(samples).filteredOn(sample -> !sample.isCrashed()).allSatisfy(sample -> {
            assertThat(sample.outcome()).isEqualTo(new Outcome.Measured());
            assertThat(sample.events()).contains("measured by a fresh JVM, because the previous one crashed");
            assertThat(visits(sample).count()).isPositive();
        });
    }

    @Test
    void whatStartsFromAStateOfItsOwnHasWholeWindows() {
        String schedule = "{rounds: 2, forks: 2, window: 80ms, visit: 10ms, warm-up: 100ms, seed: 42}";
        Study study = study("{plain: {}, lz4: {codec: lz4}}", """
                {workload: fetch, dataset: sites, size: 4KB, threads: 4},
                {workload: [insert, scan, codec], dataset: sites, size: 4KB, threads: 1},
                {workload: scan, dataset: sites, size: 64KB, rows: 2000, threads: 1},
                {workload: [update, scan, "mix:90"], dataset: sites, size: 4KB, rows: 100, threads: 4},
                {workload: fetch, dataset: sites, size: 4KB, threads: 512},
                {workload: fetch, dataset: sites, size: 4KB, rows: 2000, working-set: 4, threads: 1},
                {workload: fetch, dataset: sites, size: 4KB, threads: 4, processes: 2},
                {workload: fetch, dataset: sites, size: 4KB, threads: 1, pool: cold},
                {workload: fetch, dataset: sites, size: 4KB, threads: 1, rate: "constant:100"}
                """, schedule);

        List<List<Trial>> groups = VisitGroups.of(study.schedule(), study.trials(Factors.VOCABULARY));

        // what reads, and what writes
        assertThat(groups)
                .hasSize(2)
                .allSatisfy(group -> assertThat(group)
                        .allSatisfy(trial ->
                                assertThat(trial.condition().find("threads")).contains("4")));
        assertThat(groups.get(0))
                .hasSize(4)
                .allSatisfy(trial ->
                        assertThat(trial.condition().find("workload")).get().isIn("fetch", "scan"));
        assertThat(groups.get(1))
                .hasSize(4)
                .allSatisfy(trial ->
                        assertThat(trial.condition().find("workload")).get().isIn("update", "mix:90"));
        assertThat(VisitGroups.of(
                        study(
                                        "{plain: {}}",
                                        "{workload: fetch, dataset: sites, size: 4KB}",
                                        schedule.replace("10ms", "whole"))
                                .schedule(),
                        study.trials(Factors.VOCABULARY)))
                .isEmpty();
    }

    @Test
    void trialsThatWouldHaveTooManyWorkersTogetherAreOpenOneGroupAfterAnother() {
        Study study = study(
                "{plain: {}, lz4: {codec: lz4}}",
                "{workload: fetch, dataset: sites, size: [1KB, 2KB, 4KB], threads: 16}",
                "{rounds: 2, forks: 2, window: 80ms, visit: 10ms, warm-up: 100ms, seed: 42}");

        assertThat(VisitGroups.of(study.schedule(), study.trials(Factors.VOCABULARY)))
                .hasSize(2)
                .allSatisfy(group -> assertThat(group).hasSizeLessThanOrEqualTo(4));
    }
}
