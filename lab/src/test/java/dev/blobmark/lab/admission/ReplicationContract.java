package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Stays on a source and on its replica: replication goes on, and both have what they had. */
@Tag("long")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReplicationContract {

    private static final LoadVolume READING = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);
    private static final LoadVolume WRITING = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096, true);

    private final List<String> notes = new ArrayList<>();
    private SourceAndReplica pair;
    private ForeignServer source;
    private ForeignServer replica;
    private List<String> before;

    /** As {@code --server} has it. */
    abstract String what();

    @BeforeAll
    void start() throws SQLException {
        pair = SourceAndReplica.start(what());
    }

    @AfterAll
    void stop() {
        pair.close();
    }

    @BeforeEach
    void theGuestsAccount() throws Exception {
        notes.clear();
        grant(ForeignServer.documented(pair.source()));
        before = schemas();
    }

    /** With the account, which is replicated. */
    private void grant(List<String> grants) throws Exception {
        source = ForeignServer.of(pair.source(), grants);
        pair.awaitReplica();
        Endpoint door = pair.replica().endpoint();
        replica = new ForeignServer(
                pair.replica(),
                new Endpoint(
                        door.host(), door.port(), "guest", source.endpoint().password()));
    }

    @AfterEach
    void replicationGoesOnAndNothingIsLeft() throws SQLException {
        owner(source, "DROP DATABASE IF EXISTS blobmark");
        pair.awaitReplica();
        assertThat(schemas()).isEqualTo(before);
    }

    private List<String> schemas() throws SQLException {
        List<String> schemas = new ArrayList<>();
        for (ForeignServer server : List.of(source, replica)) {
            schemas.addAll(seen(server, "SHOW DATABASES"));
            schemas.addAll(seen(server, "CHECKSUM TABLE shop.orders"));
        }
        return schemas;
    }

    private static void owner(ForeignServer server, String sql) throws SQLException {
        try (Connection owner = server.owner()) {
            ForeignServer.execute(owner, sql);
        }
    }

    private static List<String> seen(ForeignServer server, String sql) throws SQLException {
        try (Connection owner = server.owner()) {
            return ForeignServer.strings(owner, sql);
        }
    }

    private interface Stay {
        void in(ServerSession visit) throws SQLException;
    }

    private void visit(Server server, boolean isAllowed, LoadVolume cargo, Stay stay) throws SQLException {
        visit(server, isAllowed, cargo, notes::add, stay);
    }

    private void visit(Server server, boolean isAllowed, LoadVolume cargo, Alarm alarm, Stay stay) throws SQLException {
        // an empty schema stays after each stay that is logged
        RunLimits terms =
                new RunLimits(Optional.of("blobmark"), OptionalLong.empty(), isAllowed, ToleratedLoad.DEFAULT);
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession visit = new ServerSession(server, connection, terms, notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), cargo, "0.1", "run", alarm);
            ForeignServer.execute(
                    connection,
                    "CREATE TABLE blobmark.t01 (id INT PRIMARY KEY, data INT) COMMENT='" + visit.comment("t01") + "'");
            stay.in(visit);
        }
    }

    /** As a killed run leaves it. */
    private void leaveBehind(ForeignServer server, String schema, boolean isLogged) throws SQLException {
        try (Connection session = server.owner()) {
            ForeignServer.execute(session, "SET SESSION sql_log_bin = " + (isLogged ? 1 : 0));
            ForeignServer.execute(session, "CREATE DATABASE " + schema);
            Marker mark = Marker.of(session, schema, "0.1", "killed", true, isLogged);
            mark.write(session);
            ForeignServer.execute(
                    session,
                    "CREATE TABLE " + schema + ".t09 (id INT PRIMARY KEY) COMMENT='" + mark.comment("t09") + "'");
        }
    }

    private void changeRows() throws SQLException {
        owner(source, "INSERT INTO blobmark.t01 VALUES (1, 1), (2, 2)");
        owner(source, "UPDATE blobmark.t01 SET data = 3");
        pair.awaitReplica();
        assertThat(seen(replica, "SELECT data FROM blobmark.t01")).containsExactly("3", "3");
    }

    @Test
    void aLoggedRunEndsWhenItsServerBecomesAReplica() throws Exception {
        CompletableFuture<String> alarm = new CompletableFuture<>();
        visit(source, true, WRITING, alarm::complete, visit -> {
            try {
                pair.demote();
                assertThat(alarm.join()).startsWith("the server has become a replica");
            } finally {
                pair.promote();
            }
        });
    }

    @Test
    void aRunThatIsLoggedAfterOneThatWasNotReachesTheReplicaWhole() throws SQLException {
        leaveBehind(source, "blobmark", false);

        visit(source, true, WRITING, visit -> changeRows());

        assertThat(notes).contains("removed what run killed had left in the schema blobmark");
        pair.awaitReplica();
        for (ForeignServer server : List.of(source, replica)) {
            assertThat(seen(server, "SHOW TABLES FROM blobmark")).isEmpty();
        }
        assertThat(notes.get(notes.size() - 1)).startsWith("the schema blobmark stays: it is empty here, but DROP");
    }

    @Test
    void aRunThatIsNotLoggedAfterOneThatWasLeavesTheSchemaOnBoth() throws SQLException {
        leaveBehind(source, "blobmark", true);

        visit(source, false, READING, visit -> {
            pair.awaitReplica();
            assertThat(seen(replica, "SHOW TABLES FROM blobmark")).isEmpty();
        });
        visit(source, true, WRITING, visit -> changeRows());
    }

    @Test
    void cleanupRemovesEachAsItWasMade() throws SQLException {
        owner(source, "GRANT ALL ON `bmb`.* TO 'guest'@'%'");
        leaveBehind(source, "blobmark", false);
        leaveBehind(source, "bmb", true);
        try (Connection session = JdbcDriver.connectForLoading(source.endpoint(), "")) {
            List<Cleanup.LeftoverSchema> found = Cleanup.find(session);
            assertThat(found).hasSize(2);
            for (Cleanup.LeftoverSchema leftover : found) {
                Cleanup.remove(session, leftover);
            }
            assertThat(Cleanup.find(session)).isEmpty();
            assertThat(ForeignServer.strings(session, "SELECT @@SESSION.sql_log_bin"))
                    .containsExactly("1");
        }
        pair.awaitReplica();
        assertThat(seen(source, "SHOW DATABASES LIKE 'b%'")).containsExactly("bmb");
        assertThat(seen(replica, "SHOW DATABASES LIKE 'b%'")).containsExactly("bmb");
        assertThat(seen(replica, "SHOW TABLES FROM bmb")).isEmpty();
        owner(source, "DROP DATABASE bmb");
    }

    @Test
    void whatWasNotLoggedIsNotDroppedLogged() throws Exception {
        leaveBehind(source, "blobmark", false);
        grant(ForeignServer.documentedWithout(pair.source(), "SESSION_VARIABLES_ADMIN", "BINLOG ADMIN"));
        int logged = SourceAndReplica.events(pair.source()).size();
        try (Connection session = JdbcDriver.connectForLoading(source.endpoint(), "")) {
            Cleanup.LeftoverSchema leftover = Cleanup.find(session).get(0);
            assertThatThrownBy(() -> Cleanup.remove(session, leftover))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("loaded with the binary log off and must be dropped in the same way")
                    .hasMessageContaining(
                            "GRANT " + (pair.isMariaDb() ? "BINLOG ADMIN" : "SESSION_VARIABLES_ADMIN") + " ON *.* TO");
        }
        assertThatThrownBy(() -> visit(source, true, WRITING, visit -> {}))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("with the binary log off and must be dropped in the same way");
        assertThat(SourceAndReplica.events(pair.source())).hasSize(logged);
        assertThat(seen(source, "SHOW TABLES FROM blobmark")).containsExactly("blobmark_marker", "t09");
    }

    /** Tables and mark are replicated, the lock is not. */
    @Test
    void aLiveRunIsNotRemovedOnTheReplica() throws SQLException {
        visit(source, true, WRITING, live -> {
            changeRows();
            int logged = SourceAndReplica.events(pair.replica()).size();
            try (Connection session = JdbcDriver.connectForLoading(replica.endpoint(), "")) {
                Cleanup.LeftoverSchema seen = Cleanup.find(session).get(0);
                assertThat(seen.isAlive()).isTrue();
                assertThat(seen.foreign().orElseThrow()).contains("made on another server");
                assertThatThrownBy(() -> Cleanup.remove(session, seen))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContaining("nothing is removed from this server: it is a replica");
            }
            for (boolean isAllowed : List.of(true, false)) {
                assertThatThrownBy(() -> visit(replica, isAllowed, READING, visit -> {}))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContaining("made on another server");
            }
            assertThat(SourceAndReplica.events(pair.replica())).hasSize(logged);
            owner(source, "UPDATE blobmark.t01 SET data = 4");
            pair.awaitReplica();
            assertThat(seen(replica, "SELECT data FROM blobmark.t01")).containsExactly("4", "4");
        });
    }

    @Test
    void aRunThatReadsMayGoOnAReplicaAndOneThatIsLoggedMayNot() throws Exception {
        int logged = SourceAndReplica.events(pair.replica()).size();
        visit(replica, false, READING, visit -> {});
        assertThat(notes).anyMatch(note -> note.startsWith("this server is a replica, which also applies its source"));

        assertThatThrownBy(() -> visit(replica, true, WRITING, visit -> {}))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("it is a replica, whose source would not have what is written to it");
        assertThat(SourceAndReplica.events(pair.replica())).hasSize(logged);
    }

    @Test
    void whoMayNotSeeWhetherItIsAReplicaIsToldTheGrant() throws Exception {
        grant(ForeignServer.documentedWithout(pair.source(), "REPLICATION CLIENT", "REPLICA MONITOR"));
        String grant =
                "GRANT " + (pair.isMariaDb() ? "REPLICA MONITOR" : "REPLICATION CLIENT") + " ON *.* TO 'guest'@'%'";
        try (Connection session = JdbcDriver.connectForLoading(source.endpoint(), "")) {
            assertThat(new Replication(session).replica()).isEqualTo(Replication.Replica.UNKNOWN);
            assertThat(Cleanup.refusal(session).orElseThrow())
                    .isEqualTo("the account may not see whether it is a replica: " + grant);
        }
        assertThatThrownBy(() -> visit(source, true, WRITING, visit -> {}))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining(grant);
        visit(source, false, READING, visit -> {});
        assertThat(notes).anyMatch(note -> note.contains(grant));

        try (Connection session = JdbcDriver.connectForLoading(replica.endpoint(), "")) {
            assertThat(new Replication(session).replica())
                    .as("its threads are in the process list")
                    .isEqualTo(Replication.Replica.YES);
        }
    }
}
