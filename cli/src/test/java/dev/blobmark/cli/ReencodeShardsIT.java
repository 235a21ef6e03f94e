package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code blobmark reencode} on two servers that one argument names. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReencodeShardsIT {

    private static final int ROWS = 400;
    private static final String PASSWORD = "two of them";

    private final List<Server> servers = new ArrayList<>();
    private final List<Connection> owners = new ArrayList<>();

    @TempDir
    private Path directory;

    @BeforeAll
    void start() throws Exception {
        for (int i = 0; i < 2; i++) {
            Server server = Servers.parse("embedded").open(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
            servers.add(server);
            owners.add(JdbcDriver.connectForLoading(server.endpoint(), ""));
            execute(i, "CREATE USER 'you'@'%' IDENTIFIED BY '" + PASSWORD + "'");
            execute(i, "GRANT ALL ON *.* TO 'you'@'%'");
        }
    }

    @AfterAll
    void stop() throws SQLException {
        for (Connection owner : owners) {
            owner.close();
        }
        servers.forEach(Server::close);
    }

    @BeforeEach
    void fill() throws SQLException {
        for (int i = 0; i < 2; i++) {
            execute(i, "CREATE DATABASE shop");
            execute(i, "USE shop");
            execute(i, "CREATE TABLE shop.orders (id INT PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
            execute(
                    i,
                    "INSERT INTO shop.orders SELECT seq, CONCAT(REPEAT(CONCAT('{\"sku\": \"item-', seq % 7, '\"}'), 40), "
                            + i + ") FROM seq_1_to_" + ROWS);
        }
    }

    @AfterEach
    void drop() throws SQLException {
        for (int i = 0; i < 2; i++) {
            execute(i, "DROP DATABASE shop");
        }
    }

    private void execute(int server, String sql) throws SQLException {
        try (Statement statement = owners.get(server).createStatement()) {
            statement.execute(sql);
        }
    }

    /** Checksum and total length of the values of a server. */
    private String digest(int server) throws SQLException {
        try (Statement statement = owners.get(server).createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT CONCAT(SUM(CRC32(CONCAT(id, payload))), ' ', SUM(LENGTH(payload))) FROM shop.orders")) {
            row.next();
            return row.getString(1);
        }
    }

    private long bytes(int server) throws SQLException {
        return Long.parseLong(digest(server).split(" ")[1]);
    }

    /** With the password in an option file. */
    private BlobmarkProcess command(String... more) throws Exception {
        Path file = directory.resolve("my.cnf");
        Files.writeString(file, "[client]\npassword=\"" + PASSWORD + "\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        List<String> words = new ArrayList<>(List.of(
                "reencode",
                "--table",
                "shop.orders.payload",
                "--server",
                "mysql://you@127.0.0.1:{" + servers.get(0).endpoint().port() + ","
                        + servers.get(1).endpoint().port() + "}/",
                "--defaults-file",
                file.toString(),
                "--speed",
                "100"));
        words.addAll(List.of(more));
        return BlobmarkProcess.start(directory, words.toArray(String[]::new));
    }

    private String done(String... more) throws Exception {
        try (BlobmarkProcess process = command(more)) {
            assertThat(process.exitCode()).as(process.out() + process.err()).isZero();
            return process.out();
        }
    }

    @Test
    void allAreChangedComparedAndTakenBack() throws Exception {
        List<String> before = List.of(digest(0), digest(1));

        assertThat(done("--to", "zstd:3", "--dry-run")).contains("2 servers, about 800 rows");
        assertThat(List.of(digest(0), digest(1))).isEqualTo(before);

        assertThat(done("--to", "zstd:3", "--yes")).contains("Done on 2 of 2 servers: 800 of 800 rows changed");
        assertThat(bytes(0)).isLessThan(Long.parseLong(before.get(0).split(" ")[1]) / 3);
        assertThat(bytes(1)).isLessThan(Long.parseLong(before.get(1).split(" ")[1]) / 3);
        assertThat(done("--verify")).contains("Compared on 2 of 2 servers: All ", "800 rows");

        assertThat(done("--revert", "--yes")).contains("Done on 2 of 2 servers");
        assertThat(List.of(digest(0), digest(1))).isEqualTo(before);
        assertThat(done("--finish")).contains("Done on 2 of 2 servers.");
    }

    @Test
    void nothingBeginsWhereOneServerRefuses() throws Exception {
        String before = digest(0);
        execute(1, "CREATE INDEX of_value ON shop.orders (payload(20))");

        try (BlobmarkProcess process = command("--to", "zstd:3", "--yes")) {
            assertThat(process.exitCode()).isEqualTo(ExitCode.NOT_ALLOWED.code());
            assertThat(process.out())
                    .contains(
                            "It cannot begin on 1 of 2 servers:",
                            "127.0.0.1:" + servers.get(1).endpoint().port() + ": ");
        }
        assertThat(digest(0)).isEqualTo(before);
    }

    @Test
    void eventsNameTheirServer() throws Exception {
        JsonMapper mapper = new JsonMapper();
        List<JsonNode> events = done("--to", "lz4", "--yes", "--format", "json")
                .lines()
                .map(mapper::readTree)
                .toList();

        for (Server server : servers) {
            String label = "127.0.0.1:" + server.endpoint().port();
            assertThat(events)
                    .filteredOn(event -> event.get("server").asString().equals(label))
                    .anyMatch(event -> event.has("preview"))
                    .anyMatch(event -> event.has("progress")
                            && event.get("progress").get("step").asString().equals("changed"));
        }
    }

    @Test
    void aPauseFileHoldsAll() throws Exception {
        String before = digest(0);
        Path pause = Files.createFile(directory.resolve("pause"));
        try (BlobmarkProcess process = command("--to", "lz4", "--yes", "--pause-file", pause.toString())) {
            process.await("it waits", () -> process.err().contains("paused: the file " + pause));
            assertThat(digest(0)).isEqualTo(before);
            Files.delete(pause);
            assertThat(process.exitCode()).as(process.err()).isZero();
        }
        assertThat(digest(0)).isNotEqualTo(before);
    }

    /** Whoever has started it removes its directory of temporary files. */
    @Test
    void aProcessWritesNoPasswordAndLeavesNothingElsewhere() throws Exception {
        String before = digest(0);
        Path cache = Files.createDirectory(directory.resolve("cache"));
        Path own = Files.createDirectory(directory.resolve("own"));
        Process killed = paused(cache, own);
        assertThat(filesWithPassword()).isEmpty();
        killed.destroyForcibly().waitFor();
        assertThat(filesWithPassword()).isEmpty();
        assertThat(cache).isEmptyDirectory();

        Path other = Files.createDirectory(directory.resolve("other"));
        Process process = paused(cache, other);
        try {
            process.outputWriter().close();
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED.code());
        } finally {
            process.destroyForcibly();
        }
        assertThat(cache).isEmptyDirectory();
        assertThat(scratch(other)).isEmpty();
        assertThat(digest(0)).isEqualTo(before);
    }

    /** A process that is connected, and does nothing. */
    private Process paused(Path cache, Path own) throws IOException {
        Path pause = directory.resolve("pause");
        Files.writeString(pause, "");
        ProcessBuilder command = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Djava.io.tmpdir=" + own,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShardMain.class.getName())
                .redirectError(directory.resolve("errors").toFile());
        command.environment().put("XDG_CACHE_HOME", cache.toString());
        Process process = command.start();
        process.outputWriter()
                .write(new ShardOrder(
                                        List.of(
                                                "--table",
                                                "shop.orders.payload",
                                                "--server",
                                                "mysql://you@127.0.0.1:"
                                                        + servers.get(0)
                                                                .endpoint()
                                                                .port() + "/",
                                                "--to",
                                                "lz4",
                                                "--yes",
                                                "--pause-file",
                                                pause.toString(),
                                                "--format",
                                                "json"),
                                        Optional.empty(),
                                        new ShardOrder.ShardLogin(Map.of("password", Optional.of(PASSWORD)), Map.of()),
                                        false)
                                .toLine()
                        + "\n");
        process.outputWriter().flush();
        BufferedReader lines = process.inputReader();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains("paused")) {
                return process;
            }
        }
        throw new IOException("the process has ended: " + Files.readString(directory.resolve("errors")));
    }

    private List<Path> filesWithPassword() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(PASSWORD)) {
                    found.add(file);
                }
            }
            return found;
        }
    }

    /** Private directories of a process. */
    private static List<Path> scratch(Path own) throws IOException {
        try (Stream<Path> files = Files.list(own.resolve("servers"))) {
            return files.filter(Files::isDirectory).toList();
        }
    }
}
