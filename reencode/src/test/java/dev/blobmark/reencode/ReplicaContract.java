package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.ReplicaLag;
import java.io.IOException;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes on a source with a replica: both hold the same, and a replica that is late is waited for. */
@Tag("long")
@Timeout(120)
abstract class ReplicaContract extends OnServer {

    private static final long POLL_NANOS = 1_000_000;

    private static final Duration MAX_LAG = Duration.ofMillis(500);
    private static final Target ZSTD = new Target("zstd:3", ALL);
    private static final int ROWS = 2_000;

    private OwnServer replica;
    private UsersTable replicated;

    abstract OwnServer start(Map<String, String> variables);

    abstract boolean isMariaDb();

    @Override
    OwnServer start() {
        return start(Map.of("log_bin", "binlog", "server_id", "101"));
    }

    @BeforeAll
    void replicate() throws Exception {
        replica = start(Map.of("log_bin", "binlog", "server_id", "102"));
        replicated = new UsersTable(replica);
        replicated.execute("CREATE DATABASE shop");
        String[] position = position();
        String words = isMariaDb() ? "MASTER" : "SOURCE";
        replicated.execute(((isMariaDb() ? "CHANGE MASTER TO" : "CHANGE REPLICATION SOURCE TO")
                        + " X_HOST='127.0.0.1', X_PORT=" + server.endpoint().port()
                        + ", X_USER='repl', X_PASSWORD='repl', X_LOG_FILE='" + position[0] + "', X_LOG_POS="
                        + position[1] + (isMariaDb() ? "" : ", GET_SOURCE_PUBLIC_KEY=1"))
                .replace("X_", words + "_"));
        users.execute(
                "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'repl'",
                "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
                "DROP DATABASE shop", // the replica does not have it
                "CREATE DATABASE shop");
        replicated.execute("START REPLICA");
        awaitReplica();
    }

    @AfterAll
    void stopReplica() {
        if (replica != null) {
            replica.close();
        }
    }

    /** File and offset that the source's log has come to. */
    private String[] position() throws SQLException {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(isMariaDb() ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS")) {
            row.next();
            return new String[] {row.getString(1), row.getString(2)};
        }
    }

    private void awaitReplica() throws SQLException {
        String[] position = position();
        assertThat(replicated.single((isMariaDb() ? "SELECT MASTER_POS_WAIT('" : "SELECT SOURCE_POS_WAIT('")
                        + position[0] + "', " + position[1] + ", 30)"))
                .as("events applied; null or -1: stopped, or too late")
                .isNotNull()
                .isNotEqualTo("-1");
    }

