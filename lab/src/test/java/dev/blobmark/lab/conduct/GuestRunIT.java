package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.blobmark.lab.admission.ForeignServer;
import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.LoadLimits;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs on a server that is somebody else's: what they write, how they end, what they leave. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class GuestRunIT {

    private static final String SITES = "{workload: fetch, dataset: sites, size: 4KB, threads: 1}";

    @TempDir
    private Path directory;

    private final List<String> notes = new ArrayList<>();

    private static Study study(String conditions, int rounds) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: guest
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}, zstd: {codec: zstd, driver: mariadb}}
                        conditions: [%s]
                        schedule: {rounds: %d, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}
                        """.formatted(conditions, rounds), "guest.yaml", Optional.empty());
    }

    private class Notes extends QuietListener {
        @Override
        public void noticeIssued(String note) {
            notes.add(note);
        }
    }

    private Laboratory laboratory(Server server, Study study, RunLimits terms, Listener listener) {
        RunOptions options = new RunOptions((cache, environment) -> server, OneServer.CACHE, ForkInside.LAUNCH, "test");
        return new Laboratory(study, options.with(terms), listener);
    }

    private RunDirectory empty() {
        return RunDirectory.createAt(directory.resolve("run"));
    }

    private static RunLimits limited(String max, String critical) {
        return new RunLimits(
                Optional.empty(),
                OptionalLong.empty(),
                false,
                new ToleratedLoad(Optional.of(LoadLimits.parse(max)), LoadLimits.parse(critical)));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The server's own log has every statement of the account, those of the measuring JVMs among them. */
    @Test
    void allThatARunWritesIsInItsSchema(OwnServer shared) throws Exception {
        ForeignServer server = ForeignServer.of(shared);
        List<String> before = server.state();
        List<String> statements;
        try (Connection owner = server.owner()) {
            execute(owner, "SET GLOBAL log_output = 'TABLE'");
            execute(owner, "TRUNCATE mysql.general_log");
            execute(owner, "SET GLOBAL general_log = ON");
            try {
                assertThat(laboratory(server, study(SITES, 1), RunLimits.DEFAULT, new Notes())
                                .run(empty()))
                        .isEqualTo(Ending.COMPLETE);
            } finally {
                execute(owner, "SET GLOBAL general_log = OFF");
            }
            statements = ForeignServer.strings(
                    owner,
                    "SELECT CONVERT(LEFT(argument, 300) USING utf8mb4) FROM mysql.general_log WHERE user_host LIKE '%guest%'"
                            + " AND command_type IN ('Query', 'Prepare', 'Execute', 'Bulk_execute')");
        }

        assertThat(statements).anyMatch(sql -> sql.startsWith("INSERT INTO `blobmark`.`t01_"));
        assertThat(statements).anyMatch(sql -> sql.startsWith("DROP DATABASE IF EXISTS `blobmark`"));
        assertThat(statements).allSatisfy(sql -> {
            String words = sql.replaceFirst("^/\\*.*?\\*/\\s*", "");
            if (words.matches("(?is)SET\\b.*")) {
                assertThat(words).doesNotContainIgnoringCase("global").doesNotContainIgnoringCase("persist");
            } else if (!words.matches("(?is)(SELECT|SHOW|COMMIT|ROLLBACK|UNLOCK TABLES|USE `?blobmark`?$)\\b?.*")) {
                assertThat(words)
                        .matches(
                                "(?s)(CREATE DATABASE|CREATE TABLE|INSERT (IGNORE )?INTO|DROP TABLE IF EXISTS|DROP DATABASE IF"
                                        + " EXISTS|FLUSH TABLES|LOCK TABLES|CALL|UPDATE|DELETE FROM|DROP TABLE) `blobmark`.*");
            }
        });
        assertThat(server.state()).isEqualTo(before);
        assertThat(notes).isEmpty();
    }

    /**
     * Its name can be guessed, since --dry-run prints it: the trial fails, in the server's words, and the table stays.
     */
    @Test
    void aTableThatIsThereAlreadyIsNotTouched(OwnServer shared) throws Exception {
        ForeignServer server = ForeignServer.of(shared);
        List<String> made = new ArrayList<>();
        try (Connection owner = server.owner()) {
            Listener another = new Notes() {
                private int tables;

                @Override
                public void stepStarted(String what) {
                    if (what.startsWith("loading") && ++tables == 2) {
                        try {
                            made.add("blobmark."
                                    + ForeignServer.strings(owner, "SHOW TABLES FROM blobmark LIKE 't01%'")
                                            .get(0)
                                            .replace("t01_none", "t02_zstd_3"));
                            execute(owner, "CREATE TABLE " + made.get(0) + " (theirs INT PRIMARY KEY)");
                            execute(owner, "INSERT INTO " + made.get(0) + " VALUES (42)");
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        }
                    }
                }
            };
            RunDirectory run = empty();
            laboratory(server, study(SITES, 1), RunLimits.DEFAULT, another).run(run);

            assertThat(run.samples())
                    .filteredOn(sample -> sample.outcome() instanceof Outcome.Failed)
                    .singleElement()
                    .asString()
                    .contains("already exists");
            assertThat(ForeignServer.strings(owner, "SELECT theirs FROM " + made.get(0)))
                    .containsExactly("42");
            assertThat(ForeignServer.strings(owner, "SHOW TABLES FROM blobmark"))
                    .hasSize(1);
            assertThat(notes)
                    .singleElement()
                    .asString()
                    .startsWith("the schema blobmark stays: it contains what is not Blobmark's: t02_");
            execute(owner, "DROP DATABASE blobmark");
        }
    }

    /** Values that fit are loaded in batches that fit; what does not is refused before anything is written. */
    @Test
    void aServerWithSmallPacketsTakesWhatFits(OwnServer shared) throws Exception {
        ForeignServer server = ForeignServer.of(shared);
        List<String> before = server.state();
        try (Connection owner = server.owner()) {
            execute(owner, "SET GLOBAL max_allowed_packet = 1048576");
            try {
                RunDirectory run = empty();
                assertThat(laboratory(server, study(SITES, 1), RunLimits.DEFAULT, new Notes())
                                .run(run))
                        .isEqualTo(Ending.COMPLETE);
                assertThat(run.samples())
                        .hasSize(2)
                        .allMatch(sample -> sample.outcome().isMeasurement());

                String longer = "{workload: fetch, dataset: sites, size: 2MB, threads: 1}";
                assertThatThrownBy(() -> laboratory(server, study(longer, 1), RunLimits.DEFAULT, new Notes())
                                .run(RunDirectory.createAt(directory.resolve("longer"))))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContaining("SET GLOBAL max_allowed_packet = 3145728");
            } finally {
                execute(owner, "SET GLOBAL max_allowed_packet = 67108864");
            }
        }
        assertThat(server.state()).isEqualTo(before);
    }

    @Test
    void aRunWaitsForOthersAndEndsAtACriticalLoad(OwnServer shared) throws Exception {
        ForeignServer server = ForeignServer.of(shared);
        List<String> before = server.state();
        List<Connection> load = new ArrayList<>();
        try (Connection owner = server.owner()) {
            int others = Integer.parseInt(ForeignServer.strings(owner, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
                    .get(0));
            Listener busy = new Notes() {
                private int next = 60;

                @Override
                public void sampleRecorded(Sample sample) {
                    connect(next);
                }

                @Override
                public void noticeIssued(String note) {
                    super.noticeIssued(note);
                    if (note.startsWith("paused: ") && next == 60) {
                        disconnect();
                        next = 200;
                    }
                }

                private void connect(int count) {
                    try {
                        while (load.size() < count) {
                            load.add(JdbcDriver.connectForLoading(server.endpoint(), ""));
                        }
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }

                private void disconnect() {
                    try {
                        for (Connection one : load) {
                            one.close();
                        }
                        load.clear();
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }
            };
            RunDirectory run = empty();
            RunLimits terms = limited("Threads_connected=" + (others + 30), "Threads_connected=" + (others + 100));

            assertThat(laboratory(server, study(SITES, 500), terms, busy).run(run))
                    .isEqualTo(Ending.CRITICAL_LOAD);

            assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
            assertThat(run.samples())
                    .hasSizeBetween(2, 500)
                    .allMatch(sample -> sample.outcome().isMeasurement());
            assertThat(notes).anyMatch(note -> note.startsWith("paused: threads_connected = "));
            assertThat(notes.get(notes.size() - 1)).startsWith("ended by --critical-load: threads_connected = ");
        } finally {
            for (Connection one : load) {
                one.close();
            }
        }
        assertThat(server.state()).isEqualTo(before);
    }

    @Test
    void aServerThatIsKilledEndsTheRunWithWhatItHas() throws Exception {
        RunDirectory run = empty();
        try (OwnServer host = OwnServer.start(OneServer.CACHE, ServerOptions.of(64 << 20))) {
            ForeignServer server = ForeignServer.of(host);
            Listener killer = new Notes() {
                private int measured;

                @Override
                public void sampleRecorded(Sample sample) {
                    if (++measured == 3) {
                        ProcessHandle process = ProcessHandle.of(host.pid()).orElseThrow();
                        process.destroyForcibly();
                        process.onExit().join();
                    }
                }
            };

            assertThatThrownBy(() -> laboratory(server, study(SITES, 100), RunLimits.DEFAULT, killer)
                            .run(run))
                    .isInstanceOf(ServerException.class)
                    .hasMessageMatching(
                            "(?s)the server guest@127.0.0.1:\\d+ was lost while measuring .*; earlier measurements"
                                    + " are kept");
        }

        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FAILED);
        List<Sample> samples = run.samples();
        assertThat(samples).hasSize(4);
        assertThat(samples.subList(0, 3)).allMatch(sample -> sample.outcome().isMeasurement());
        assertThat(samples.get(3).outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(samples.get(3).events()).contains("the server was lost during the trial");
        assertThat(notes).singleElement().asString().startsWith("the schema blobmark could not be removed (");
    }

    /** The tables would have fitted, but when the second is loaded something else takes what is left. */
    @Test
    void aDiskThatFillsUpEndsTheRunAndNothingOfItStays() throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        assumeThat(mount(small))
                .as("only root may mount a file system of limited size")
                .isTrue();
        try (OwnServer host = OwnServer.start(
                small,
                Optional.of(installation()),
                ServerOptions.of(64 << 20).with(Map.of("innodb_log_file_size", "8388608")))) {
            ForeignServer server = ForeignServer.of(host);
            List<String> before = server.state();
            Listener filler = new Notes() {
                private int tables;

                @Override
                public void stepStarted(String what) {
                    if (what.startsWith("loading") && ++tables == 2) {
                        fill(small.resolve("filler"));
                    }
                }
            };

            assertThatThrownBy(() -> laboratory(server, study(SITES, 1), RunLimits.DEFAULT, filler)
                            .run(empty()))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageMatching(
                            "(?s)the server has no space left \\(.*\\); the run's tables are dropped. Free some space.*");

            assertThat(server.state()).isEqualTo(before);
        } finally {
            unmount(small);
        }
    }

    private static void fill(Path file) {
        byte[] zeros = new byte[64 << 10];
        try (var out = Files.newOutputStream(file)) {
            while (Files.getFileStore(file).getUsableSpace() > zeros.length) {
                out.write(zeros);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path installation() throws IOException {
        try (var entries = Files.list(OneServer.CACHE.resolve("embedded"))) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith("mariadb-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static boolean mount(Path directory) throws Exception {
        return new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", directory.toString())
                        .redirectErrorStream(true)
                        .start()
                        .waitFor()
                == 0;
    }

    private static void unmount(Path directory) throws Exception {
        assertThat(new ProcessBuilder("umount", directory.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }
}
