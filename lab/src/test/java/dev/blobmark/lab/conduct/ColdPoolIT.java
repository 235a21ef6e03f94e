package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.running.RunningServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trials whose windows begin with nothing of their table in the buffer pool. */
class ColdPoolIT {

    /** A value of 64 KB lies on four pages of its own, and a part of a fifth. */
    private static final double LEAST_PAGES_PER_VALUE = 4;

    private static final int ROWS = 100;

    @TempDir
    private Path directory;

    private static Study study(String methods, String conditions) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: cold
                        metric: throughput
                        baseline: plain
                        methods: %s
                        conditions: [%s]
                        schedule: {rounds: 2, forks: 1, window: 100ms, warm-up: 100ms, seed: 42}
                        """.formatted(methods, conditions), "cold.yaml", Optional.empty());
    }

    private Laboratory laboratory(Study study, Servers.Source server) {
        return new Laboratory(
                study, new RunOptions(server, OneServer.CACHE, ForkInside.LAUNCH, "test"), new QuietListener());
    }

    private void coldWindowsReadPages(Servers.Source server, String method) throws Exception {
        Study study = study(
                "{plain: " + method + "}",
                "{workload: fetch, dataset: 'random:62', size: 64KB, rows: '%1$d', pool: [warm, cold], threads: 3, processes: 2},"
                                .formatted(ROWS)
                        + " {workload: scan, dataset: 'random:62', size: 64KB, rows: '%d', pool: [warm, cold], threads: 2}"
                                .formatted(ROWS));
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(laboratory(study, server).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(2 * 4).allSatisfy(sample -> {
            boolean isCold = sample.condition().find("pool").equals(Optional.of("cold"));
            boolean isScan = sample.operations().containsKey("scan");
            int rowsPerOperation = isScan ? ROWS : 1;
            long operations = sample.operations().get(isScan ? "scan" : "fetch").count();
            double pages = sample.resources().pagesReadPerOp().orElseThrow() * operations;
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.resources().serverCpuNanosPerOp()).isPresent();
            if (isCold) {
                // each row once, or one scan by each of two threads, of which the second finds what the first has read
                assertThat(operations).isEqualTo(isScan ? 2 : ROWS);
                assertThat(pages).isBetween(ROWS * LEAST_PAGES_PER_VALUE, 2 * ROWS * LEAST_PAGES_PER_VALUE);
            } else {
                assertThat(pages).isLessThan(0.1 * operations * rowsPerOperation);
            }
        });
        assertThat(run.manifest().stores()).hasSize(1);
    }

    @Test
    @Tag("long")
    @Timeout(240)
    void coldWindowsReadPagesOfMariaDb() throws Exception {
        coldWindowsReadPages(Servers.parse("embedded"), "{statement: text, driver: mariadb}");
    }

    @Test
    @Tag("long")
    @Timeout(240)
    void coldWindowsReadPagesOfMySql() throws Exception {
        coldWindowsReadPages(Servers.parse("mysqld:" + RealMySql.requireBase()), "{}");
    }

    @Test
    void aServerThatRunsAlreadyIsNotStartedAgain() {
        Servers.Source running = new Servers.Source() {
            @Override
            public Server open(Path cache, ServerOptions options) {
                throw new AssertionError("a connection was made");
            }

            @Override
            public Class<RunningServer> type() {
                return RunningServer.class;
            }
        };
        Study study = study("{plain: {}}", "{workload: fetch, dataset: sites, size: 4KB, pool: [warm, cold]}");

        assertThat(laboratory(study, running).estimate().samples()).isEqualTo(2);
    }

    @Test
    void aServerThatLoadsItsPoolIsRefusedAndWarmOneMay() {
        String condition =
                "{workload: fetch, dataset: sites, size: 4KB, server.innodb_buffer_pool_load_at_startup: %s, pool: %s}";
        for (String on : List.of("ON", "'1'", "yes")) {
            Study study = study("{plain: {}}", condition.formatted(on, "cold"));
            assertThatThrownBy(() -> laboratory(study, Servers.parse("embedded")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("server.innodb_buffer_pool_load_at_startup=")
                    .hasMessageEndingWith("cannot have pool=cold; leave the variable out, or use pool=warm");
        }
        for (String allowed : List.of(condition.formatted("ON", "warm"), condition.formatted("OFF", "cold"))) {
            assertThat(laboratory(study("{plain: {}}", allowed), Servers.parse("embedded"))
                            .estimate()
                            .samples())
                    .isEqualTo(2);
        }
    }

    @Test
    void onlyWhatReadsHasAPool() {
        Study study = study(
                "{plain: {}}",
                "{workload: [fetch, scan, insert, update, 'mix:50', codec], dataset: sites, size: 4KB, pool: [warm, cold]}");

        assertThat(study.trials(Factors.VOCABULARY).stream()
                        .filter(Block::isCold)
                        .map(trial -> trial.condition().find("workload").orElseThrow()))
                .containsExactly("fetch", "scan");
    }
}
