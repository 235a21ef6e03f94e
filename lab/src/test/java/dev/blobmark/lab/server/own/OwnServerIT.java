package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.directory.ProcessIdentity;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class OwnServerIT {

    /** Kept between builds, so that the server is unpacked once; relative, as a user may give it. */
    public static final Path CACHE = OneServer.CACHE;

    public static final ServerOptions SMALL = ServerOptions.of(16 << 20).withTls(false);

    private static OwnServer withTls;

    @BeforeAll
    static void start() {
        withTls = OwnServer.start(
                CACHE,
                new ServerOptions(
                        32 << 20,
                        20 << 20,
                        true,
                        Map.of("innodb-io-capacity", "777", "max_connections", "99"),
                        ServerLaunch.USUAL));
    }

    @AfterAll
    static void stop() {
        withTls.close();
    }

    private static Connection connect(String url, Endpoint endpoint, String user, String password) throws SQLException {
        return DriverManager.getConnection(String.format(url, endpoint.port()), user, password);
    }

    private static String cipher(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) {
            assertThat(row.next()).isTrue();
            return row.getString(2);
        }
    }

    private static final String PAGES_READ =
            "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Innodb_pages_read'";

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    @Test
    void startsAgainAtItsEndpointWithItsTablesAndWithoutTheirPages() throws Exception {
        Endpoint endpoint = withTls.endpoint();
        long pid = withTls.pid();
        try (Connection connection = asOwner();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE restarted");
            statement.execute("CREATE TABLE restarted.t (id INT PRIMARY KEY, data MEDIUMBLOB NOT NULL)");
            for (int row = 0; row < 16; row++) {
                statement.execute("INSERT INTO restarted.t VALUES (" + row + ", REPEAT('x', 160000))");
            }
            statement.execute("SET GLOBAL innodb_io_capacity = 888");
        }

        withTls.restart();

        assertThat(withTls.endpoint()).isEqualTo(endpoint);
        assertThat(withTls.pid()).isNotEqualTo(pid);
        try (Connection connection = asOwner();
                Statement statement = connection.createStatement()) {
            assertThat(number(statement, "SELECT @@innodb_io_capacity")).isEqualTo(777);
            String look = "SELECT SUM(LENGTH(data) + CRC32(data) * 0) FROM restarted.t";
            long atFirst = number(statement, PAGES_READ);
            assertThat(number(statement, look)).isEqualTo(16 * 160_000);
            // a page of 16 KB holds no more of a value than it has bytes
            assertThat(number(statement, PAGES_READ) - atFirst).isGreaterThanOrEqualTo(16 * 160_000 / 16_384);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                long before = number(statement, PAGES_READ);
                assertThat(number(statement, look)).isEqualTo(16 * 160_000);
                least = Math.min(least, number(statement, PAGES_READ) - before);
            }
            assertThat(least)
                    .as("pages read again, but for those that the server reads by itself now and then")
                    .isZero();
            statement.execute("DROP DATABASE restarted");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://127.0.0.1:%d/?sslMode=REQUIRED, true",
        "jdbc:mysql://127.0.0.1:%d/?sslMode=DISABLED, false",
        "jdbc:mariadb://127.0.0.1:%d/?sslMode=trust, true",
        "jdbc:mariadb://127.0.0.1:%d/?sslMode=disable, false"
    })
    void bothDriversGetInAndTlsIsAsAskedFor(String url, boolean encrypted) throws Exception {
        Endpoint endpoint = withTls.endpoint();
        try (Connection connection = connect(url, endpoint, endpoint.user(), endpoint.password())) {
            assertThat(cipher(connection).isEmpty()).isNotEqualTo(encrypted);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://127.0.0.1:%d/?sslMode=DISABLED&allowPublicKeyRetrieval=true",
                "jdbc:mariadb://127.0.0.1:%d/?sslMode=disable"
            })
    void nobodyElseGetsIn(String url) {
        Endpoint endpoint = withTls.endpoint();
        for (String[] login : new String[][] {
            {endpoint.user(), ""},
            {endpoint.user(), "wrong"},
            {endpoint.user(), endpoint.password() + "x"},
            {"root", ""},
            {"root", endpoint.password()},
            {"mariadb.sys", ""},
            {"", ""}
        }) {
            assertThatThrownBy(() -> connect(url, endpoint, login[0], login[1]).close())
                    .as("%s with password '%s'", login[0], login[1])
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isIn(1045, 4151));
        }
    }

    @Test
    void onlyItsOneAccountIsOpen() throws Exception {
        try (Connection connection = asOwner();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT CONCAT(User, '@', Host), JSON_VALUE(Priv, '$.account_locked')"
                                + " FROM mysql.global_priv ORDER BY 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("blobmark@127.0.0.1");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("mariadb.sys@localhost");
            assertThat(rows.getString(2)).as("locked").isIn("1", "true");
            assertThat(rows.next()).isFalse();
        }
    }

    private static Connection asOwner() throws SQLException {
        Endpoint endpoint = withTls.endpoint();
        return connect("jdbc:mysql://127.0.0.1:%d/?sslMode=DISABLED", endpoint, endpoint.user(), endpoint.password());
    }

    @Test
    void listensOnTheLoopbackAddressOnly() throws Exception {
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .toList();
        Assumptions.assumeFalse(others.isEmpty(), "this machine has the loopback interface only");
        for (InetAddress address : others) {
            try (Socket socket = new Socket()) {
                assertThatThrownBy(() -> socket.connect(
                                new InetSocketAddress(
                                        address, withTls.endpoint().port()),
                                5000))
                        .isInstanceOf(ConnectException.class);
            }
        }
    }

    @Test
    void itsSettingsTookEffectAndAreReadBack() throws Exception {
        try (Connection connection = asOwner()) {
            ServerIdentity identity = ServerIdentity.read(connection);
            assertThat(identity.product()).isEqualTo("MariaDB");
            assertThat(identity.version()).startsWith("11.4.5-MariaDB");
            assertThat(identity.versionComment()).isNotBlank();
            assertThat(identity.variables())
                    .containsEntry("innodb_buffer_pool_size", Long.toString(32 << 20))
                    .containsEntry("max_allowed_packet", Long.toString(20 << 20))
                    .containsEntry("innodb_io_capacity", "777")
                    .containsEntry("max_connections", "99")
                    .containsEntry("query_cache_size", "0")
                    .containsEntry("query_cache_type", "OFF")
                    .containsEntry("performance_schema", "OFF")
                    .containsEntry("general_log", "OFF")
                    .containsEntry("slow_query_log", "OFF")
                    .containsEntry("log_bin", "OFF")
                    .containsEntry("skip_name_resolve", "ON")
                    .containsEntry("innodb_buffer_pool_dump_at_shutdown", "OFF")
                    .containsEntry("innodb_buffer_pool_load_at_startup", "OFF")
                    .containsEntry("innodb_log_file_size", Long.toString(512 << 20))
                    .containsEntry("innodb_fast_shutdown", "2")
                    .containsEntry("local_infile", "OFF")
                    .containsEntry("socket", "")
                    .containsEntry("bind_address", "127.0.0.1")
                    .doesNotContainKey("init_connect");
            assertThat(identity.variables().values())
                    .noneMatch(value -> value.contains(withTls.endpoint().password()));
        }
    }

    @Test
    void thePasswordIsInNoFileAndNoCommandLine() throws Exception {
        String password = withTls.endpoint().password();
        ProcessHandle process = ProcessHandle.of(withTls.pid()).orElseThrow();
        assertThat(process.info().arguments().orElseThrow()).noneMatch(argument -> argument.contains(password));
        Path directory = directoryOf(withTls);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(OwnServerIT::isSmallFile)::iterator) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(password);
            }
        }
    }

    private static boolean isSmallFile(Path file) {
        try {
            return Files.isRegularFile(file) && Files.size(file) < 64 << 20;
        } catch (IOException e) {
            return false;
        }
    }

    private static Path directoryOf(OwnServer server) {
        String option =
                ProcessHandle.of(server.pid()).orElseThrow().info().arguments().orElseThrow()[0];
        return Path.of(option.substring("--defaults-file=".length())).getParent();
    }

    @Test
    void aServerWithoutTlsRefusesToEncryptAndIsGoneWhenClosed() throws Exception {
        OwnServer server = OwnServer.start(CACHE, SMALL);
        Endpoint endpoint = server.endpoint();
        for (String url :
                List.of("jdbc:mysql://127.0.0.1:%d/?sslMode=REQUIRED", "jdbc:mariadb://127.0.0.1:%d/?sslMode=trust")) {
            assertThatThrownBy(() -> connect(url, endpoint, endpoint.user(), endpoint.password()))
                    .isInstanceOf(SQLException.class);
        }
        String plain = "jdbc:mysql://127.0.0.1:%d/?sslMode=DISABLED";
        try (Connection connection = connect(plain, endpoint, endpoint.user(), endpoint.password())) {
            assertThat(cipher(connection)).isEmpty();
        }

        Path directory = directoryOf(server);
        ProcessIdentity process = ProcessIdentity.of(server.pid()).orElseThrow();
        assertThat(directory).isDirectory();
        assertThat(process.isAlive()).isTrue();
        assertThat(server.lastLogLines()).hasSize(20).anyMatch(line -> line.contains("ready for connections"));

        Thread other = new Thread(server::close);
        other.start();
        server.close();
        assertThat(process.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
        other.join();
        server.close();
        try (Connection connection = asOwner()) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @Test
    void aFailedStartShowsTheLogAndLeavesNothing() throws Exception {
        List<Path> before = directories(CACHE);
        ServerOptions mistyped = SMALL.with(Map.of("inodb_io_capacity", "777"));
        assertThatThrownBy(() -> OwnServer.start(CACHE, mistyped))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("ended with exit status")
                .hasMessageContaining("unknown variable 'inodb_io_capacity=777'")
                .hasMessageEndingWith("Correct the server variables of the study.")
                .hasNoSuppressedExceptions();
        assertThat(directories(CACHE)).isEqualTo(before);
    }

    @Test
    void aValueThatTheServerWouldRoundIsRefused() {
        assertThatThrownBy(() -> OwnServer.start(CACHE, SMALL.with(Map.of("innodb_buffer_pool_chunk_size", "12M"))))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("but uses " + (24 << 20));
    }

    @Test
    void aServerThatNeverAnswersIsGivenUp(@TempDir Path base) throws Exception {
        Path program = Files.createDirectories(base.resolve("bin")).resolve("mariadbd");
        Files.writeString(program, "#!/bin/sh\ncase $2 in --bootstrap) exit 0;; esac\necho thinking\nexec sleep 600\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path share = Files.createDirectories(base.resolve("share"));
        for (String script : List.of("system_tables", "performance_tables", "system_tables_data")) {
            Files.writeString(share.resolve("mariadb_" + script + ".sql"), "\n");
        }
        List<Path> before = directories(CACHE);
        assertThatThrownBy(() -> OwnServer.start(
                        CACHE,
                        Optional.of(base),
                        SMALL.with(new ServerLaunch(Optional.empty(), List.of(), Duration.ofMillis(300)))))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("accepted no login within 0.3 s")
                .hasMessageContaining("\n  thinking\n");
        assertThat(directories(CACHE)).isEqualTo(before);
    }

    public static List<Path> directories(Path cache) throws IOException {
        if (!Files.exists(cache.resolve("servers"))) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(cache.resolve("servers"))) {
            return entries.filter(Files::isDirectory).sorted().toList();
        }
    }

    @Test
    void anInstallationIsUsedAsDistributionsLayItOut(@TempDir Path usr) throws Exception {
        Path unpacked = MariaDbBinaries.unpacked(CACHE.toAbsolutePath().resolve("embedded"))
                .base();
        Files.createSymbolicLink(
                Files.createDirectories(usr.resolve("sbin")).resolve("mariadbd"), unpacked.resolve("bin/mariadbd"));
        Files.createSymbolicLink(
                Files.createDirectories(usr.resolve("share")).resolve("mysql"), unpacked.resolve("share"));
        try (Server server = Servers.parse("embedded:" + usr).open(CACHE, SMALL)) {
            Endpoint endpoint = server.endpoint();
            String url = "jdbc:mariadb://127.0.0.1:%d/?sslMode=disable";
            try (Connection connection = connect(url, endpoint, endpoint.user(), endpoint.password())) {
                assertThat(ServerIdentity.read(connection).variables()).containsEntry("basedir", usr.toString());
            }
        }
    }

    @Test
    void whereThereIsNoServerTheMessageSaysWhatToDo(@TempDir Path empty) {
        for (String[] platform :
                new String[][] {{"Linux", "aarch64"}, {"Mac OS X", "x86_64"}, {"Windows 11", "amd64"}}) {
            assertThatThrownBy(() -> MariaDbBinaries.unpacked(empty, platform[0], platform[1]))
                    .isInstanceOf(ServerException.class)
                    .hasMessage("no embedded server is built for " + platform[0] + " on " + platform[1]
                            + ". Install MariaDB and name the directory of the installation,"
                            + " as in --server embedded:/usr.");
        }
        assertThatThrownBy(() -> Servers.parse("embedded:" + empty).open(CACHE, SMALL))
                .isInstanceOf(ServerException.class)
                .hasMessageStartingWith("no MariaDB server is installed in " + empty);
    }

    @Test
    void optionsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> ServerOptions.of(1 << 20)).hasMessageContaining("whole MiB");
        assertThatThrownBy(() -> ServerOptions.of((16 << 20) + 1)).hasMessageContaining("whole MiB");
        assertThatThrownBy(() -> packets(1000)).hasMessageContaining("multiple of 1024");
        assertThatThrownBy(() -> packets(2L << 30)).hasMessageContaining("1073741824");
        assertThatThrownBy(() -> new ServerLaunch(Optional.empty(), List.of(), Duration.ZERO))
                .hasMessageContaining("must be positive");
        for (String reserved :
                List.of("datadir", "skip-grant-tables", "SKIP_NETWORKING", "loose-port", "ssl-key", "mysqlx_port")) {
            assertThatThrownBy(() -> SMALL.with(Map.of(reserved, "1")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("set by Blobmark");
        }
        assertThatThrownBy(() -> SMALL.with(Map.of("a=b", "1"))).hasMessageContaining("'a=b' is not a name");
        assertThatThrownBy(() -> SMALL.with(Map.of("sort_buffer_size", "1\nport=3")))
                .hasMessageContaining("one line");
    }

    private static ServerOptions packets(long bytes) {
        return new ServerOptions(16 << 20, bytes, false, Map.of(), ServerLaunch.USUAL);
    }

    @Test
    void secretsAreNotAmongTheVariables() {
        assertThat(List.of(
                        "wsrep_sst_auth",
                        "report_password",
                        "authentication_ldap_simple_bind_root_pwd",
                        "file_key_management_filekey",
                        "hashicorp_key_management_token",
                        "wsrep_provider_options",
                        "init_connect"))
                .allMatch(ServerIdentity::isSecret);
        assertThat(List.of("version", "innodb_io_capacity", "default_password_lifetime", "strict_password_validation"))
                .noneMatch(ServerIdentity::isSecret);
    }

    @Test
    void theKindsOfServerAreNamed() {
        assertThat(Servers.kinds())
                .extracting(Servers.Kind::form)
                .containsExactly(
                        "embedded",
                        "embedded:DIR",
                        "mysqld",
                        "mysqld:PATH",
                        "ndb:DIR",
                        "mysql://USER@HOST:PORT/",
                        "jdbc:mysql://…",
                        "mysql://USER@HOST1:PORT1,HOST2:PORT2/");
        assertThat(Servers.parse("embedded")).isEqualTo(new Servers.Embedded(Optional.empty()));
        assertThat(Servers.parse("embedded:/usr")).isEqualTo(new Servers.Embedded(Optional.of(Path.of("/usr"))));
        assertThat(Servers.parse("mysqld")).isEqualTo(new Servers.Installed(Optional.empty(), List.of()));
        assertThat(Servers.parse("mysqld:/usr"))
                .isEqualTo(new Servers.Installed(Optional.of(Path.of("/usr")), List.of()));
        for (String wrong : List.of("embeded", "embedded:", "mysqld:", "")) {
            assertThatThrownBy(() -> Servers.parse(wrong))
                    .hasMessageStartingWith(
                            "'" + wrong + "' is not a server: use one of embedded, embedded:DIR, mysqld,");
        }
    }
}
