package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.environment.Durability;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.ServerVersion;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A private server from an installed MySQL: the guarantees of the embedded one, in {@link OwnServerIT}. */
@Tag("long")
@ExtendWith(RealMySql.class)
public class InstalledMySqlIT {

    private final OwnServer server;
    private final Endpoint endpoint;

    InstalledMySqlIT(OwnServer server) {
        this.server = server;
        this.endpoint = server.endpoint();
    }

    @Test
    void itIsMySqlWithItsSettings() throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            assertThat(server.kind()).isEqualTo("mysqld");
            assertThat(server.isOwn()).isTrue();
            assertThat(identity.product()).isEqualTo("MySQL");
            assertThat(ServerVersion.parse(identity.version())).isGreaterThanOrEqualTo(ServerVersion.MYSQL);
            assertThat(identity.variables())
                    .containsEntry("innodb_buffer_pool_size", Long.toString(64 << 20))
                    .containsEntry("innodb_redo_log_capacity", Long.toString(512 << 20))
                    .containsEntry("performance_schema", "OFF")
                    .containsEntry("log_bin", "OFF")
                    .containsEntry("skip_name_resolve", "ON")
                    .containsEntry("innodb_fast_shutdown", "2")
                    .containsEntry("local_infile", "OFF")
                    .containsAllEntriesOf(Durability.FULL.variables())
                    .containsEntry("socket", "")
                    .containsEntry("bind_address", "127.0.0.1");
        }
    }

    @Test
    void itsOneOpenAccountIsBlobmarksAndNobodyElseGetsIn() throws Exception {
        List<String> open = new ArrayList<>();
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT(user, '@', host, ' ', plugin) FROM mysql.user"
                        + " WHERE account_locked = 'N'")) {
            while (rows.next()) {
                open.add(rows.getString(1));
            }
        }
        assertThat(open).containsExactly("blobmark@127.0.0.1 caching_sha2_password");
        String url = "jdbc:mysql://" + endpoint.authority() + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true";
        for (String[] login : new String[][] {{"blobmark", ""}, {"blobmark", "x"}, {"root", ""}, {"mysql.sys", ""}}) {
            assertThatThrownBy(() ->
                            DriverManager.getConnection(url, login[0], login[1]).close())
                    .as(login[0])
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("28"));
        }
    }

    @Test
    void thePasswordIsInNoFileAndNoCommandLine() throws Exception {
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        assertThat(process.info().arguments().orElseThrow())
                .noneMatch(argument -> argument.contains(endpoint.password()));
        Path directory = server.scratch().getParent();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.walk(directory).filter(Files::isRegularFile)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.size(file) < 64 << 20) {
                    assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                            .as(file.toString())
                            .doesNotContain(endpoint.password());
                }
            }
        }
    }

    /** The one that the tests have has kept its template, or begun with it. */
    @Test
    void aLaterServerBeginsWithItsTemplateAndIsAnother() throws Exception {
        try (OwnServer other = (OwnServer)
                        Servers.parse("mysqld:" + RealMySql.requireBase()).open(OneServer.CACHE, OwnServerIT.SMALL);
                Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Connection toOther = JdbcDriver.connectForLoading(other.endpoint(), "")) {
            assertThat(Files.readString(other.scratch().resolveSibling("server.log")))
                    .contains("ready for connections")
                    .doesNotContain("initializing of server");
            assertThat(uuid(toOther)).isNotEqualTo(uuid(connection));
            assertThat(other.endpoint().password()).isNotEqualTo(endpoint.password());
            for (String keys : List.of("private_key.pem", "public_key.pem")) {
                assertThat(other.scratch().resolveSibling("data").resolve(keys))
                        .content()
                        .isNotEqualTo(Files.readString(
                                server.scratch().resolveSibling("data").resolve(keys)));
            }
        }
    }

    private static String uuid(Connection connection) throws SQLException {
        return ServerIdentity.read(connection).variables().get("server_uuid");
    }

    @Test
    void itIsFoundByItsDirectoryByItsProgramAndOnTheSearchPath() {
        Path base = RealMySql.requireBase();
        Path program = base.resolve("bin/mysqld");
        assertThat(Binaries.at(base)).isInstanceOf(MysqlBinaries.class);
        assertThat(Binaries.at(program)).isEqualTo(Binaries.at(base));
        assertThat(Binaries.find(List.of(Path.of("/nonexistent"), program.getParent())))
                .isEqualTo(Binaries.at(base));
    }

    @Test
    void aFailedStartShowsTheLogAndLeavesNothing() throws Exception {
        List<Path> before = OwnServerIT.directories(OneServer.CACHE);
        assertThatThrownBy(() -> Servers.parse("mysqld:" + RealMySql.requireBase())
                        .open(OneServer.CACHE, OwnServerIT.SMALL.with(Map.of("inodb_io_capacity", "777"))))
                .isInstanceOf(ServerException.class)
                .hasMessageContainingAll("ended with exit status", "unknown variable 'inodb_io_capacity=777'")
                .hasMessageEndingWith("Correct the server variables of the study.");
        assertThat(OwnServerIT.directories(OneServer.CACHE)).isEqualTo(before);
    }

    @Test
    void whatIsNoServerIsToldSo(@TempDir Path directory) throws Exception {
        assertThatThrownBy(() -> Binaries.at(directory))
                .hasMessageContaining("no MySQL or MariaDB server is installed");
        assertThatThrownBy(() -> Binaries.at(directory.resolve("none"))).hasMessageContaining("does not exist");
        Files.createDirectory(directory.resolve("share"));
        Path program = Files.createDirectory(directory.resolve("bin")).resolve("mysqld");
        for (String[] said : new String[][] {
            {"echo hello", "does not print a version: hello"},
            {"echo mysqld Ver 5.7.44 for Linux", "is MySQL 5.7.44, which is too old"},
            {"echo mysqld Ver 8.4.3 for Linux", "there is no share/english/errmsg.sys"}
        }) {
            Files.writeString(program, "#!/bin/sh\n" + said[0] + "\n");
            assertThat(program.toFile().setExecutable(true)).isTrue();
            assertThatThrownBy(() -> Binaries.at(directory))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining(said[1]);
        }
    }
}