    private long logBytes() throws SQLException {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW BINARY LOGS")) {
            long bytes = 0;
            while (row.next()) {
                bytes += row.getLong(2);
            }
            return bytes;
        }
    }

    private static List<String> contents(UsersTable on, String table) throws SQLException {
        try (Connection connection = on.connect()) {
            return Sql.strings(
                    connection,
                    "SELECT SHA2(CONCAT_WS('|', HEX(id), HEX(payload), HEX(note), state, updated), 256) FROM " + table
                            + " ORDER BY id");
        }
    }

    private ReencodeOptions options(List<MySqlSource> replicas, boolean ignoresReplicas) {
        return new ReencodeOptions(
                new Pace(
                        FAST.pace().load(),
                        FAST.pace().speed(),
                        FAST.pace().binlogRate(),
                        replicas,
                        MAX_LAG,
                        ignoresReplicas,
                        FAST.pace().maxProbe(),
                        FAST.pace().transaction(),
                        FAST.pace().pauseFile(),
                        FAST.pace().socket()),
                FAST.isCopy(),
                FAST.keepsOriginals(),
                FAST.writers(),
                FAST.force());
    }

    private Reencoding ignoring(String table) {
        return new Reencoding(
                users.source(), cache, TableColumn.named(table + ".payload"), options(List.of(), true), "test", SILENT);
    }

    private Reencoding watching(String table, ReencodeListener listener) {
        return new Reencoding(
                users.source(),
                cache,
                TableColumn.named(table + ".payload"),
                options(List.of(replicated.source()), false),
                "test",
                listener);
    }

    /** The estimate, by which the rate of the log is limited, is near what the server wrote. */
    @ParameterizedTest
    @CsvSource({"ROW, FULL", "ROW, MINIMAL", "ROW, NOBLOB", "MIXED, FULL", "STATEMENT, FULL"})
    void bothHoldTheSameAfterTheChangeAndAfterTheWayBack(String format, String image) throws Exception {
        String table = "shop." + (format + "_" + image).toLowerCase(Locale.ROOT);
        users.execute("CREATE TABLE " + table + " (id VARCHAR(40) PRIMARY KEY, note TEXT NOT NULL, payload MEDIUMBLOB,"
                + " state INT NOT NULL DEFAULT 1, updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE"
                + " CURRENT_TIMESTAMP(6)) ENGINE=InnoDB");
        try (Connection connection = users.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, note, payload) VALUES (?, ?, ?)")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < ROWS; i++) {
                insert.setString(1, "key-" + i);
                insert.setString(2, "n".repeat(i % 300));
                insert.setBytes(3, i % 100 == 0 ? null : json(i));
                insert.executeUpdate();
            }
            connection.commit();
        }
        awaitReplica();
        List<String> before = contents(users, table);
        assertThat(before).hasSize(ROWS);
        users.execute("SET GLOBAL binlog_format = " + format, "SET GLOBAL binlog_row_image = " + image);
        try {
            long logged = logBytes();
            Outcome outcome = ignoring(table).change(Before.RAW, ZSTD);
            assertThat(outcome.last().changed()).isEqualTo(ROWS - ROWS / 100);
            assertThat((double) outcome.last().binlogBytes())
                    .isCloseTo(logBytes() - logged, Percentage.withPercentage(20));
            awaitReplica();
            assertThat(contents(users, table)).isNotEqualTo(before);
            assertThat(contents(replicated, table)).isEqualTo(contents(users, table));

            logged = logBytes();
            outcome = ignoring(table).revert();
            assertThat((double) outcome.last().binlogBytes())
                    .isCloseTo(logBytes() - logged, Percentage.withPercentage(20));
            awaitReplica();
            assertThat(contents(users, table)).isEqualTo(before);
            assertThat(contents(replicated, table)).isEqualTo(before);
        } finally {
            users.execute("SET GLOBAL binlog_format = ROW", "SET GLOBAL binlog_row_image = FULL");
        }
    }

    @Test
    void aReplicaThatNobodyWatchesIsARefusal() throws Exception {
        table("shop.unwatched");
        assertThatThrownBy(() -> new Reencoding(
                                users.source(),
                                cache,
                                TableColumn.named("shop.unwatched.payload"),
                                options(List.of(), false),
                                "test",
                                SILENT)
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("'repl' from 127.0.0.1 reads the binary log")
                .hasMessageContaining("--ignore-replicas");
        assertThat(ignoring("shop.unwatched").change(Before.RAW, ZSTD).isComplete())
                .isTrue();
    }

    /** Does something when it is announced that the work waits for the replica. */
    private class Waiting implements ReencodeListener {
        final List<String> notices = new ArrayList<>();
        private final Task begin;
        private final Task paused;
        private boolean isBegun;

        interface Task {
            void run() throws Exception;
        }

        Waiting(Task begin, Task paused) {
            this.begin = begin;
            this.paused = paused;
        }

        /** At first, waits until the replica has lost four beats. */
        @Override
        public void progressed(Progress progress) {
            if (isBegun) {
                return;
            }
            isBegun = true;
            run(begin);
            run(() -> {
                long until = beat() + 4;
                while (beat() < until) {
                    LockSupport.parkNanos(POLL_NANOS);
                }
            });
        }

        @Override
        public void noticeIssued(String notice) {
            notices.add(notice);
            if (notice.startsWith("paused: ")) {
                run(paused);
            }
        }

        private void run(Task task) {
            try {
                task.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private long beat() throws SQLException {
        return Long.parseLong(users.single("SELECT MAX(beat) FROM shop.blobmark_reencode_beats"));
    }

    private long rowsDone(String table) throws SQLException {
        try (Connection connection = users.connect()) {
            return new StateTable(TableColumn.named(table + ".payload"), "")
                    .read(connection)
                    .orElseThrow()
                    .counts()
                    .rows();
        }
    }

    @Test
    void aReplicaThatIsLateIsWaitedFor() throws Exception {
        Map<String, byte[]> values = table("shop.late");
        Waiting waiting = new Waiting(() -> replicated.execute("STOP REPLICA SQL_THREAD"), () -> {
            assertThat(rowsDone("shop.late")).isLessThan(values.size()); // some before the delay was seen
            replicated.execute("START REPLICA SQL_THREAD");
        });
        Outcome outcome = watching("shop.late", waiting).change(Before.RAW, ZSTD);
        assertThat(outcome.last().changed()).isEqualTo(values.size());
        assertThat(waiting.notices).hasSizeGreaterThanOrEqualTo(2);
        assertThat(waiting.notices.get(0)).startsWith("paused: a replica is ").contains("500 ms are allowed");
        assertThat(waiting.notices.get(1)).isEqualTo("continuing");
        assertThat(outcome.last().pausedSeconds()).isPositive();
        awaitReplica();
        assertThat(replicated.stored("shop.late").get("r1").orElseThrow()).startsWith(0xBE, 0xC1);
        // the row is gone, and so is the table
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name ="
                        + " 'blobmark_reencode_beats'"))
                .isEqualTo("0");
    }

    private void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(replica.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void aReplicaThatDoesNotAnswerIsWaitedFor() throws Exception {
        Map<String, byte[]> values = table("shop.silent");
        long[] rows = new long[1];
        Waiting waiting = new Waiting(() -> signal("STOP"), () -> {
            rows[0] = rowsDone("shop.silent");
            signal("CONT");
        });
        try {
            Outcome outcome = watching("shop.silent", waiting).change(Before.RAW, ZSTD);
            assertThat(outcome.last().changed()).isEqualTo(values.size());
        } finally {
            signal("CONT");
        }
        assertThat(waiting.notices.get(0)).startsWith("paused: ");
        assertThat(rows[0]).isZero();
    }

    @Test
    void aReplicaThatIsGoneAtTheBeginningIsAnError() throws Exception {
        table("shop.gone");
        int port;
        try (ServerSocket nobody = new ServerSocket(0)) {
            port = nobody.getLocalPort();
        }
        MySqlSource gone = Servers.parse("mysql://nobody@127.0.0.1:" + port + "/");
        Reencoding reencoding = new Reencoding(
                users.source(),
                cache,
                TableColumn.named("shop.gone.payload"),
                options(List.of(gone), false),
                "test",
                SILENT);
        assertThatThrownBy(() -> reencoding.change(Before.RAW, ZSTD))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("127.0.0.1:" + port);
        assertThat(users.single("SELECT HEX(LEFT(payload, 1)) FROM shop.gone WHERE id = 'r1'"))
                .isEqualTo("7B");
    }

    @Test
    void aServerThatBecomesAReplicaEndsIt() throws Exception {
        Map<String, byte[]> values = table("shop.demoted");
        Waiting waiting = new Waiting(
                () -> replicated.execute("STOP REPLICA SQL_THREAD"),
                () -> users.execute(
                        isMariaDb()
                                ? "CHANGE MASTER TO MASTER_HOST='127.0.0.1'"
                                : "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1'"));
        try {
            assertThatThrownBy(() -> watching("shop.demoted", waiting).change(Before.RAW, ZSTD))
                    .isInstanceOf(WatchLostException.class)
                    .hasMessageContaining("has become a replica");
            assertThatThrownBy(() -> watching("shop.demoted", SILENT).change(Before.RAW, ZSTD))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("it is a replica");
        } finally {
            users.execute("RESET REPLICA ALL");
            replicated.execute("START REPLICA SQL_THREAD");
        }
        Outcome outcome = watching("shop.demoted", SILENT).change(Before.RAW, ZSTD);
        assertThat(outcome.last().changed()).isEqualTo(values.size());
        awaitReplica();
        assertThat(replicated.stored("shop.demoted").get("r1").orElseThrow()).startsWith(0xBE, 0xC1);
    }

    /** Otherwise it would wait for beats that never come. */
    @Test
    void beatsGoOnAfterTheirConnectionWasKilled() throws Exception {
        table("shop.beats");
        TableColumn column = TableColumn.named("shop.beats.payload");
        String connections = "SELECT MAX(id) FROM information_schema.processlist WHERE user = '"
                + server.endpoint().user() + "' AND id <> CONNECTION_ID()";
        try (Connection admin = users.connect();
                ReplicaLag lag = new ReplicaLag(
                        new Connections(server.endpoint()), column, List.of(replica.endpoint()), MAX_LAG)) {
            Sql.execute(admin, "KILL " + Sql.strings(admin, connections).get(0));
            long until = beat() + 3;
            while (beat() < until) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            // a change of another column may have dropped the table
            users.execute("DROP TABLE shop.blobmark_reencode_beats");
            awaitReplica();
            while (!replicated
                    .single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name ="
                            + " 'blobmark_reencode_beats'")
                    .equals("1")) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            while (lag.reasonToWait().isPresent()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    /** The next process goes on with its number, and the end of the change removes it. */
    @Test
    void theRowOfAKilledProcessIsTakenOver() throws Exception {
        table("shop.left");
        TableColumn column = TableColumn.named("shop.left.payload");
        ignoring("shop.left").change(Before.RAW, ZSTD);
        users.execute(
                "CREATE TABLE shop.blobmark_reencode_beats (id BIGINT NOT NULL PRIMARY KEY, beat BIGINT NOT NULL)"
                        + " ENGINE=InnoDB",
                "INSERT INTO shop.blobmark_reencode_beats VALUES (" + ReplicaLag.row(column) + ", 7000)");
        try (ReplicaLag lag =
                new ReplicaLag(new Connections(server.endpoint()), column, List.of(replica.endpoint()), MAX_LAG)) {
            assertThat(lag.lag()).isNotNull();
            assertThat(beat()).isGreaterThan(7_000);
        }
        users.execute(
                "CREATE TABLE IF NOT EXISTS shop.blobmark_reencode_beats (id BIGINT NOT NULL PRIMARY KEY, beat BIGINT NOT"
                        + " NULL) ENGINE=InnoDB",
                "INSERT INTO shop.blobmark_reencode_beats VALUES (" + ReplicaLag.row(column) + ", 7000)");
        ignoring("shop.left").finish();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name ="
                        + " 'blobmark_reencode_beats'"))
                .isEqualTo("0");
        try (Connection connection = users.connect()) {
            assertThat(new StateTable(column, "").read(connection)).isEqualTo(Optional.empty());
        }
    }
}
