package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is found on a server before anything is written to it: room for connections, and all that a dry run reports. */
@Timeout(60)
abstract class InspectionContract {

    private static final LoadVolume CARGO = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);

    private final Server host;
    private ForeignServer server;
    private Connection owner;
    private List<String> before;
    private final List<String> notes = new ArrayList<>();

    InspectionContract(Server host) {
        this.host = host;
    }

    @BeforeEach
    void anAccount() throws Exception {
        server = ForeignServer.of(host);
        owner = server.owner();
        before = state();
    }

    @AfterEach
    void nothingHasChanged() throws SQLException {
        assertThat(state()).isEqualTo(before);
        ForeignServer.execute(owner, "DROP DATABASE IF EXISTS blobmark");
        owner.close();
    }

    private List<String> state() throws SQLException {
        List<String> state = server.state();
        state.addAll(ForeignServer.strings(
                owner,
                "SELECT CONCAT_WS('.', table_schema, table_name) FROM information_schema.tables"
                        + " WHERE table_schema IN ('shop', 'blobmark') ORDER BY 1"));
        return state;
    }

    private void inspect(LoadVolume cargo) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession visit = new ServerSession(server, connection, RunLimits.DEFAULT, notes::add)) {
            visit.inspect(ServerIdentity.read(connection).variables(), cargo);
        }
    }

    private void begin(LoadVolume cargo) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession visit = new ServerSession(server, connection, RunLimits.DEFAULT, notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), cargo, "0.1", "run", notes::add);
        }
    }

    @Test
    void aServerWithRoomSaysHowMuch() throws SQLException {
        inspect(CARGO.withConnections(List.of(9)));

        assertThat(notes).singleElement().asString().matches("connections: up to 11 of \\d+; \\d+ in use");
    }

    /** 58 would be refused by the server itself, or refuse others: all are counted before the first is opened. */
    @Test
    void aRunThatWouldTakeTheConnectionsOfOthersIsRefused() throws SQLException {
        String was =
                ForeignServer.strings(owner, "SELECT @@GLOBAL.max_connections").get(0);
        ForeignServer.execute(owner, "SET GLOBAL max_connections = 60");
        try {
            LoadVolume cargo = CARGO.withConnections(List.of(56));

            assertThatThrownBy(() -> begin(cargo))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("does not allow this run; nothing was written to it:")
                    .message()
                    .containsPattern("the run opens up to 58 connections, and the server has (4\\d) left for it"
                            + " \\(max_connections=60, \\d+ in use, 10 kept free for others\\): use fewer with --threads or"
                            + " --set connection=hikari:N, or leave out methods with --methods");
            assertThatThrownBy(() -> inspect(cargo)).hasMessageContaining("opens up to 58 connections");
            inspect(CARGO.withConnections(List.of(20)));
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL max_connections = " + was);
        }
    }

    @Test
    void anAccountWithFewConnectionsIsCountedToo() throws SQLException {
        ForeignServer.execute(owner, "ALTER USER 'guest'@'%' WITH MAX_USER_CONNECTIONS 5");
        try (Connection other = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            assertThat(other.isValid(5)).isTrue();

            assertThatThrownBy(() -> begin(CARGO.withConnections(List.of(3))))
                    .hasMessageContaining("the run opens up to 5 connections, and the account has 4 left for it"
                            + " (max_user_connections=5, 1 in use)");
            begin(CARGO.withConnections(List.of(2)));
        }
    }

    @Test
    void moreBytesThanTheDefaultAreRefusedWithTheOptionThatAllowsThem() {
        long tooMuch = 11L << 30;

        assertThatThrownBy(() -> begin(new LoadVolume(tooMuch, 1 << 20, 1 << 20, 1 << 20, 4096)))
                .hasMessageContaining("the run would load 11 GB of values (1024 KB at a time), more than --max-bytes"
                        + " allows (10 GB, its default): raise it, or use fewer methods");
    }

    @Test
    void allProblemsAreFoundAtOnceAndNothingIsWritten() throws Exception {
        ForeignServer.execute(owner, "CREATE DATABASE blobmark");
        ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");
        server = ForeignServer.of(host, List.of("SELECT, CREATE, DROP ON `blobmark`.*"));
        before = state();

        AdmissionException refused = catchThrowableOfType(
                AdmissionException.class, () -> inspect(new LoadVolume(11L << 30, 1 << 20, 1 << 20, 1 << 20, 4096)));

        assertThat(refused)
                .hasMessageContaining("is not Blobmark's, and nothing in it was touched")
                .hasMessageContaining("more than --max-bytes allows")
                .hasMessageContaining("the account may not DELETE, INSERT, UPDATE in the schema blobmark")
                .hasMessageContaining("GRANT PROCESS");
    }

    @Test
    void aRunThatIsAtWorkAndOneThatIsNoMoreAreReported() throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession live = new ServerSession(server, connection, RunLimits.DEFAULT, notes::add)) {
            live.begin(ServerIdentity.read(connection).variables(), CARGO, "0.1", "live", notes::add);

            assertThatThrownBy(() -> inspect(CARGO))
                    .hasMessageContaining("another run is at work in the schema blobmark");
            assertThat(Marker.read(owner, "blobmark")).isPresent();
        }
        assertThat(notes).isEmpty();
    }

    /** By the server's own log: nothing but questions, and tries on a table that nobody has, which fail. */
    @Test
    void aDryRunWritesNothing() throws Exception {
        ForeignServer.execute(owner, "SET GLOBAL log_output = 'TABLE'");
        ForeignServer.execute(owner, "TRUNCATE mysql.general_log");
        ForeignServer.execute(owner, "SET GLOBAL general_log = ON");
        try {
            inspect(CARGO.withConnections(List.of(2)));
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL general_log = OFF");
        }
        List<String> statements = ForeignServer.strings(
                owner,
                "SELECT CONVERT(LEFT(argument, 300) USING utf8mb4) FROM mysql.general_log WHERE user_host LIKE '%guest%'"
                        + " AND command_type IN ('Query', 'Prepare', 'Execute', 'Bulk_execute')");

        assertThat(statements)
                .isNotEmpty()
                .allSatisfy(sql -> assertThat(sql.strip())
                        .matches("(?is)(SELECT|SHOW|DO|UNLOCK TABLES|SET (SESSION )?(?!GLOBAL|PERSIST)\\w+)\\b.*"
                                + "|(INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|DROP TABLE|FLUSH TABLES|LOCK TABLES|CALL)"
                                + " `blobmark`\\.`blobmark_marker_[0-9a-f]+`.*"));
        assertThat(statements).noneMatch(sql -> sql.matches("(?is).*GLOBAL\\s+\\w+\\s*=.*"));
    }
}
