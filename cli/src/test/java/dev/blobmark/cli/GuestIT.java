package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs on a MySQL that is the user's, as a user sees them fail: what is said, the exit code, the samples that are kept.
 * Whatever happens, the server is left as it was found, and the password is in no file, log or command line.
 */
@Tag("long")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GuestIT {

    private static final String STUDY = """
            study: guest
            question: How does it fail?
            metric: throughput
            baseline: plain
            methods: {plain: {}, zstd: {codec: zstd, driver: mariadb}}
            conditions: [{workload: fetch, dataset: sites, size: 4KB, rows: 100, threads: 1}]
            schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}
            """;

    /** Room for an empty server, and some tables of 20 MB. */
    private static final String FILE_SYSTEM_SIZE = "size=500m,mode=700";

    /** What the disk is filled up to: less than a table, and enough for the server to go on. */
    private static final long LEFT_BYTES = 12 << 20;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir
    private static Path disk;

    private static boolean isLimited;
    private static UsersServer server;

    @TempDir
    private Path directory;

    private List<String> before;

    @BeforeAll
    static void start() throws Exception {
        UsersServer.requireMySql();
        isLimited = isDone("mount", "-t", "tmpfs", "-o", FILE_SYSTEM_SIZE, "tmpfs", disk.toString());
        server = UsersServer.start(disk);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        if (isLimited) {
            assertThat(isDone("umount", disk.toString())).isTrue();
        }
    }

    private static boolean isDone(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    @BeforeEach
    void anOptionFileAndAStudy() throws Exception {
        Files.writeString(directory.resolve("study.yaml"), STUDY);
        Files.writeString(directory.resolve("login.cnf"), "[client]\npassword=\"" + UsersServer.PASSWORD + "\"\n");
        before = server.state();
    }

    @AfterEach
    void theServerIsAsItWasAndNothingHoldsThePassword() throws Exception {
        assertThat(server.state()).isEqualTo(before);
        Files.delete(directory.resolve("login.cnf"));
        List<Path> files = new ArrayList<>(server.logs());
        for (Path place : List.of(directory, Files.createDirectories(BlobmarkProcess.CACHE))) {
            try (Stream<Path> all = Files.walk(place)) {
                all.filter(Files::isRegularFile)
                        .filter(file -> !file.startsWith(BlobmarkProcess.CACHE.resolve("embedded")))
                        .forEach(files::add);
            }
        }
        for (Path file : files) {
            assertThat(contains(file, UsersServer.PASSWORD))
                    .as("%s has the password", file)
                    .isFalse();
        }
        BlobmarkProcess.assertNothingLeft();
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What is done again and again while a run goes on. */
    private interface Meanwhile {
        void act() throws Exception;
    }

    private record Ended(int exitCode, String out, String err) {}

    private Ended run(Map<String, String> environment, Meanwhile meanwhile, String... args) throws Exception {
        try (BlobmarkProcess run = BlobmarkProcess.start(directory, environment, args)) {
            while (run.isAlive()) {
                assertInNoCommandLine();
                meanwhile.act();
                LockSupport.parkNanos(POLL_NANOS);
            }
            return new Ended(run.exitCode(), run.out(), run.err());
        }
    }

    /** With the password from the option file. */
    private Ended run(String out, Meanwhile meanwhile, String... more) throws Exception {
        List<String> args = new ArrayList<>(List.of(
                "run",
                "study.yaml",
                "--out",
                out,
                "--server",
                server.address(),
                "--defaults-file",
                "login.cnf",
                "--debug"));
        args.addAll(List.of(more));
        return run(Map.of(), meanwhile, args.toArray(String[]::new));
    }

    private Ended run(Meanwhile meanwhile, String... more) throws Exception {
        return run("run", meanwhile, more);
    }

    private Ended run(String... more) throws Exception {
        return run(() -> {}, more);
    }

    /** Of all processes: the run's own, those below it, and the servers. */
    private static void assertInNoCommandLine() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(entry -> entry.getFileName().toString().matches("\\d+"))
                    .toList()) {
                try {
                    assertThat(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1))
                            .doesNotContain(UsersServer.PASSWORD);
                } catch (IOException ended) {
                    // it has no command line any more
                }
            }
        }
    }

    private RunDirectory left() {
        return RunDirectory.open(directory.resolve("run"));
    }

    private long samples() throws IOException {
        Path file = directory.resolve("run").resolve("samples.jsonl");
        return Files.exists(file) ? Files.readString(file).lines().count() : 0;
    }

    private void assertRefused(Ended run, String... words) {
        assertThat(run.exitCode).as(run.err).isEqualTo(6);
        assertThat(run.err)
                .contains(
                        "blobmark: the server guest@127.0.0.1:", "does not allow this run; nothing was written to it:")
                .contains(words);
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void aRunIsMeasuredAndLeavesNothing() throws Exception {
        Ended run = run(
                Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD),
                () -> {},
                "run",
                "study.yaml",
                "--out",
                "run",
                "--server",
                server.address());

        assertThat(run.exitCode).as(run.err).isZero();
        assertThat(run.out).contains("MySQL 9", "2 rounds, 1 fork");
        assertThat(run.err).contains("\n  one thread; an application has more: --threads 1,8 ");
        assertThat(server.logs())
                .as("its log tells what it was told")
                .anyMatch(log -> contains(log, "`blobmark`.`t01_"));
        assertThat(left().samples())
                .hasSize(4)
                .allMatch(sample -> sample.outcome().isMeasurement());
    }

    @Test
    void anAccountWithoutCreateIsToldTheGrant() throws Exception {
        server.grant(List.of(UsersServer.GRANTS.get(0).replace(" CREATE,", ""), UsersServer.GRANTS.get(1)));
        try {
            before = server.state();

            assertRefused(
                    run(),
                    "the account may not CREATE in the schema blobmark: GRANT CREATE ON `blobmark`.* TO 'guest'@'127.0.0.1'");

            assertThat(server.state()).isEqualTo(before);
        } finally {
            server.grant(UsersServer.GRANTS);
            before = server.state();
        }
    }

    @Test
    void aReadOnlyServerIsToldWithItsSetting() throws Exception {
        server.own("SET GLOBAL super_read_only = ON");
        try {
            assertRefused(
                    run(),
                    "it is read-only (read_only=ON, super_read_only=ON): name a writable server, such as the"
                            + " source of this replica");
        } finally {
            server.own("SET GLOBAL super_read_only = OFF");
            server.own("SET GLOBAL read_only = OFF");
        }
    }

    /**
     * The noise fits as it is, but not as what deflate makes of it; the letters fit compressed, but not as the server
     * returns them.
     */
    @Test
    void aPacketThatIsTooSmallIsToldWithTheOneThatIsNeeded() throws Exception {
        byte[] noise = new byte[(1 << 20) - 16_050];
        new Random(42).nextBytes(noise);
        Files.write(Files.createDirectory(directory.resolve("photos")).resolve("noise"), noise);
        server.own("SET GLOBAL max_allowed_packet = 1048576");
        try {
            assertRefused(
                    run("--set", "size=2MB", "--set", "rows=dataset"),
                    "max_allowed_packet is 1024 KB, and the longest value needs 2048 KB: SET GLOBAL max_allowed_packet ="
                            + " 3145728, or leave out the longest values with --set size=…");

            Ended grown =
                    run("grown", () -> {}, "--set", "codec=none,gzip", "--data", "dir:photos", "--set", "rows=dataset");
            assertThat(grown.exitCode).as(grown.err).isEqualTo(6);
            assertThat(grown.err).contains("SET GLOBAL max_allowed_packet = 2097152");
            assertThat(directory.resolve("grown")).doesNotExist();

            Ended unpacked = run(
                    "unpacked",
                    () -> {},
                    "--data",
                    "random:2",
                    "--set",
                    "size=2MB",
                    "--set",
                    "rows=dataset",
                    "--set",
                    "codec=mysql",
                    "--set",
                    "decode=server");
            assertThat(unpacked.exitCode).as(unpacked.err).isEqualTo(6);
            assertThat(unpacked.err).contains("the longest value needs 2048 KB");
        } finally {
            server.own("SET GLOBAL max_allowed_packet = 67108864");
        }
    }

    /** After two trials others take the room that the tables of those to come would have. */
    @Test
    void aDiskThatFillsUpHalfWayKeepsWhatWasMeasuredBefore() throws Exception {
        assumeTrue(isLimited, "only root may mount a file system of limited size");
        Path filler = disk.resolve("others");
        server.own("SET GLOBAL general_log = OFF"); // it would hold every value
        try {
            Ended run = run(
                    () -> {
                        if (samples() >= 2) {
                            fill(filler);
                        }
                    },
                    "--set",
                    "workload=update",
                    "--data",
                    "random:62",
                    "--set",
                    "size=512KB",
                    "--set",
                    "rows=40",
                    "--rounds",
                    "100");

            assertThat(run.exitCode).as(run.err).isEqualTo(6);
            assertThat(run.err)
                    .containsPattern(
                            "blobmark: the server has no space left \\(.*(full|space).*\\); the run's tables are"
                                    + " dropped. Free some space on its disk, or load less");
        } finally {
            Files.deleteIfExists(filler);
            server.own("SET GLOBAL general_log = ON");
        }
        assertKept(2);
    }

    private static void fill(Path file) throws IOException {
        byte[] some = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (Files.getFileStore(disk).getUsableSpace() > LEFT_BYTES + some.length) {
                out.write(some);
            }
        }
    }

    private RunDirectory assertKept(int measured) {
        RunDirectory left = left();
        assertThat(left.manifest().progress().state()).isEqualTo(Manifest.State.FAILED);
        List<Sample> samples = left.samples();
        assertThat(samples)
                .filteredOn(sample -> sample.outcome().isMeasurement())
                .hasSizeGreaterThanOrEqualTo(measured);
        Invocation report = Invocation.of("report", left.path().toString());
        assertThat(report.exitCode()).isZero();
        assertThat(report.out()).contains(samples.size() + " of ", " planned", "plain");
        return left;
    }

    @Test
    void aServerThatIsKilledIsGoneOnWithWhenItIsBack() throws Exception {
        boolean[] killed = new boolean[1];
        Ended run = run(
                () -> {
                    if (!killed[0] && samples() >= 3) {
                        server.kill();
                        killed[0] = true;
                    }
                },
                "--rounds",
                "3",
                "--time",
                "300ms");
        server.restart();

        assertThat(run.exitCode).as(run.err).isEqualTo(3);
        assertThat(run.err)
                .containsPattern("blobmark: the server guest@127\\.0\\.0\\.1:\\d+ was lost while .*; earlier"
                        + " measurements are kept")
                .contains(
                        "What was measured until then is in the run directory. To resume it:\n  blobmark run --resume run");
        List<Sample> kept = assertKept(3).samples();
        assertThat(kept.get(kept.size() - 1).outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(server.state()).as("with what the run had left").isNotEqualTo(before);

        Ended resumed = run(
                Map.of("MYSQL_PWD", UsersServer.PASSWORD),
                () -> {},
                "run",
                "--resume",
                "run",
                "--server",
                server.address());

        assertThat(resumed.err).contains("had left in the schema blobmark");
        assertThat(left().samples()).startsWith(kept.toArray(Sample[]::new));
        assertThat(left().manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(resumed.exitCode)
                .as("the trial that the server was lost in: %s", resumed.err)
                .isEqualTo(4);
    }

    /** What a killed run left: nothing of it goes without an answer, and nothing else goes at all. */
    @Test
    void cleanupListsAndAsksAndRemovesWhatIsNamed() throws Exception {
        boolean[] killed = new boolean[1];
        try (BlobmarkProcess run = BlobmarkProcess.start(
                directory,
                Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD),
                "run",
                "study.yaml",
                "--out",
                "run",
                "--rounds",
                "1000",
                "--server",
                server.address())) {
            while (run.isAlive()) {
                if (!killed[0] && samples() >= 1) {
                    run.signal("KILL");
                    killed[0] = true;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        String[] cleanup = {"cleanup", "--server", server.address()};
        Ended refused = run(Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD), () -> {}, cleanup);
        assertThat(refused.exitCode).as(refused.err).isEqualTo(2);
        assertThat(refused.out)
                .contains("to remove: schema blobmark, 2 tables of run run, begun ")
                .contains("  table blobmark.t01_none", "  table blobmark.t02_zstd", "  table blobmark.blobmark_marker")
                .endsWith("  schema blobmark" + System.lineSeparator());
        assertThat(refused.err).contains("nothing was removed: there is no terminal to ask on. Repeat it with --yes");
        assertThat(server.state()).isNotEqualTo(before);

        Ended other = run(
                Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD),
                () -> {},
                "cleanup",
                "--server",
                server.address(),
                "--schema",
                "blobmark_2",
                "--yes");
        assertThat(other.exitCode).as(other.err).isZero();
        assertThat(other.out)
                .contains("also marked: schema blobmark, 2 tables", "; name it by --schema blobmark")
                .contains("Nothing of Blobmark's is in blobmark_2 of ");
        assertThat(server.state()).isNotEqualTo(before);

        Ended removed = run(
                Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD),
                () -> {},
                "cleanup",
                "--server",
                server.address(),
                "--yes");
        assertThat(removed.exitCode).as(removed.err).isZero();
        assertThat(removed.out).contains("removed: schema blobmark, 2 tables of run run, begun ");
    }

    @Test
    void aLayoutThatTheServerChangesFailsItsTrialsInTheServersWords() throws Exception {
        server.own("SET GLOBAL innodb_file_per_table = OFF");
        server.own("SET GLOBAL innodb_strict_mode = OFF");
        try {
            Ended run = run("--set", "layout=compressed:8,dynamic");

            assertThat(run.exitCode).as(run.err).isEqualTo(4);
            assertThat(run.err)
                    .contains(
                            "KEY_BLOCK_SIZE=8: Warning 1478: InnoDB: KEY_BLOCK_SIZE requires innodb_file_per_table.; Warning"
                                    + " 1478: InnoDB: ignoring KEY_BLOCK_SIZE=8.")
                    .contains("space_type is System instead of Single");
            assertThat(left().samples()).allMatch(sample -> sample.outcome() instanceof Outcome.Failed);
        } finally {
            server.own("SET GLOBAL innodb_file_per_table = ON");
            server.own("SET GLOBAL innodb_strict_mode = ON");
        }
    }

    @Test
    void aCriticalLoadEndsTheRunWithWhatItHas() throws Exception {
        List<Connection> others = new ArrayList<>();
        try {
            Ended run = run(
                    () -> {
                        while (samples() >= 2 && others.size() < 20) {
                            others.add(server.owner());
                        }
                    },
                    "--critical-load",
                    "Threads_connected=10",
                    "--rounds",
                    "1000");

            assertThat(run.exitCode).as(run.err).isEqualTo(7);
            assertThat(run.err)
                    .containsPattern("ended by --critical-load: threads_connected = \\d+ > 10")
                    .contains("Interrupted: what was measured", "  blobmark run --resume run");
            assertThat(run.out).contains("plain");
        } finally {
            for (Connection other : others) {
                other.close();
            }
        }
        assertThat(left().manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(left().samples())
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(sample -> sample.outcome().isMeasurement());
    }

    @Test
    void aWatchThatLosesItsLockEndsTheRunWithWhatItHas() throws Exception {
        try (Connection owner = server.owner();
                Statement statement = owner.createStatement()) {
            boolean[] isTaken = new boolean[1];
            Ended run = run(
                    () -> {
                        if (!isTaken[0] && samples() >= 2) {
                            isTaken[0] = true;
                            long holder;
                            try (ResultSet row = statement.executeQuery(
                                    "SELECT IS_USED_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e')")) {
                                row.next();
                                holder = row.getLong(1);
                            }
                            statement.execute("KILL " + holder);
                            statement.execute("DO GET_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e', 30)");
                        }
                    },
                    "--rounds",
                    "1000");

            assertThat(run.exitCode).as(run.err).isEqualTo(8);
            assertThat(run.err)
                    .containsPattern("ended: session \\d+ has taken the lock of this run on the schema blobmark")
                    .contains("Interrupted: what was measured", "  blobmark run --resume run");
        }
        assertThat(left().manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(left().samples())
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(sample -> sample.outcome().isMeasurement());
    }

    @Test
    void aDryRunReportsWhatTheServerAllowsAndWritesNothing() throws Exception {
        Ended allowed = run("--dry-run");
        assertThat(allowed.exitCode).as(allowed.err).isZero();
        assertThat(allowed.out)
                .contains("Connections: up to ", "Server: it allows this run; nothing was written to it")
                .containsPattern("  connections: up to \\d+ of \\d+; \\d+ in use")
                .contains("  one thread; an application has more: --threads 1,8 measures with one and with eight\n");
        assertThat(run("--dry-run", "--threads", "1,8").out).doesNotContain("one thread");

        Ended refused = run("--dry-run", "--threads", "1000", "--max-bytes", "1KB");
        assertThat(refused.exitCode).as(refused.err).isEqualTo(6);
        assertThat(refused.err)
                .contains(
                        "does not allow this run; nothing was written to it:",
                        "more than --max-bytes allows (1024 bytes)")
                .containsPattern("the run opens up to 1003 connections, and the server has \\d+ left for it");
        assertThat(refused.out).startsWith("Study:       guest\n");
        assertThat(directory.resolve("run")).doesNotExist();
    }

    /** The server was started with the smallest pool in which nothing else has to change, 64 MiB. */
    @Test
    void aDryRunStatesTheServersOwnBufferPool() throws Exception {
        Ended fits = run("--dry-run");
        assertThat(fits.out).containsPattern("\nWorking set: at most \\d+ MB a trial, in a buffer pool of 64 MB\n");

        Ended larger = run("--dry-run", "--set", "rows=20000");
        assertThat(larger.exitCode).as(larger.err).isZero();
        assertThat(larger.out)
                .contains(", in a buffer pool of 64 MB, which it does not fit in: some reads are from disk\n");
    }

    @Test
    void aDryRunReportsTheGrantsThatAreMissing() throws Exception {
        server.grant(List.of(UsersServer.GRANTS.get(0).replace(" CREATE,", ""), "RELOAD ON *.*"));
        try {
            before = server.state();

            Ended refused = run("--dry-run");

            assertThat(refused.exitCode).as(refused.err).isEqualTo(6);
            assertThat(refused.out).contains("Working set: at most ", ", in a buffer pool of 64 MB");
            assertThat(refused.err)
                    .contains(
                            "the account may not CREATE in the schema blobmark: GRANT CREATE ON `blobmark`.* TO"
                                    + " 'guest'@'127.0.0.1'",
                            "GRANT PROCESS ON *.* TO 'guest'@'127.0.0.1'");
            assertThat(server.state()).isEqualTo(before);
        } finally {
            server.grant(UsersServer.GRANTS);
            before = server.state();
        }
    }

    @Test
    void moreConnectionsThanTheServerHasLeftAreRefused() throws Exception {
        server.own("SET GLOBAL max_connections = 60");
        try {
            assertRefused(run("--threads", "55"), "the run opens up to 58 connections, and the server has ");
        } finally {
            server.own("SET GLOBAL max_connections = 1024");
        }
    }

    @Test
    void whoIsNotLetInIsToldWhereThePasswordCameFrom() throws Exception {
        Files.writeString(directory.resolve("login.cnf"), "[client]\npassword=\"not " + UsersServer.PASSWORD + "\"\n");

        Ended run = run();

        assertThat(run.exitCode).as(run.err).isEqualTo(3);
        assertThat(run.err)
                .contains("refused the login of 'guest' (", "the password is from the option file")
                .doesNotContain(UsersServer.PASSWORD);
        assertThat(directory.resolve("run")).doesNotExist();
    }
}
