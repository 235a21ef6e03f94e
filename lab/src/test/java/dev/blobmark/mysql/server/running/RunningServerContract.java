package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.OwnServerIT;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How Blobmark gets into a server that runs already, and how it tells why it does not. */
@Tag("long")
abstract class RunningServerContract {

    final OwnServer server;
    final Endpoint endpoint;

    @TempDir
    Path directory;

    RunningServerContract(OwnServer server) {
        this.server = server;
        this.endpoint = server.endpoint();
    }

    /** The certificate of the server that runs, which is its own authority. */
    private Path certificate() {
        return server.scratch().resolveSibling("tls-cert.pem");
    }

    Server open(String address, String user, Optional<String> password, Map<String, String> given) {
        Map<String, String> options = new HashMap<>(given);
        ClientOptions client = new ClientOptions(options, Optional.empty(), directory, account -> password);
        return Servers.parse(address.replace("USER", user), client, List.of())
                .open(directory.resolve("cache"), ServerOptions.of(16 << 20));
    }

    private Server open(String address, Map<String, String> given) {
        return open(address, endpoint.user(), Optional.of(endpoint.password()), given);
    }

    String here() {
        return "mysql://USER@" + endpoint.authority() + "/";
    }

    @Test
    void itIsConnectedToAsTheOptionFileSaysAndLeftAsItWas() throws Exception {
        Path options = Files.write(
                directory.resolve("login.cnf"),
                List.of("[client]", "user=" + endpoint.user(), "password='" + endpoint.password() + "'"));
        ClientOptions client =
                new ClientOptions(Map.of(), Optional.of(options), directory, account -> Optional.empty());
        Path cache = directory.resolve("cache");
        Servers.Source source = Servers.parse("jdbc:mysql://127.0.0.1:" + endpoint.port(), client, List.of());

        try (Server running = source.open(cache, ServerOptions.of(16 << 20));
                Connection connection = JdbcDriver.connectForLoading(running.endpoint(), "")) {
            assertThat(running.kind()).isEqualTo("address");
            assertThat(running.isOwn()).isFalse();
            assertThat(source.isOwn()).isFalse();
            assertThat(running.proxy()).isEmpty();
            assertThat(running.minimumSsl()).isEqualTo(SslMode.DISABLED);
            assertThat(running.endpoint().sslMode()).as("PREFERRED").isEqualTo(SslMode.REQUIRED);
            assertThat(JdbcDriver.status(connection, "Ssl_cipher")).isNotEmpty();
            assertThat(source + " " + running.endpoint() + running.endpoint().tls())
                    .doesNotContain(endpoint.password());
        }
        assertThat(OwnServerIT.directories(cache)).isEmpty();
        assertThat(ProcessHandle.of(server.pid()).orElseThrow().isAlive()).isTrue();
    }

