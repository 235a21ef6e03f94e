package dev.blobmark.lab.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.directory.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresServersIT {

    /** Kept between builds, so that the server is unpacked once. */
    static final Path CACHE = OneServer.CACHE;

    @TempDir
    private Path directory;

    private static PostgresServer start(Map<String, String> settings) {
        return OwnPostgres.start(
                CACHE,
                "embedded",
                PostgresBinaries.unpacked(CACHE.toAbsolutePath().resolve("embedded")),
                settings,
                ServerLaunch.USUAL);
    }

    private static String ask(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = PostgresConnections.connect(server.endpoint(), server.database());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void theEmbeddedOneIsAsItWasAskedForNeedsItsPasswordAndLeavesNothing() throws Exception {
        Path data;
        long pid;
        try (PostgresServer server = start(Map.of("shared_buffers", "24MB", "synchronous_commit", "off"))) {
            pid = server.pid().getAsLong();
            ServerIdentity identity = PostgresConnections.identity(server);
            assertThat(identity.product()).isEqualTo("PostgreSQL");
            assertThat(identity.version()).matches("18\\.\\d+");
            assertThat(identity.variables())
                    .containsEntry("shared_buffers", "24MB")
                    .containsEntry("synchronous_commit", "off")
                    .containsEntry("fsync", "on")
                    .containsEntry("full_page_writes", "on")
                    .containsEntry("listen_addresses", "127.0.0.1")
                    .containsEntry("unix_socket_directories", "")
                    .doesNotContainValue(server.endpoint().password());
            Endpoint stranger = new Endpoint(
                    server.endpoint().host(),
                    server.endpoint().port(),
                    server.endpoint().user(),
                    "guess");
            assertThatThrownBy(() -> PostgresConnections.connect(stranger, server.database()))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
            assertThat(ask(server, "SELECT passwd FROM pg_shadow WHERE usename = 'blobmark'"))
                    .startsWith("SCRAM-SHA-256$");
            data = Path.of(ask(server, "SHOW data_directory"));
            assertThat(Files.getPosixFilePermissions(data.getParent()))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(data.getParent()).doesNotExist();
    }

    @Test
    void aRestartKeepsTheDataAndTheEndpoint() throws Exception {
        try (PostgresServer server = start(Map.of())) {
            Endpoint before = server.endpoint();
            long pid = server.pid().getAsLong();
            try (Connection connection = PostgresConnections.connect(server.endpoint(), server.database());
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE kept AS SELECT 42 AS answer");
                server.restart(); // does not wait for the connection that is open
            }
            assertThat(server.endpoint()).isEqualTo(before);
            assertThat(server.pid().getAsLong()).isNotEqualTo(pid);
            assertThat(ask(server, "SELECT answer FROM kept")).isEqualTo("42");
        }
    }

    /** Starts a server, says where it is, and waits to be killed. */
    public static final class Owner {
        public static void main(String[] arguments) throws Exception {
            PostgresServer server = PostgresServers.parse("postgres:" + arguments[1], List.of(), Map.of())
                    .open(Path.of(arguments[0]));
            System.out.println(server.pid().getAsLong() + " " + ask(server, "SHOW data_directory"));
            System.in.read();
        }
    }

    @Test
    void theServerOfAKilledRunIsRemovedByTheNextStart() throws Exception {
        String program =
                PostgresBinaries.unpacked(CACHE.resolve("embedded")).postgres().toString();
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Owner.class.getName(),
                        directory.toString(),
                        program)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] words = owner.inputReader().readLine().split(" ");
        ProcessIdentity left = ProcessIdentity.of(Long.parseLong(words[0])).orElseThrow();
        Path data = Path.of(words[1]);
        owner.destroyForcibly().waitFor();
        assertThat(left.isAlive()).isTrue();

        PostgresServers.parse("postgres:" + program, List.of(), Map.of())
                .open(directory)
                .close();

        assertThat(left.isAlive()).isFalse();
        assertThat(data).doesNotExist();
    }

    @Test
    void aSettingThatTheServerDoesNotKnowEndsTheStartWithItsWords() {
        assertThatThrownBy(() -> start(Map.of("no_such_setting", "1")))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("unrecognized configuration parameter \"no_such_setting\"");
    }

    @Test
    void anInstalledOneIsTakenByItsDirectoryItsProgramOrFound() {
        PostgresBinaries embedded =
                PostgresBinaries.unpacked(CACHE.toAbsolutePath().resolve("embedded"));
        Path bin = embedded.postgres().getParent();
        assertThat(Stream.of(bin.getParent(), bin, embedded.postgres()).map(PostgresBinaries::installed))
                .containsOnly(embedded);
        assertThat(PostgresBinaries.find(List.of(directory, bin))).isEqualTo(embedded);
        assertThatThrownBy(() -> PostgresBinaries.installed(directory))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no PostgreSQL server is installed in " + directory);
    }

    @Test
    void aDamagedDistributionIsUnpackedAnew() throws Exception {
        Path embedded = directory.resolve("embedded");
        PostgresBinaries first = PostgresBinaries.unpacked(embedded);
        Files.delete(first.initdb());
        assertThat(PostgresBinaries.unpacked(embedded)).isEqualTo(first);
        assertThat(first.initdb()).isExecutable();
    }

    @ParameterizedTest
    @CsvSource({"Linux, aarch64", "Mac OS X, aarch64", "Windows 11, amd64"})
    void aPlatformWithoutOneHearsWhatToDoInstead(String os, String architecture) {
        assertThatThrownBy(() -> PostgresBinaries.unpacked(directory, os, architecture))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining(os + " on " + architecture)
                .hasMessageContaining("--server postgresql=postgres:DIR");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://joe:secret@host/db",
                "postgres://joe:secret@host",
                "postgresql://joe@host/db?password=secret"
            })
    void aPasswordInAnAddressIsRefused(String address) {
        assertThatThrownBy(() -> PostgresServers.parse(address, List.of(), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("~/.pgpass")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "postgress",
                "postgres:",
                "mysql://joe@host",
                "postgresql://host/db",
                "postgresql://joe@host/db?x=y"
            })
    void whatIsNoServerIsRefusedWithWhatIs(String text) {
        assertThatThrownBy(() -> PostgresServers.parse(text, List.of(), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(PostgresServers.FORMS);
    }

    @Test
    void aRunningOneIsReachedWithThePasswordOfTheFile() throws Exception {
        try (PostgresServer own = start(Map.of())) {
            Endpoint its = own.endpoint();
            Path file = directory.resolve("pgpass");
            Files.writeString(
                    file,
                    "# a comment\nelsewhere:*:*:*:wrong\n127.0.0.1:" + its.port() + ":*:blobmark:" + its.password()
                            + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            String address = "postgresql://blobmark@127.0.0.1:" + its.port() + "/postgres";
            ServerSource<PostgresServer> source =
                    PostgresServers.parse(address, List.of(), Map.of("PGPASSFILE", file.toString()));
            assertThat(source.isRunning()).isTrue();
            try (PostgresServer running = source.open(directory)) {
                assertThat(running.isOwn()).isFalse();
                assertThat(running.pid()).isEmpty();
                assertThat(PostgresConnections.identity(running).product()).isEqualTo("PostgreSQL");
            }
            assertThat(ask(own, "SELECT 1")).isEqualTo("1");
            assertThatThrownBy(() -> PostgresServers.parse(address, List.of(), Map.of("PGPASSWORD", "wrong"))
                            .open(directory))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("refused 'blobmark'")
                    .hasMessageNotContaining("wrong");
        }
    }

    @Test
    void aPasswordFileThatOthersMayReadIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("pgpass"), "*:*:*:*:x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> PasswordFile.password(Map.of("PGPASSFILE", file.toString()), "h", 5432, "d", "u"))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("chmod 600 " + file);
    }

    @Test
    void escapedColonsOfAPasswordFileAreOfTheFieldAndTheVariableComesFirst() throws Exception {
        Path file = Files.writeString(
                directory.resolve("pgpass"), "::1:5432:a\\:b:u:p\\\\:q\nh:5432:*:u:other\n".replace("::1", "\\:\\:1"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> environment = Map.of("PGPASSFILE", file.toString());
        assertThat(PasswordFile.password(environment, "::1", 5432, "a:b", "u")).contains("p\\:q");
        assertThat(PasswordFile.password(environment, "h", 5432, "d", "u")).contains("other");
        assertThat(PasswordFile.password(environment, "h", 5433, "d", "u")).isEmpty();
        assertThat(PasswordFile.password(
                        Map.of("PGPASSFILE", file.toString(), "PGPASSWORD", "given"), "h", 5432, "d", "u"))
                .contains("given");
    }
}
