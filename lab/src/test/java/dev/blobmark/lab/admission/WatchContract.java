package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.conduct.Waiting;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.admission.LoadWatch;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What happens to a run when the watch on its server can no longer read, whichever server it is. No limit of load is
 * set.
 */
@Timeout(120)
abstract class WatchContract {

    private static final LoadVolume CARGO = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);

    private final Server host;
    private ForeignServer server;
    private Connection owner;
    private Connection connection;
    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<String> lost = new CompletableFuture<>();

    WatchContract(Server host) {
        this.host = host;
    }

    /** With room for the two connections that a visit has, and one more. */
    @BeforeEach
    void anAccountWithFewConnections() throws Exception {
        server = ForeignServer.of(host);
        owner = server.owner();
        ForeignServer.execute(owner, "ALTER USER 'guest'@'%' WITH MAX_USER_CONNECTIONS 3");
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
    }

    @AfterEach
    void remove() throws SQLException {
        connection.close();
        ForeignServer.execute(owner, "DROP DATABASE IF EXISTS blobmark");
        ForeignServer.execute(owner, "DROP USER IF EXISTS 'guest'@'%', 'former'@'%'");
        owner.close();
    }

    private ServerSession begin() throws SQLException {
        return begin(LoadWatch::start);
    }

    private ServerSession begin(Consumer<LoadWatch> start) throws SQLException {
        ServerSession visit = new ServerSession(server, connection, RunLimits.DEFAULT, notes::add);
        try {
            visit.begin(
                    ServerIdentity.read(connection).variables(),
                    CARGO,
                    "0.1",
                    "run",
                    new Alarm() {
                        @Override
                        public void critical(String excess) {
                            lost.completeExceptionally(new AssertionError(excess));
                        }

                        @Override
                        public void lost(String reason) {
                            lost.complete(reason);
                        }
                    },
                    start);
            return visit;
        } catch (RuntimeException e) {
            visit.close();
            throw e;
        }
    }

    private long holder() throws SQLException {
        return Marker.lockHolder(owner, "blobmark").orElseThrow();
    }

    private String lost() throws Exception {
        return lost.get(60, TimeUnit.SECONDS);
    }

    private void assertNothingBeginsIn(ServerSession visit) {
        assertThatThrownBy(() -> visit.awaitLowLoad(() -> {})).isInstanceOf(WatchLostException.class);
    }

    @Test
    void aWatchThatIsCutOffConnectsAgainAndHasTheLock() throws Exception {
        try (ServerSession visit = begin()) {
            long before = holder();
            ForeignServer.execute(owner, "KILL " + before);
            Waiting.until(() -> Marker.lockHolder(owner, "blobmark").orElse(before) != before);
            visit.awaitLowLoad(() -> {});
            assertThat(lost).isNotDone();
        }
        assertThat(Marker.exists(owner, "blobmark")).isFalse();
    }

    @Test
    void aLockThatAnotherHasTakenEndsTheRunAtOnce() throws Exception {
        try (ServerSession visit = begin()) {
            ForeignServer.execute(owner, "KILL " + holder());
            assertThat(ForeignServer.strings(owner, "SELECT GET_LOCK('blobmark:83f0d1da438bfcad89798d883c353c0e', 30)"))
                    .containsExactly("1");

            assertThat(lost())
                    .isEqualTo("session " + Sql.id(owner) + " has taken the lock of this run on the schema blobmark");
            assertNothingBeginsIn(visit);
        }
    }

    @Test
    void aMarkerThatIsGoneEndsTheRunAtOnce() throws Exception {
        try (ServerSession visit = begin()) {
            ForeignServer.execute(owner, "DROP TABLE blobmark.blobmark_marker");
            ForeignServer.execute(owner, "KILL " + holder());

            assertThat(lost()).isEqualTo("the marker of this run is no longer in the schema blobmark");
            assertNothingBeginsIn(visit);
        }
    }

    /**
     * After one attempt, so that an account is not locked for it. MySQL 9.7.4 goes on to accept a password that was
     * changed.
     */
    @ParameterizedTest
    @ValueSource(strings = {"RENAME USER 'guest'@'%' TO 'former'@'%'", "ALTER USER 'guest'@'%' ACCOUNT LOCK"})
    void aLoginThatIsRefusedEndsTheRunAtOnce(String change) throws Exception {
        try (ServerSession visit = begin()) {
            ForeignServer.execute(owner, change);
            ForeignServer.execute(owner, "KILL " + holder());

            assertThat(lost()).startsWith("the server refuses the login of the watch (");
            assertNothingBeginsIn(visit);
        }
    }

    /** Then MySQL 9.7.4 refuses to read information_schema.processlist. */
    @Test
    void applicationsMayExecuteStatementsWithBytes() throws Exception {
        assertThat(ForeignServer.strings(owner, "SELECT GET_LOCK('bytes', 0)")).containsExactly("1");
        try (Connection application = Driver.MARIADB.connect(host.endpoint(), "", Tls.OFF, StatementProtocol.TEXT);
                PreparedStatement statement = application.prepareStatement("SELECT GET_LOCK('bytes', 60), ?")) {
            statement.setBytes(1, new byte[] {(byte) 0xA9, (byte) 0xC3, 'x'});
            CompletableFuture<Boolean> executed = CompletableFuture.supplyAsync(() -> {
                try {
                    return statement.execute();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            Waiting.until(() -> Session.list(owner).stream()
                    .anyMatch(session -> session.state().equals("User lock")));
            try (ServerSession visit = begin()) {
                visit.awaitLowLoad(() -> {});
                assertThat(lost).isNotDone();
            }
            assertThat(executed).isNotDone();
            ForeignServer.execute(owner, "DO RELEASE_LOCK('bytes')");
            assertThat(executed.get()).isTrue();
        }
    }

    /** While the account has no connection left nothing begins; when it has one again, all goes on. */
    @Test
    void aWatchThatCannotConnectPausesTheRun() throws Exception {
        List<Connection> others = new ArrayList<>();
        try (ServerSession visit = begin()) {
            takeTheWatchesConnection(others);
            Waiting.until(() -> visit.disturbance().isPresent());
            assertThat(visit.disturbance())
                    .hasValueSatisfying(text -> assertThat(text).matches("the load could not be read for \\d+ s"));
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> visit.pauseIfBusy(() -> {}));
            Waiting.until(() -> !notes.isEmpty());
            assertThat(waiting).isNotDone();
            assertThat(notes.get(0))
                    .startsWith("paused: the server's load cannot be read (")
                    .contains("max_user_conn");
            closeAll(others);
            waiting.get(30, TimeUnit.SECONDS);
            assertThat(notes.get(1)).startsWith("continuing: ");
            assertThat(visit.disturbance()).isEmpty();
            assertThat(lost).isNotDone();
        } finally {
            closeAll(others);
        }
    }

    /** A second of the watch takes 200 ms here. The whole runs of WatchRunIT take the full time. */
    @Test
    void aWatchThatCannotConnectForHalfAMinuteEndsTheRun() throws Exception {
        List<Connection> others = new ArrayList<>();
        try (ServerSession visit = begin(watch -> watch.start(200))) {
            takeTheWatchesConnection(others);

            assertThat(lost()).matches("(?s)the server's load could not be read for 30 s \\(.*max_user_conn.*\\)");
            assertNothingBeginsIn(visit);
        } finally {
            closeAll(others);
        }
        assertThat(Marker.exists(owner, "blobmark"))
                .as("the schema goes over the connection that is left")
                .isFalse();
    }

    private void takeTheWatchesConnection(List<Connection> others) throws Exception {
        others.add(JdbcDriver.connectForLoading(server.endpoint(), ""));
        ForeignServer.execute(owner, "KILL " + holder());
        Waiting.until(() -> connected().map(others::add).orElse(false));
    }

    /** Empty where the account has no connection left. */
    private Optional<Connection> connected() {
        try {
            return Optional.of(JdbcDriver.connectForLoading(server.endpoint(), ""));
        } catch (SQLException e) {
            return Optional.empty();
        }
    }

    private static void closeAll(List<Connection> connections) throws SQLException {
        for (Connection one : connections) {
            one.close();
        }
        connections.clear();
    }
}