    @Test
    void whoIsNotLetInIsToldWhyAndLeavesNothing() throws Exception {
        int closed;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = free.getLocalPort();
        }
        refused(here(), "hunter2", "refused the login of '" + endpoint.user(), "the password is from the environment");
        refused("mysql://USER@127.0.0.1:" + closed, "hunter2", "nothing listens at 127.0.0.1:" + closed);
        refused("mysql://USER@no-such-host.invalid/", "hunter2", "there is no host 'no-such-host.invalid'");
        assertThatThrownBy(() -> open(here(), endpoint.user(), Optional.empty(), Map.of()))
                .hasMessageContainingAll("no password was given", "~/.my.cnf", "BLOBMARK_PASSWORD");
        assertThat(OwnServerIT.directories(directory.resolve("cache"))).isEmpty();
    }

    private void refused(String address, String password, String... words) {
        assertThatThrownBy(() -> open(address, endpoint.user(), Optional.of(password), Map.of()))
                .isInstanceOf(ServerException.class)
                .hasMessageContainingAll(words)
                .hasMessageNotContaining(password);
    }

    /** Two places of one server that is of no cluster: "localhost" leads to it too. */
    @Test
    void severalHostsThatAreOfNoClusterAreRefused() throws Exception {
        assertThatThrownBy(() ->
                        open("mysql://USER@" + endpoint.authority() + ",localhost:" + endpoint.port() + "/", Map.of()))
                .isInstanceOf(ServerException.class)
                .hasMessage(endpoint.authority()
                        + " is not an SQL node of an NDB Cluster. Several hosts can be measured as one server only if"
                        + " all are SQL nodes of the same cluster: name only that host, or remove it.");
        assertThat(OwnServerIT.directories(directory.resolve("cache"))).isEmpty();
    }

    static Stream<Arguments> connections() {
        return Stream.of(Driver.values())
                .flatMap(driver -> Stream.of(Tls.values())
                        .flatMap(tls -> Stream.of(StatementProtocol.values())
                                .map(protocol -> Arguments.of(driver, tls, protocol))));
    }

    /** A server of Blobmark's own: its certificate is trusted as its own authority. */
    @ParameterizedTest
    @MethodSource("connections")
    void measuredConnectionsAreEncryptedAsTheirTrialSays(Driver driver, Tls tls, StatementProtocol protocol)
            throws Exception {
        try (Connection connection = driver.connect(endpoint, "", tls, protocol)) {
            assertThat(JdbcDriver.status(connection, "Ssl_cipher").isEmpty()).isEqualTo(tls == Tls.OFF);
        }
    }

    /** Likewise on a server that runs already, with the modes of the client and a certificate of a file. */
    @ParameterizedTest
    @EnumSource(SslMode.class)
    void everyModeOfTheClientGetsIn(SslMode mode) throws Exception {
        Map<String, String> given =
                Map.of("ssl-mode", mode.name(), "ssl-ca", certificate().toString(), "get-server-public-key", "ON");
        try (Server running = open(here(), given)) {
            assertThat(running.minimumSsl()).isEqualTo(mode == SslMode.PREFERRED ? SslMode.DISABLED : mode);
            for (Driver driver : Driver.values()) {
                driver.connect(running.endpoint(), "", Tls.VERIFY_IDENTITY, StatementProtocol.TEXT)
                        .close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void aCertificateThatNobodyTrustedSignedIsRefused(Driver driver) throws Exception {
        Path other = SelfSignedCertificate.make(directory).certificate();
        TlsMaterial tls = TlsMaterial.make(directory, Optional.of(other), Optional.empty(), Optional.empty());
        for (TlsMaterial wrong : List.of(tls, TlsMaterial.NONE)) {
            Endpoint doubted = new Endpoint(
                    endpoint.host(),
                    endpoint.port(),
                    endpoint.user(),
                    endpoint.password(),
                    SslMode.DISABLED,
                    wrong,
                    true);
            assertThatThrownBy(() -> driver.connect(doubted, "", Tls.VERIFY_CA, StatementProtocol.TEXT)
                            .close())
                    .isInstanceOf(SQLException.class);
            driver.connect(doubted, "", Tls.ON, StatementProtocol.TEXT).close();
        }
        assertThatThrownBy(() -> open(here(), Map.of("ssl-mode", "VERIFY_CA", "ssl-ca", other.toString())))
                .isInstanceOf(ServerException.class)
                .hasMessageContainingAll("but the TLS connection failed", "an authority of --ssl-ca", "ca.pem");
    }

    /**
     * {@code 127.1} is another way to write the address, which the certificate does not have; JSSE takes it for the
     * same.
     */
    @Test
    void aCertificateOfAnotherHostIsRefusedByVerifiedIdentityOnly() throws Exception {
        Driver driver = Driver.CONNECTOR_J;
        Endpoint renamed = new Endpoint(
                "127.1", endpoint.port(), endpoint.user(), endpoint.password(), SslMode.DISABLED, endpoint.tls(), true);
        driver.connect(renamed, "", Tls.VERIFY_CA, StatementProtocol.TEXT).close();
        assertThatThrownBy(() -> driver.connect(renamed, "", Tls.VERIFY_IDENTITY, StatementProtocol.TEXT)
                        .close())
                .isInstanceOf(SQLException.class);
    }

    @Test
    void aProxyIsKnownByItsGreeting() {
        assertThat(ProxyDetection.byGreeting("8.0.11-maxscale", "11.4.5-MariaDB"))
                .contains("MaxScale");
        assertThat(ProxyDetection.byGreeting("8.0.11", "9.7.4")).contains("unknown, greets as 8.0.11");
        assertThat(ProxyDetection.byGreeting("9.7.4", "9.7.4-log")).isEmpty();
    }

    @Test
    void whatIsNeitherOrTooOldIsRefused() {
        for (String[] server : new String[][] {
            {"8.0.11-TiDB-v7.5.0", "TiDB Server (Apache License 2.0)", "neither MySQL nor MariaDB"},
            {"5.7.44-log", "MySQL Community Server (GPL)", "MySQL 5.7.44-log, which is too old"},
            {"10.5.23-MariaDB", "mariadb.org binary distribution", "MariaDB 10.5.23-MariaDB, which is too old"}
        }) {
            assertThatThrownBy(() -> RunningServer.requireSupported(server[0], server[1]))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining(server[2]);
        }
        RunningServer.requireSupported("8.0.36-28", "Percona Server (GPL), Release 28");
        RunningServer.requireSupported("5.5.5-10.6.18-MariaDB", "mariadb.org binary distribution");
    }
}
