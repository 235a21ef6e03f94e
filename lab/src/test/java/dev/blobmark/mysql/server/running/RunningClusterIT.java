package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealCluster;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.OwnServerIT;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that somebody else runs, entered through its SQL nodes. */
@Tag("long")
@Timeout(120)
@ExtendWith(RealCluster.class)
class RunningClusterIT {

    private static final String PASSWORD = "hunter2";

    private final NdbCluster cluster;
    private final Endpoint first;
    private final Endpoint second;

    @TempDir
    private Path directory;

    RunningClusterIT(NdbCluster cluster) {
        this.cluster = cluster;
        first = cluster.endpoint();
        second = cluster.others().get(0);
    }

    @BeforeEach
    void anAccountThatMayReadOfTheCluster() throws SQLException {
        for (Endpoint node : List.of(first, second)) {
            account(node, "GRANT SELECT ON ndbinfo.* TO visitor@'%'");
        }
    }

    private static void account(Endpoint node, String... grants) throws SQLException {
        try (Connection owner = JdbcDriver.connectForLoading(node, "");
                Statement statement = owner.createStatement()) {
            statement.execute("DROP USER IF EXISTS visitor@'%'");
            statement.execute("CREATE USER visitor@'%' IDENTIFIED BY '" + PASSWORD + "'");
            for (String grant : grants) {
                statement.execute(grant);
            }
        }
    }

    private Server open(String places) {
        ClientOptions client =
                new ClientOptions(Map.of(), Optional.empty(), directory, account -> Optional.of(PASSWORD));
        return Servers.parse("mysql://visitor@" + places + "/", client, List.of())
                .open(directory.resolve("cache"), ServerOptions.of(16 << 20));
    }

    private void refused(String places, String... words) throws Exception {
        assertThatThrownBy(() -> open(places))
                .isInstanceOf(ServerException.class)
                .hasMessageContainingAll(words)
                .hasMessageNotContaining(PASSWORD);
        assertThat(OwnServerIT.directories(directory.resolve("cache"))).isEmpty();
    }

    @Test
    void oneSqlNodeTellsOfItsCluster() throws Exception {
        try (Server running = open(first.authority());
                Connection connection = JdbcDriver.connectForLoading(running.endpoint(), "")) {
            assertThat(running.others()).isEmpty();
            assertThat(ServerIdentity.read(connection).cluster())
                    .containsEntry("data_nodes", "2")
                    .containsEntry("replicas", "2");
        }
    }

    @Test
    void severalSqlNodesAreOneServerWithOneLogin() throws Exception {
        try (Server running = open(second.authority() + "," + first.authority())) {
            assertThat(running.isOwn()).isFalse();
            assertThat(running.kind()).isEqualTo("address");
            assertThat(running.endpoint().port()).isEqualTo(second.port());
            assertThat(running.others()).singleElement().satisfies(other -> {
                assertThat(other.port()).isEqualTo(first.port());
                assertThat(other.sslMode()).isEqualTo(running.endpoint().sslMode());
                assertThat(other.toString()).doesNotContain(PASSWORD);
                JdbcDriver.connectForLoading(other, "").close();
            });
        }
        assertThat(cluster.pids()).allMatch(pid -> ProcessHandle.of(pid).isPresent());
    }

    @Test
    void oneSqlNodeUnderTwoNamesIsRefused() throws Exception {
        refused(
                first.authority() + ",localhost:" + first.port(),
                "localhost:" + first.port() + " and " + first.authority() + " lead to the same SQL node, number 4",
                "name each node once");
    }

    @Test
    void aHostThatLetsNobodyInIsNamed() throws Exception {
        account(second);
        try (Connection owner = JdbcDriver.connectForLoading(second, "");
                Statement statement = owner.createStatement()) {
            statement.execute("DROP USER visitor@'%'");
        }
        refused(first.authority() + "," + second.authority(), second.authority() + " refused the login of 'visitor'");
    }

    @Test
    void anAccountThatMayNotReadOfTheClusterIsToldTheGrant() throws Exception {
        account(second);
        refused(
                first.authority() + "," + second.authority(),
                second.authority() + " is an SQL node of an NDB Cluster, but its tables in ndbinfo cannot be read",
                "GRANT SELECT ON ndbinfo.* TO 'visitor'@'%'");
        try (Server running = open(second.authority());
                Connection connection = JdbcDriver.connectForLoading(running.endpoint(), "")) {
            assertThatThrownBy(() -> ServerIdentity.read(connection))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("GRANT SELECT ON ndbinfo.* TO 'visitor'@'%'");
        }
    }

    @Test
    void aServerOfNoClusterIsRefusedBesideOne() throws Exception {
        try (OwnServer plain = OwnServer.start(OneServer.CACHE, ServerOptions.of(64 << 20))) {
            account(plain.endpoint());
            refused(
                    first.authority() + "," + plain.endpoint().authority(),
                    plain.endpoint().authority() + " is not an SQL node of an NDB Cluster",
                    "remove it");
        }
    }

    /** Its nodes have the same numbers. */
    @Test
    void anSqlNodeOfAnotherClusterIsRefused() throws Exception {
        try (Server another =
                Servers.parse("ndb:" + RealMySql.requireBase()).open(OneServer.CACHE, ServerOptions.of(64 << 20))) {
            account(another.endpoint(), "GRANT SELECT ON ndbinfo.* TO visitor@'%'");
            refused(
                    second.authority() + "," + another.endpoint().authority(),
                    another.endpoint().authority() + " is an SQL node of another cluster than " + second.authority());
        }
    }
}
