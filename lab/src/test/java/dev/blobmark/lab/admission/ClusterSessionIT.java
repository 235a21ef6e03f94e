package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealCluster;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.running.ClientOptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stay in a cluster of somebody else's, through one or several of its SQL nodes. */
@Tag("long")
@Timeout(120)
@ExtendWith(RealCluster.class)
class ClusterSessionIT {

    private static final long POLL_NANOS = 1_000_000;

    private static final LoadVolume CARGO = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);
    private static final LoadVolume CHANGING = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096, true);

    private static final List<String> GRANTS = List.of(
            "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, LOCK TABLES, EXECUTE, EVENT ON `blobmark`.*",
            "PROCESS, RELOAD, REPLICATION CLIENT ON *.*",
            "SELECT ON ndbinfo.*",
            "SESSION_VARIABLES_ADMIN ON *.*");

    private final Endpoint first;
    private final Endpoint second;
    private final List<String> notes = new ArrayList<>();
    private final List<Server> opened = new ArrayList<>();

    @TempDir
    private Path directory;

    private List<String> before;

    ClusterSessionIT(NdbCluster cluster) {
        first = cluster.endpoint();
        second = cluster.others().get(0);
    }

    @BeforeEach
    void whatIsTheirs() throws SQLException {
        owner(first, "CREATE DATABASE IF NOT EXISTS shop");
        owner(first, "CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY, paid BLOB) ENGINE=NDB");
        owner(first, "REPLACE INTO shop.orders VALUES (1, 'one'), (2, 'two')");
        account(first, GRANTS);
        account(second, GRANTS);
        before = state();
    }

    @AfterEach
    void nothingOfTheirsHasChanged() throws SQLException {
        opened.forEach(Server::close);
        owner(first, "DROP DATABASE IF EXISTS blobmark");
        assertThat(state()).isEqualTo(before);
    }

    private List<String> state() throws SQLException {
        List<String> state = new ArrayList<>();
        for (Endpoint node : List.of(first, second)) {
            state.addAll(seen(node, "SELECT CONCAT(id, paid) FROM shop.orders ORDER BY id"));
            state.addAll(seen(node, "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name"));
        }
        return state;
    }

    private static void owner(Endpoint node, String sql) throws SQLException {
        try (Connection owner = JdbcDriver.connectForLoading(node, "")) {
            ForeignServer.execute(owner, sql);
        }
    }

    private static List<String> seen(Endpoint node, String sql) throws SQLException {
        try (Connection owner = JdbcDriver.connectForLoading(node, "")) {
            return ForeignServer.strings(owner, sql);
        }
    }

    private static void account(Endpoint node, List<String> grants) throws SQLException {
        owner(node, "DROP USER IF EXISTS 'guest'@'%'");
        owner(node, "CREATE USER 'guest'@'%' IDENTIFIED BY 'hunter2'");
        for (String grant : grants) {
            owner(node, "GRANT " + grant + " TO 'guest'@'%'");
        }
    }

    private Server open(Endpoint... nodes) {
        ClientOptions client =
                new ClientOptions(Map.of(), Optional.empty(), directory, account -> Optional.of("hunter2"));
        String places = Arrays.stream(nodes).map(Endpoint::authority).collect(Collectors.joining(","));
        Server server = Servers.parse("mysql://guest@" + places + "/", client, List.of())
                .open(directory.resolve("cache"), ServerOptions.of(16 << 20));
        opened.add(server);
        return server;
    }

    private static RunLimits terms(Optional<String> schema, boolean allowed) {
        return new RunLimits(schema, OptionalLong.empty(), allowed, ToleratedLoad.DEFAULT);
    }

    private static final RunLimits USUAL = terms(Optional.empty(), false);

    /** A stay, in which something may be done with its loading connection. */
    private void visit(Server server, RunLimits terms, LoadVolume cargo, Stay stay) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession visit = new ServerSession(server, connection, terms, notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), cargo, "0.1", "the-run", notes::add);
            stay.in(visit);
        }
    }

    /** A stay whose empty schema is dropped afterwards, as its note says. */
    private void wholeVisit(Server server, RunLimits terms, LoadVolume cargo, Stay stay) throws SQLException {
        visit(server, terms, cargo, stay);
        assertThat(notes.remove(notes.size() - 1))
                .startsWith("the schema blobmark stays: it is empty here, but DROP DATABASE goes to other servers too");
        owner(first, "DROP DATABASE blobmark");
    }

    private interface Stay {
        void in(ServerSession visit) throws SQLException;
    }

    private static void load(ServerSession visit, String table) throws SQLException {
        ForeignServer.execute(
                visit.connection(),
                "CREATE TABLE blobmark." + table + " (id INT PRIMARY KEY, value LONGBLOB) ENGINE=NDB COMMENT='"
                        + visit.comment(table) + "'");
        ForeignServer.execute(
                visit.connection(), "INSERT INTO blobmark." + table + " VALUES (1, REPEAT('x', 100000)), (2, 'y')");
    }

    @Test
    void whatARunMadeGoesFromAllSqlNodes() throws SQLException {
        wholeVisit(open(first, second), USUAL, CARGO, visit -> {
            load(visit, "t01");
            assertThat(seen(second, "SELECT LENGTH(value) FROM blobmark.t01 ORDER BY id"))
                    .containsExactly("100000", "1");
            assertThat(seen(second, "SHOW TABLES FROM blobmark")).containsExactly("t01");
        });
        assertThat(notes).isEmpty();
    }

    @Test
    void whatOthersHaveOnAnotherSqlNodeStays() throws SQLException {
        visit(open(first), USUAL, CARGO, visit -> {
            load(visit, "t01");
            owner(second, "CREATE TABLE blobmark.theirs (id INT PRIMARY KEY) ENGINE=InnoDB");
        });
        assertThat(seen(first, "SHOW TABLES FROM blobmark")).isEmpty();
        assertThat(seen(second, "SHOW TABLES FROM blobmark")).containsExactly("theirs");
        owner(second, "DROP DATABASE blobmark");
    }

    /** DROP DATABASE goes to all SQL nodes, and routines of another one cannot be seen from here. */
    @Test
    void routinesOfOthersOnAnotherSqlNodeStay() throws SQLException {
        visit(open(first), USUAL, CARGO, visit -> {
            load(visit, "t01");
            owner(second, "CREATE PROCEDURE blobmark.theirs() SELECT 1");
        });
        owner(second, "DROP PROCEDURE blobmark.theirs");
    }

    @Test
    void aRunThatEntersByAnotherSqlNodeDoesNotTouchIt() throws SQLException {
        visit(open(first), USUAL, CARGO, live -> {
            RunLimits named = terms(Optional.of("blobmark"), false);
            // nothing of the first run is to be seen there yet, its empty schema apart
            visit(open(second), named, CARGO, other -> {
                load(live, "t01");
                assertThatThrownBy(() -> load(other, "t01"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("Table 't01' already exists");
                other.drop("t01");
            });
            for (RunLimits terms : List.of(USUAL, named)) {
                assertThatThrownBy(() -> visit(open(second), terms, CARGO, other -> {}))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContainingAll(
                                "is not Blobmark's, and nothing in it was touched",
                                "It may also belong to a run that uses another SQL node of the cluster");
            }
            assertThatThrownBy(() -> visit(open(second, first), USUAL, CARGO, other -> {}))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContainingAll(
                            "its SQL node " + first.authority() + ": the schema blobmark belongs to run the-run",
                            "blobmark cleanup");
            assertThat(seen(first, "SELECT LENGTH(value) FROM blobmark.t01 ORDER BY id"))
                    .containsExactly("100000", "1");
        });
    }

    @Test
    void whatAKilledRunLeftIsFoundWhereItEntered() throws SQLException {
        Server server = open(first, second);
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            ForeignServer.execute(connection, "CREATE DATABASE blobmark");
            Marker mark = Marker.of(connection, "blobmark", "0.1", "killed", true, true);
            mark.write(connection);
            ForeignServer.execute(
                    connection,
                    "CREATE TABLE blobmark.t01 (id INT PRIMARY KEY) ENGINE=NDB COMMENT='" + mark.comment("t01") + "'");
            try (Connection elsewhere =
                    JdbcDriver.connectForLoading(server.others().get(0), "")) {
                assertThat(Cleanup.find(elsewhere)).isEmpty();
            }
            assertThat(Cleanup.find(connection)).singleElement().satisfies(leftover -> {
                assertThat(leftover.tables()).containsExactly("t01");
                assertThat(Cleanup.remove(connection, leftover)).isPresent();
            });
        }
    }

    @Test
    void whatTheAccountLacksOnAnotherSqlNodeIsToldWithItsName() throws SQLException {
        account(second, List.of("SELECT ON blobmark.*", "SELECT ON ndbinfo.*"));

        assertThatThrownBy(() -> visit(open(first, second), USUAL, CARGO, visit -> {}))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("its SQL node " + second.authority()
                        + ": the account may not DELETE, INSERT, UPDATE in the schema blobmark: GRANT DELETE, INSERT,"
                        + " UPDATE ON `blobmark`.* TO 'guest'@'%'");
    }

    /** A further SQL node, which has a binary log with all that is written to NDB. */
    @Test
    void nothingGoesToABinaryLogThatIsNotAllowed() throws SQLException {
        Map<String, String> variables = Map.of(
                "ndbcluster",
                "ON",
                "ndb_connectstring",
                "127.0.0.1:"
                        + seen(first, "SHOW GLOBAL STATUS LIKE 'Ndb_config_from_port'")
                                .get(0),
                "log_bin",
                "binlog",
                "ndb_log_bin",
                "ON");
        try (Server logging = Servers.parse("mysqld:" + RealMySql.requireBase())
                .open(OneServer.CACHE, ServerOptions.of(64 << 20).with(variables))) {
            Endpoint third = logging.endpoint();
            account(third, GRANTS);
            for (Server by : List.of(open(first), open(third), open(first, third))) {
                wholeVisit(by, USUAL, CARGO, visit -> {
                    load(visit, "t01");
                    ForeignServer.execute(visit.connection(), "UPDATE blobmark.t01 SET value = 'z'");
                });
            }
            assertThat(logged(third)).as("of what was loaded, by whichever").isEmpty();
            owner(third, "FLUSH BINARY LOGS");

            notes.clear();
            for (Server by : List.of(open(third), open(first, third))) {
                assertThatThrownBy(() -> visit(by, USUAL, CHANGING, visit -> {}))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContainingAll(
                                "is an SQL node of a cluster whose rows are in the binary log of " + third.authority(),
                                "(ndb_log_bin=ON)",
                                "trials that write add more",
                                "--allow-replicated-writes");
            }
            wholeVisit(open(first), USUAL, CHANGING, visit -> {});
            assertThat(notes).singleElement().asString().startsWith("other SQL nodes of the cluster, which Blobmark");

            wholeVisit(open(first, third), terms(Optional.empty(), true), CHANGING, visit -> load(visit, "t01"));
            assertThat(logged(third))
                    .anyMatch(event -> event.contains("CREATE TABLE blobmark.t01"))
                    .anyMatch(event -> event.contains("(blobmark.t01)"));

            List<String> fewer = GRANTS.subList(0, 3);
            account(first, fewer);
            account(third, fewer);
            assertThatThrownBy(() -> visit(open(third), USUAL, CARGO, visit -> {}))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContainingAll(
                            "ndb_log_bin=ON",
                            "GRANT SESSION_VARIABLES_ADMIN ON *.* TO 'guest'@'%', with which loading");
        }
    }

    /** The events that name Blobmark's schema. A row that is written now is logged after all that were before it. */
    private List<String> logged(Endpoint node) throws SQLException {
        owner(first, "CREATE TABLE IF NOT EXISTS shop.fence (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=NDB");
        owner(first, "INSERT INTO shop.fence VALUES (NULL)");
        List<String> events = events(node);
        while (events.stream().noneMatch(event -> event.contains("(shop.fence)"))) {
            LockSupport.parkNanos(POLL_NANOS);
            events = events(node);
        }
        owner(first, "DROP TABLE shop.fence");
        events.removeIf(event -> !event.contains("blobmark."));
        return events;
    }

    /** Of the newest log. */
    private static List<String> events(Endpoint node) throws SQLException {
        List<String> logs = logs(node);
        return seen(node, "SHOW BINLOG EVENTS IN '" + logs.get(logs.size() - 1) + "'");
    }

    private static List<String> logs(Endpoint node) throws SQLException {
        List<String> logs = new ArrayList<>();
        try (Connection owner = JdbcDriver.connectForLoading(node, "");
                var statement = owner.createStatement();
                var rows = statement.executeQuery("SHOW BINARY LOGS")) {
            while (rows.next()) {
                logs.add(rows.getString(1));
            }
        }
        return logs;
    }
}
