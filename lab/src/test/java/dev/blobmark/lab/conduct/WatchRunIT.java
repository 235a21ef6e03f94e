package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.admission.ForeignServer;
import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.mysql.admission.LoadLimits;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs that lose sight of the server they are on. */
@Tag("long")
@Timeout(180)
@ExtendWith(OneServer.class)
class WatchRunIT {

    private static final int OTHERS = 12;

    @TempDir
    private Path directory;

    private final List<String> notes = new ArrayList<>();

    private static Study study(int rounds, String window) {
        return new StudyReader(Factors.VOCABULARY).read("""
                        study: guest
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}, zstd: {codec: zstd, driver: mariadb}}
                        conditions: [{workload: fetch, dataset: sites, size: 4KB, threads: 1}]
                        schedule: {rounds: %d, forks: 1, window: %s, warm-up: 100ms, seed: 42}
                        """.formatted(rounds, window), "guest.yaml", Optional.empty());
    }

    private class Notes extends QuietListener {
        @Override
        public void noticeIssued(String note) {
            notes.add(note);
        }
    }

    private static Laboratory laboratory(Server server, Study study, RunLimits terms, Listener listener) {
        return laboratory(server, ForkInside.LAUNCH, study, terms, listener);
    }

    private static Laboratory laboratory(
            Server server, Launch launch, Study study, RunLimits terms, Listener listener) {
        RunOptions options = new RunOptions((cache, environment) -> server, OneServer.CACHE, launch, "test");
        return new Laboratory(study, options.with(terms), listener);
    }

    private RunDirectory empty() {
        return RunDirectory.createAt(directory.resolve("run"));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * The limits cannot be kept, and another may take the run for dead: neither goes on unseen, and what was measured
     * stays.
     */
    @Test
    void aWatchThatHasLostItsLockEndsTheRunUnderOverload(OwnServer shared) throws Exception {
        ForeignServer server = ForeignServer.of(shared);
        RunDirectory run = empty();
        Study study = study(1_000, "50ms");
        List<Thread> others = new ArrayList<>();
        try (Connection owner = server.owner()) {
            Listener attacker = new Notes() {
                private int measured;

                @Override
                public void sampleRecorded(Sample sample) {
                    try {
                        if (++measured == 3) {
                            execute(owner, "KILL " + lockHolder(owner));
                            assertThat(ForeignServer.strings(
                                            owner, "SELECT GET_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e', 30)"))
                                    .containsExactly("1");
                            for (int i = 0; i < OTHERS; i++) {
                                others.add(busy(server));
                            }
                        }
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }
            };
            RunLimits terms = new RunLimits(
                    Optional.empty(),
                    OptionalLong.empty(),
                    false,
                    new ToleratedLoad(
                            Optional.of(LoadLimits.parse("Threads_running=4")), LoadLimits.parse("Threads_running=8")));

            assertThat(laboratory(server, study, terms, attacker).run(run)).isEqualTo(Ending.WATCH_LOST);

            assertThat(notes.get(notes.size() - 1))
                    .matches("ended: session \\d+ has taken the lock of this run on the schema blobmark");
            assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
            assertThat(run.samples())
                    .hasSizeBetween(3, 1_999)
                    .allMatch(sample -> sample.outcome().isMeasurement());

            for (String id : ForeignServer.strings(
                    owner, "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'")) {
                execute(owner, "KILL " + id);
            }
            for (Thread other : others) {
                other.join();
            }
            execute(owner, "DO RELEASE_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e')");
            assertThat(ForeignServer.strings(owner, "SHOW DATABASES LIKE 'blobmark'"))
                    .isEmpty();
        }
    }

    private static String lockHolder(Connection owner) throws SQLException {
        return ForeignServer.strings(owner, "SELECT IS_USED_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e')")
                .get(0);
    }

    /** A session of others that is running until it is killed. */
    private static Thread busy(ForeignServer server) {
        Thread thread = new Thread(() -> {
            try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
                execute(connection, "SELECT SLEEP(120)");
            } catch (SQLException killed) {
                // as it is to be
            }
        });
        thread.start();
        return thread;
    }

    /** The measuring JVM waits for an answer without a limit: it is ended, in the middle of its window. */
    @Test
    void aServerThatHangsEndsTheRun() throws Exception {
        RunDirectory run = empty();
        try (OwnServer host = OwnServer.start(OneServer.CACHE, ServerOptions.of(64 << 20))) {
            ForeignServer server = ForeignServer.of(host);
            Listener stopper = new Notes() {
                private int measured;

                @Override
                public void stepStarted(String what) {
                    if (what.startsWith("measuring") && measured > 0) {
                        signal("STOP", host.pid());
                    }
                }

                @Override
                public void sampleRecorded(Sample sample) {
                    measured++;
                }
            };
            try {
                // a process that can be killed
                Launch launch = new JvmLaunch(TestFork.class.getName(), TestFork.FLAGS);
                assertThat(laboratory(server, launch, study(1, "1s"), RunLimits.DEFAULT, stopper)
                                .run(run))
                        .isEqualTo(Ending.WATCH_LOST);
            } finally {
                signal("CONT", host.pid());
            }
        }
        assertThat(notes).anyMatch(note -> note.startsWith("ended: the server's load could not be read for 30 s ("));
        assertThat(notes).anyMatch(note -> note.startsWith("the schema blobmark could not be removed ("));
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(run.samples())
                .singleElement()
                .matches(sample -> sample.outcome().isMeasurement());
    }

    private static void signal(String name, long pid) {
        try {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
