package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.change.FeedSession;
import dev.blobmark.reencode.change.KeyColumns;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.SqlFeedSession;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies by the binary log, while sessions have settings of their own, and the log has what a reader may not
 * understand. Each change is in the new table, or the copy has ended before the exchange.
 */
abstract class FeedContract extends StepsOfCopy {

    /** How a session sets which columns its row images have. */
    private static final String IMAGE = "SET SESSION binlog_row_image = ";

    @Override
    boolean isByLog() {
        return true;
    }

    abstract boolean isMariaDb();

    /** Executes statements in one session. */
    private void session(String... statements) throws SQLException {
        users.execute(statements);
    }

    /** Names that differ only in case are two tables, and a statement may change both. */
    @Test
    void anotherTableOfTheSameLetters() throws Exception {
        fill("orders", ROWS);
        users.execute("CREATE TABLE shop.Orders LIKE shop.orders", "INSERT INTO shop.Orders SELECT * FROM shop.orders");
        assertHeld(
                payload("orders"),
                () -> session("UPDATE shop.Orders b JOIN shop.orders a ON a.id = b.id SET a.amount = a.amount + 1,"
                        + " b.amount = b.amount + 100 WHERE a.id IN (3, 500)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void truncate(String step) throws Exception {
        fill("truncated_" + step, ROWS);
        assertRefused("truncated_" + step, step, () -> session("TRUNCATE TABLE shop.truncated_" + step));
    }

    @Test
    void truncateOfAPartition() throws Exception {
        users.execute(
                "CREATE TABLE shop.parts (id INT PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB PARTITION BY RANGE"
                        + " (id) (PARTITION p0 VALUES LESS THAN (50), PARTITION p1 VALUES LESS THAN MAXVALUE)");
        for (int i = 0; i < 100; i++) {
            users.insert("shop.parts", i, json(i));
        }
        assertRefused("parts", EXCHANGING, () -> session("ALTER TABLE shop.parts TRUNCATE PARTITION p0"));
        assertThat(rows("shop.parts")).isEqualTo(50);
    }

    /** The image after a change has only what was changed, and the key may be one of several columns. */
    @ParameterizedTest
    @ValueSource(strings = {"MINIMAL", "NOBLOB", "FULL"})
    void rowImagesOfASession(String image) throws Exception {
        String table = "images_" + image.toLowerCase();
        users.execute("CREATE TABLE shop." + table
                + " (id INT, part INT, payload MEDIUMBLOB, amount INT, PRIMARY KEY (id," + " part)) ENGINE=InnoDB");
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < ROWS; i++) {
                statement.execute(
                        "INSERT INTO shop." + table + " VALUES (" + i + ", 0, REPEAT('abc " + i + "', 50), 1)");
            }
        }
        AtomicInteger times = new AtomicInteger();
        assertHeld(payload(table), () -> {
            int part = times.incrementAndGet();
            session(
                    IMAGE + image,
                    "UPDATE shop." + table + " SET part = part + " + part + " WHERE id = 7",
                    "UPDATE shop." + table + " SET amount = 9 WHERE id = 8",
                    "DELETE FROM shop." + table + " WHERE id = " + (20 + part),
                    "INSERT INTO shop." + table + " (id, part, payload) VALUES (5000, " + part + ", 'new')");
        });
    }

    /** Only the primary key is in each image; a copy by another key ends. */
    @Test
    void anImageWithoutTheKey() throws Exception {
        users.execute("CREATE TABLE shop.keyless (near FLOAT PRIMARY KEY, id INT NOT NULL UNIQUE, payload MEDIUMBLOB)"
                + " ENGINE=InnoDB");
        for (int i = 0; i < 300; i++) {
            users.execute("INSERT INTO shop.keyless VALUES (" + i + ", " + i + ", REPEAT('x', 500))");
        }
        assertThatThrownBy(() -> copy(
                                payload("keyless"),
                                Map.of(
                                        EXCHANGING,
                                        () -> session(IMAGE + "MINIMAL", "DELETE FROM shop.keyless WHERE near = 5")))
                        .change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining("does not have the column id of the key");
        assertNotExchanged("keyless");
    }

    /** A session may log otherwise than the server's default is. */
    @ParameterizedTest
    @CsvSource({"STATEMENT", "MIXED"})
    void statementsInsteadOfRows(String format) throws Exception {
        String table = "statements_" + format.toLowerCase();
        fill(table, ROWS);
        assertThatThrownBy(() -> copy(
                                payload(table),
                                Map.of(
                                        EXCHANGING,
                                        () -> session(
                                                "SET SESSION binlog_format = '" + format + "'",
                                                "UPDATE shop." + table + " SET amount = 99 WHERE id = 5")))
                        .change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining("a statement instead of its rows");
        assertNotExchanged(table);
    }

    /** A statement on another table may change this one too, by a view or a function. */
    @Test
    void aStatementOnAnotherName() throws Exception {
        fill("viewed", ROWS);
        users.execute("CREATE VIEW shop.a_view AS SELECT * FROM shop.viewed");
        assertRefused(
                "viewed",
                EXCHANGING,
                () -> session(
                        "SET SESSION binlog_format = 'STATEMENT'", "UPDATE shop.a_view SET amount = 5 WHERE id = 5"));
        users.execute("DROP VIEW shop.a_view");
    }

    @Test
    void theFormatOfTheLogIsSwitched() throws Exception {
        fill("switched", ROWS);
        try {
            assertRefused("switched", COMPARING, () -> session("SET GLOBAL binlog_format = 'STATEMENT'"));
        } finally {
            session("SET GLOBAL binlog_format = 'ROW'");
        }
    }

    /** Rows of other tables are not read, whatever they have; and statements on them change nothing. */
    @Test
    void otherTables() throws Exception {
        fill("alone", ROWS);
        String strange = isMariaDb() ? "v LONGBLOB COMPRESSED, w VARCHAR(9000) COMPRESSED" : "v VECTOR(3), w JSON";
        String row = isMariaDb() ? "REPEAT('a', 5000), REPEAT('b', 5000)" : "TO_VECTOR('[1,2,3]'), '{\"a\": 1}'";
        AtomicInteger times = new AtomicInteger();
        assertHeld(payload("alone"), () -> {
            String name = "shop.strange" + times.incrementAndGet();
            session(
                    "CREATE TABLE " + name + " (id INT PRIMARY KEY AUTO_INCREMENT, " + strange + ") ENGINE=InnoDB",
                    "INSERT INTO " + name + " (v, w) VALUES (" + row + ")",
                    "CREATE TABLE " + name + "_2 LIKE shop.alone",
                    "INSERT INTO " + name + "_2 SELECT * FROM shop.alone",
                    "ALTER TABLE " + name + "_2 ADD COLUMN note2 INT COMMENT 'of `shop`.`alone`', RENAME TO " + name
                            + "_3",
                    "TRUNCATE TABLE " + name + "_3",
                    "CREATE TEMPORARY TABLE shop.alone_t (alone INT)",
                    "DROP TEMPORARY TABLE shop.alone_t",
                    "CREATE VIEW " + name + "_v AS SELECT id FROM shop.alone",
                    "DROP VIEW " + name + "_v",
                    "ANALYZE TABLE shop.alone",
                    "DROP TABLE " + name + "_3",
                    "UPDATE shop.alone SET amount = amount + 1 WHERE id % 50 = 0");
        });
    }

    /** Columns of all kinds before and behind the key must be passed over exactly. */
    @Test
    void columnsAroundTheKey() throws Exception {
        String own = isMariaDb()
                ? "c1 INET6, c2 UUID, c3 VARCHAR(5000) COMPRESSED, c4 BLOB COMPRESSED, "
                : "c1 JSON, c2 VECTOR(2), c3 GEOMETRY, c4 JSON, ";
        String values = isMariaDb()
                ? "'::1', UUID(), REPEAT('c', 3000), REPEAT('d', 3000), "
                : "'{\"a\": [1, 2]}', TO_VECTOR('[1,2]'), ST_GeomFromText('POINT(1 2)'), '[]', ";
        users.execute(
                "CREATE TABLE shop.around (b1 BIT(13), e1 ENUM('x', 'y'), s1 SET('a', 'b', 'c'), d1 DECIMAL(30, 7),"
                        + " t1 TIME(3), dt DATETIME(5), ts TIMESTAMP(1) NULL, y1 YEAR, f1 FLOAT, f2 DOUBLE, ch CHAR(200)"
                        + " CHARACTER SET utf8mb4, vb VARBINARY(300), bi BINARY(20), tt TINYTEXT, lt LONGTEXT, n1 MEDIUMINT, "
                        + own
                        + "id BIGINT UNSIGNED, payload MEDIUMBLOB, day DATE, PRIMARY KEY (day, id)) ENGINE=InnoDB");
        for (int i = 0; i < 200; i++) {
            users.execute(
                    "INSERT INTO shop.around VALUES (b'1011', 'y', 'a,c', -12345678901234567890.1234567, '-12:34:56.789',"
                            + " '2026-02-03 04:05:06.78901', '2026-02-03 04:05:06.7', 2026, 1.5, 2.25, 'größe', X'00FF', X'01', 'tiny',"
                            + " REPEAT('l', 300), -8000000, " + values + "18446744073709551000 + " + i
                            + ", REPEAT('p', 400), '2026-01-01')");
        }
        assertHeld(
                payload("around"),
                () -> session(
                        "UPDATE shop.around SET n1 = n1 + 1, payload = CONCAT(payload, 'q') WHERE id % 3 = 0",
                        "UPDATE shop.around SET day = day + INTERVAL 1 DAY, b1 = NULL, ch = NULL, lt = NULL, d1 = NULL WHERE id % 7 = 0",
                        "DELETE FROM shop.around WHERE id % 31 = 0 LIMIT 2"));
    }

    /** The last changes do not arrive while the table is locked: others get it back, and it is tried again. */
    @Test
    void aLogThatIsLateUnderTheLock() throws Exception {
        fill("late", ROWS);
        AtomicInteger held = new AtomicInteger();
        try (SlowLog log = new SlowLog(server.endpoint())) {
            ReencodeListener listener = new ReencodeListener() {
                @Override
                public void progressed(Progress progress) {}

                @Override
                public void noticeIssued(String notice) {
                    if (notice.equals(EXCHANGING) && held.getAndIncrement() == 0) {
                        CountDownLatch released = log.hold();
                        CompletableFuture.runAsync(
                                released::countDown,
                                // longer than a lock is kept
                                CompletableFuture.delayedExecutor(
                                        ShadowCopy.MOST_LOCKED_NANOS * 3 / 2, TimeUnit.NANOSECONDS));
                        try {
                            session(
                                    "UPDATE shop.late SET amount = 78 WHERE id <= 50",
                                    "DELETE FROM shop.late WHERE id = 60");
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        }
                    }
                }
            };
            assertChanged(new Reencoding(
                    log.source(), cache, payload("late"), copying(100, Optional.empty()), "test", listener));
        }
        assertThat(held.get()).isOne();
        assertTwins(payload("late"));
    }

    /** Each is prepared until somebody ends it; the rows are in the log when it is prepared. */
    @Test
    void aPreparedTransactionIsWaitedFor() throws Exception {
        fill("prepared", ROWS);
        CompletableFuture<Void> committed = new CompletableFuture<>();
        String notice = "waiting with the exchange: there are transactions that are prepared and neither committed nor"
                + " rolled back (XA RECOVER): 'late'";
        assertChanged(copy(
                payload("prepared"),
                Map.of(
                        EXCHANGING,
                        () -> {
                            try (Connection connection = users.connect();
                                    Statement statement = connection.createStatement()) {
                                statement.execute("XA START 'late'");
                                statement.execute("UPDATE shop.prepared SET amount = 77 WHERE id IN (5, 6)");
                                statement.execute("DELETE FROM shop.prepared WHERE id = 9");
                                statement.execute("XA END 'late'");
                                statement.execute("XA PREPARE 'late'");
                            }
                            if (!isMariaDb()) { // LOCK TABLES waits for it
                                committed.completeAsync(() -> {
                                    commitWhenWaitedFor();
                                    return null;
                                });
                            }
                        },
                        notice,
                        () -> {
                            session("XA COMMIT 'late'");
                            committed.complete(null);
                        })));
        committed.join();
        assertTwins(payload("prepared"));
    }

    private void commitWhenWaitedFor() {
        try {
            while (!isAnyWaiting()) {
                Thread.onSpinWait();
            }
            session("XA COMMIT 'late'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** One that is prepared before the copy begins has its rows in front of the place from which the log is read. */
    @Test
    void aPreparedTransactionBeforeTheCopy() throws Exception {
        fill("prepared_before", ROWS);
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("XA START 'early'");
            statement.execute("UPDATE shop.prepared_before SET amount = 77 WHERE id IN (5, 6)");
            statement.execute("XA END 'early'");
            statement.execute("XA PREPARE 'early'");
        }
        assertThatThrownBy(() -> copy(payload("prepared_before"), Map.of()).change(Before.RAW, target()))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("(XA RECOVER): 'early'");
        session("XA COMMIT 'early'");
        assertChanged(copy(payload("prepared_before"), Map.of()));
        assertTwins(payload("prepared_before"));
    }

    /** Two rows exchange a UNIQUE value, and more rows than are dealt with at once are changed between them. */
    @ParameterizedTest
    @ValueSource(ints = {10, 3_000})
    void uniqueValuesThatAreExchanged(int between) throws Exception {
        String table = "swapped_" + between;
        users.execute("CREATE TABLE shop." + table + " (id INT PRIMARY KEY, payload MEDIUMBLOB, u INT UNIQUE, v INT)"
                + " ENGINE=InnoDB");
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < between + 100; i++) {
                statement.execute("INSERT INTO shop." + table + " VALUES (" + i + ", REPEAT('x', 200), " + i + ", 0)");
            }
            connection.commit();
        }
        assertHeld(payload(table), () -> {
            try (Connection connection = users.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("UPDATE shop." + table + " SET u = NULL WHERE id = 1");
                statement.execute("UPDATE shop." + table + " SET u = 1 WHERE id = " + (between + 50));
                statement.execute("UPDATE shop." + table + " SET v = v + 1 WHERE id BETWEEN 2 AND " + (between + 10));
                statement.execute("UPDATE shop." + table + " SET u = " + (between + 50) + " WHERE id = 1");
                connection.commit();
                statement.execute("UPDATE shop." + table + " SET u = NULL WHERE id = " + (between + 50));
                statement.execute("UPDATE shop." + table + " SET u = 1 WHERE id = 1");
                statement.execute(
                        "UPDATE shop." + table + " SET u = " + (between + 50) + " WHERE id = " + (between + 50));
                connection.commit();
            }
        });
    }

    /** The log is gone behind a copy that is stopped. The error names what to do, and it does not try for a minute. */
    @Test
    void theLogIsPurged() throws Exception {
        fill("purged", 3_000);
        TableColumn column = payload("purged");
        stopInTheMiddle(column);
        session("FLUSH BINARY LOGS", "UPDATE shop.purged SET amount = 11 WHERE id = 1", "FLUSH BINARY LOGS");
        String file = LogPlaceText.file(users);
        session("PURGE BINARY LOGS TO '" + file + "'");
        assertEndedAndTakenBack(column, "the server cannot send its log");
    }

    @Test
    void theLogIsReset() throws Exception {
        fill("reset", 3_000);
        TableColumn column = payload("reset");
        stopInTheMiddle(column);
        session(isMariaDb() ? "RESET MASTER" : "RESET BINARY LOGS AND GTIDS");
        // it grows past the former place
        session("UPDATE shop.reset SET amount = 11", "UPDATE shop.reset SET payload = REPEAT('y', 2000), amount = 12");
        assertEndedAndTakenBack(column, "");
    }

    /** The server of the address is another one, or its log was reset and has an event at the same place. */
    @ParameterizedTest
    @CsvSource({"another, 0, the copy was begun on another server", "'', 1, the log was reset: its file in"})
    void aCopyThatContinuesWithAnotherLogEnds(String server, long laterSeconds, String reason) throws Exception {
        String table = "moved_" + laterSeconds;
        fill(table, 3_000);
        TableColumn column = payload(table);
        stopInTheMiddle(column);
        String owner = users.single("SELECT owner FROM shop." + StateTable.NAME + " WHERE of_table = '" + table + "'");
        StateTable states = new StateTable(column, owner);
        try (Connection connection = users.connect()) {
            State state = states.read(connection).orElseThrow();
            LogPlace place = state.copy().orElseThrow().log().orElseThrow();
            states.write(
                    connection,
                    state.at(Optional.of(new LogPlace(
                            place.position(),
                            server.isEmpty() ? place.server() : server,
                            place.fileCreatedSeconds() + laterSeconds))));
        }
        assertEndedAndTakenBack(column, reason);
    }

    private void assertEndedAndTakenBack(TableColumn column, String reason) throws Exception {
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("--revert");
        assertNotExchanged(column.table());
        copy(column, Map.of()).revert();
        assertChanged(copy(column, Map.of()));
        assertTwins(column);
    }

    /** The log ends with a file in which nothing was written yet. */
    @Test
    void theLogIsRotatedAndEmpty() throws Exception {
        fill("rotated", 3_000);
        TableColumn column = payload("rotated");
        stopInTheMiddle(column);
        session("UPDATE shop.rotated SET amount = 11 WHERE id = 1", "FLUSH BINARY LOGS");
        assertChanged(copy(
                column,
                Map.of(
                        Copying.COMPARING,
                        () -> session("FLUSH BINARY LOGS"),
                        Copying.EXCHANGING,
                        () -> session("FLUSH BINARY LOGS"))));
        assertTwins(column);
    }

    /** A log that was reset has files of the same names; what was changed since is not in the one that was read. */
    @ParameterizedTest
    @ValueSource(strings = {Copying.COMPARING, Copying.EXCHANGING})
    void theLogIsResetWhileItIsRead(String step) throws Exception {
        String table = "reset_" + step;
        fill(table, ROWS);
        String reset = isMariaDb() ? "RESET MASTER TO " : "RESET BINARY LOGS AND GTIDS TO ";
        String file = LogPlaceText.file(users);
        String number = Integer.toString(Integer.parseInt(file.substring(file.lastIndexOf('.') + 1)));
        assertRefused(
                table,
                step,
                () -> session(
                        reset + number,
                        "UPDATE shop." + table + " SET payload = REPEAT('y', 900), amount = 11 WHERE id <= 100",
                        "UPDATE shop." + table + " SET note = 'after' WHERE id <= 300"));
    }

    /**
     * The server may go on sending the files that were removed, until they are at their end. The new file may be as
     * long as the one that was read; then only the time at which it was begun differs.
     */
    @Test
    void aFeedNoticesThatTheLogIsAnotherOne() throws Exception {
        TableColumn column = payload("fed");
        fill("fed", 10);
        users.execute("CREATE TABLE shop.filler (a INT) ENGINE=InnoDB", "FLUSH BINARY LOGS");
        try (Connection asking = users.connect()) {
            LogPlace begin = LogPlace.now(server.endpoint(), asking);
            TableKey key = TableKey.of(asking, column);
            FeedSession session = new SqlFeedSession(server.endpoint(), asking, column, key);
            try (LogFeed feed = LogFeed.open(
                    server.endpoint(),
                    CopyChecks.name(asking, column),
                    KeyColumns.reader(asking, column, key),
                    begin,
                    Optional.empty())) {
                session("UPDATE shop.fed SET amount = amount + 1");
                LogPosition was = LogPosition.parse(feed.end(session));
                while (!feed.hasReached(was.toString())) {
                    feed.poll(session, 100);
                }
                feed.requireCurrent(session);
                assertAnotherServerIsNoticed(feed, session);
                while (Long.parseLong(users.single("SELECT UNIX_TIMESTAMP()")) <= begin.fileCreatedSeconds()) {
                    Thread.onSpinWait();
                }
                int number = Integer.parseInt(was.file().substring(was.file().lastIndexOf('.') + 1));
                long filling = 1_000;
                reset(number, filling);
                while (!end().equals(was)) {
                    filling += was.offset() - end().offset();
                    reset(number, filling);
                }
                assertThat(feed.end(session)).isEqualTo(was.toString());
                assertThatThrownBy(() -> feed.requireCurrent(session))
                        .isInstanceOf(IncompleteLogException.class)
                        .hasMessageContaining("it is not the one that was read up to " + was);
                reset(number - 1, 0);
                assertThatThrownBy(() -> feed.requireCurrent(session)).isInstanceOf(IncompleteLogException.class);
                assertThatThrownBy(() -> feed.end(session))
                        .isInstanceOf(IncompleteLogException.class)
                        .hasMessageContaining("and was read up to " + was);
            }
        }
    }

    /** A connection may come to another server, behind a proxy; MySQL's identity cannot be changed. */
    private void assertAnotherServerIsNoticed(LogFeed feed, FeedSession session) throws SQLException {
        if (!isMariaDb()) {
            return;
        }
        String id = users.single("SELECT @@server_id");
        users.execute("SET GLOBAL server_id = " + id + "1");
        assertThatThrownBy(() -> feed.requireCurrent(session)).isInstanceOf(IncompleteLogException.class);
        users.execute("SET GLOBAL server_id = " + id);
        feed.requireCurrent(session);
    }

    /** @param number of the file with which the log begins again */
    private void reset(int number, long filling) throws SQLException {
        session(
                (isMariaDb() ? "RESET MASTER TO " : "RESET BINARY LOGS AND GTIDS TO ") + number,
                "ALTER TABLE shop.filler COMMENT '' /* " + "x".repeat((int) filling) + " */");
    }

    private LogPosition end() throws SQLException {
        try (Connection connection = users.connect()) {
            return LogPosition.parse(LogPlace.position(connection));
        }
    }

    /** Transactions of others that are prepared for a moment, one after the other. */
    @Test
    void preparedTransactionsOfOtherTablesComeAndGo() throws Exception {
        fill("steady", ROWS);
        users.execute("CREATE TABLE shop.jta (id INT PRIMARY KEY AUTO_INCREMENT, a INT) ENGINE=InnoDB");
        AtomicInteger number = new AtomicInteger();
        java.util.concurrent.atomic.AtomicBoolean isOver = new java.util.concurrent.atomic.AtomicBoolean();
        CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                String xid = "'jta" + number.incrementAndGet() + "'";
                try {
                    session(
                            "XA START " + xid,
                            "INSERT INTO shop.jta (a) VALUES (1)",
                            "XA END " + xid,
                            "XA PREPARE " + xid,
                            "SELECT SLEEP(0.02)",
                            "XA COMMIT " + xid);
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            }
        });
        try {
            assertHeld(payload("steady"), () -> session("UPDATE shop.steady SET amount = amount + 1 WHERE id % 5 = 0"));
        } finally {
            isOver.set(true);
            others.join();
        }
    }

    /** Triggers that have the names of ours, and are others'. */
    @Test
    void aTriggerOfOthersWithOurNameIsRefused() throws Exception {
        fill("named", ROWS);
        users.execute(
                "CREATE TRIGGER shop.named_blobmark_ti BEFORE INSERT ON shop.named FOR EACH ROW SET NEW.amount = 1");
        assertThatThrownBy(() -> copy(payload("named"), Map.of()).change(Before.RAW, target()))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("the trigger named_blobmark_ti would stay");
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_name = 'named_blobmark_ti'"))
                .isEqualTo("1");
        users.execute("DROP TRIGGER shop.named_blobmark_ti");
    }

    /** Names that differ only in letters outside of ASCII. */
    @Test
    void namesOfOtherLetters() throws Exception {
        fill("顧客", ROWS);
        users.execute("CREATE TABLE shop.注文 LIKE shop.顧客");
        assertHeld(payload("顧客"), () -> session("UPDATE shop.顧客 SET amount = amount + 1 WHERE id = 3"));
        fill("größe", ROWS);
        users.execute("CREATE TABLE shop.grüße LIKE shop.größe");
        assertThatThrownBy(() -> copy(payload("größe"), Map.of()).change(Before.RAW, target()))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("differs only in letters outside of ASCII");
        users.execute("DROP TABLE shop.grüße");
        assertChanged(copy(payload("größe"), Map.of()));
        assertTwins(payload("größe"));
    }

    /** After any end, the way back leaves nothing that is in the way of another copy. */
    @Test
    void aCopyThatEndedIsTakenBackAndBegunAgain() throws Exception {
        fill("again", ROWS);
        assertRefused("again", EXCHANGING, () -> session("ALTER TABLE shop.again ADD COLUMN more INT"));
        copy(payload("again"), Map.of()).revert();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'again\\_%'"))
                .isEqualTo("0");
        assertChanged(copy(payload("again"), Map.of()));
        assertTwins(payload("again"));
    }

    /** The former table's name is taken by another table of somebody; it is not dropped. */
    @Test
    void aForeignTableOfTheFormerName() throws Exception {
        fill("renamed", ROWS);
        assertChanged(copy(payload("renamed"), Map.of()));
        users.execute(
                "RENAME TABLE shop.renamed_blobmark_old TO shop.renamed_mine",
                "CREATE TABLE shop.renamed_blobmark_old LIKE shop.renamed_mine",
                "INSERT INTO shop.renamed_blobmark_old SELECT * FROM shop.renamed_mine");
        assertThatThrownBy(() -> copy(payload("renamed"), Map.of()).finish())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("it is not the table that the change made or exchanged");
        assertThat(rows("shop.renamed_blobmark_old")).isEqualTo(ROWS);
        users.execute(
                "DROP TABLE shop.renamed_blobmark_old", "RENAME TABLE shop.renamed_mine TO shop.renamed_blobmark_old");
        copy(payload("renamed"), Map.of()).finish();
        assertNotExchanged("renamed");
    }

    /** The new table is exchanged by somebody for another one while the copy is stopped; it is not dropped. */
    @Test
    void aForeignTableOfTheNewName() throws Exception {
        fill("taken", 3_000);
        TableColumn column = payload("taken");
        stopInTheMiddle(column);
        users.execute(
                "RENAME TABLE shop.taken_blobmark_new TO shop.taken_mine",
                "CREATE TABLE shop.taken_blobmark_new LIKE shop.taken_mine",
                "INSERT INTO shop.taken_blobmark_new SELECT * FROM shop.taken LIMIT 10");
        assertThatThrownBy(() -> copy(column, Map.of()).revert())
                .hasMessageContaining("it is not the table that the change made or exchanged");
        assertThat(rows("shop.taken_blobmark_new")).isEqualTo(10);
        users.execute("DROP TABLE shop.taken_blobmark_new", "RENAME TABLE shop.taken_mine TO shop.taken_blobmark_new");
        copy(column, Map.of()).revert();
        assertThat(rows("shop.taken_blobmark_new")).isZero();
    }

    /** Tables and triggers that have the names of ours are not dropped. */
    @Test
    void whatOthersMadeIsLeft() throws Exception {
        fill("owned", ROWS);
        users.execute("CREATE TABLE shop.owned_blobmark_keys (a INT)");
        assertThatThrownBy(() -> copy(payload("owned"), Map.of()).change(Before.RAW, target()))
                .hasMessageContaining("owned_blobmark_keys is in the way");
        users.execute("DROP TABLE shop.owned_blobmark_keys");
        assertChanged(copy(payload("owned"), Map.of()));
        // a copy by the log makes neither of these
        users.execute(
                "CREATE TABLE shop.owned_blobmark_keys (a INT)",
                "INSERT INTO shop.owned_blobmark_keys VALUES (1)",
                "CREATE TRIGGER shop.owned_blobmark_ti AFTER INSERT ON shop.owned FOR EACH ROW SET @a = 1");
        copy(payload("owned"), Map.of()).finish();
        assertNotExchanged("owned");
        assertThat(rows("shop.owned_blobmark_keys")).isOne();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_name ="
                        + " 'owned_blobmark_ti'"))
                .isEqualTo("1");
    }

    /** The same while a copy is stopped that is then taken back. */
    @Test
    void whatOthersMadeMeanwhileIsLeft() throws Exception {
        fill("own_stopped", 3_000);
        TableColumn column = payload("own_stopped");
        stopInTheMiddle(column);
        users.execute(
                "CREATE TABLE shop.own_stopped_blobmark_keys (a INT)",
                "INSERT INTO shop.own_stopped_blobmark_keys VALUES (1)");
        copy(column, Map.of()).revert();
        assertThat(rows("shop.own_stopped_blobmark_keys")).isOne();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name ="
                        + " 'own_stopped_blobmark_new'"))
                .isEqualTo("0");
    }

    /** A process is killed while it makes the new table; --revert takes that back, and the same command continues. */
    @ParameterizedTest
    @ValueSource(strings = {"ROW_FORMAT=DYNAMIC", "ROW_FORMAT=DYNAMIC, MODIFY COLUMN payload MEDIUMBLOB"})
    void aHalfMadeTableIsMadeAgain(String alteration) throws Exception {
        String table = "half" + alteration.length();
        fill(table, 3_000);
        users.execute("ALTER TABLE shop." + table + " ROW_FORMAT=COMPACT, MODIFY COLUMN payload TEXT");
        TableColumn column = payload(table);
        leaveHalfMade(column, alteration);
        copy(column, Map.of()).revert();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = '" + table
                        + "_blobmark_new'"))
                .isEqualTo("0");
        leaveHalfMade(column, alteration);
        users.execute("INSERT INTO shop." + table + "_blobmark_new (id) VALUES (1)");
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                .hasMessageContaining("it is not the table that the change made");
        users.execute("DELETE FROM shop." + table + "_blobmark_new");
        assertChanged(copy(column, Map.of()));
    }

    /** It has the definition that the former table had when it was made. */
    @Test
    void aHalfMadeTableOfAnAlteredOneIsTakenBack() throws Exception {
        fill("half_altered", 3_000);
        TableColumn column = payload("half_altered");
        leaveHalfMade(column, "ROW_FORMAT=DYNAMIC");
        users.execute("ALTER TABLE shop.half_altered ADD COLUMN more INT, MODIFY COLUMN payload LONGTEXT");
        copy(column, Map.of()).revert();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name ="
                        + " 'half_altered_blobmark_new'"))
                .isEqualTo("0");
        leaveHalfMade(column, "ADD KEY of_others (amount)");
        assertThatThrownBy(() -> copy(column, Map.of()).revert())
                .hasMessageContaining("it is not the table that the change made");
        assertThat(rows("shop.half_altered_blobmark_new")).isZero();
        users.execute("ALTER TABLE shop.half_altered_blobmark_new DROP KEY of_others");
        copy(column, Map.of()).revert();
    }

    private void leaveHalfMade(TableColumn column, String alteration) throws Exception {
        Path pause = Files.createTempFile("reencode", "pause");
        Reencoding[] copy = new Reencoding[1];
        copy[0] = copy(column, copying(100, Optional.of(pause)), Map.of(PAUSED, () -> copy[0].interrupt()));
        assertThat(copy[0].change(Before.RAW, target()).isComplete()).isFalse();
        Files.delete(pause);
        String fresh = "shop." + column.table() + "_blobmark_new";
        users.execute(
                "DROP TABLE " + fresh,
                "CREATE TABLE " + fresh + " LIKE shop." + column.table(),
                "ALTER TABLE " + fresh + " " + alteration);
        String owner = users.single("SELECT owner FROM shop." + StateTable.NAME + " WHERE of_table = '" + column.table()
                + "' AND of_column = 'payload'");
        StateTable states = new StateTable(column, owner);
        try (Connection connection = users.connect()) {
            State made = states.read(connection).orElseThrow();
            String ddl = made.copy().orElseThrow().ddl();
            states.write(connection, made.with(State.Copy.PLANNED.withDdl(ddl)));
        }
    }

    /** Of a table that somebody has made. */
    @Test
    void theNameOfTheFormerTableIsTaken() throws Exception {
        fill("occupied", ROWS);
        assertThatThrownBy(() -> copy(
                                payload("occupied"),
                                Map.of(EXCHANGING, () -> session("CREATE TABLE shop.occupied_blobmark_old (a INT)")))
                        .change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining("the table occupied_blobmark_old was made by somebody else");
        assertThat(rows("shop.occupied")).isEqualTo(ROWS);
        users.execute("INSERT INTO shop.occupied_blobmark_old VALUES (1)");
    }

    /** It stays the same table for InnoDB, but does not have the definition of the former one. */
    @Test
    void theNewTableIsAltered() throws Exception {
        fill("redefined", ROWS);
        assertThatThrownBy(() -> copy(
                                payload("redefined"),
                                Map.of(
                                        EXCHANGING,
                                        () -> session(
                                                "ALTER TABLE shop.redefined_blobmark_new ALTER amount SET DEFAULT 5")))
                        .change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining("the new table is not as the former one");
        assertNotExchanged("redefined");
    }

    /** Somebody writes into the new table. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, "paused"})
    void theNewTableIsChanged(String step) throws Exception {
        String table = "written_" + step;
        fill(table, 3_000);
        TableColumn column = payload(table);
        String sql = "UPDATE shop." + table + "_blobmark_new SET amount = 1 WHERE id = 1";
        if (step.equals(COMPARING)) {
            assertRefused(table, step, () -> session(sql));
        } else {
            stopInTheMiddle(column);
            session(sql);
            assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                    .isInstanceOf(CopyEndedException.class);
            assertNotExchanged(table);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RENAME TABLE shop.gone TO shop.gone_2",
                "DROP TABLE shop.gone",
                "CREATE TABLE shop.gone_2 LIKE shop.gone; INSERT INTO shop.gone_2 SELECT * FROM shop.gone; RENAME TABLE shop.gone TO"
                        + " shop.gone_3, shop.gone_2 TO shop.gone",
                "DROP TABLE shop.gone_blobmark_new",
                "TRUNCATE TABLE shop.gone_blobmark_new",
                "CREATE TABLE shop.gone_2 LIKE shop.gone_blobmark_new; DROP TABLE shop.gone_blobmark_new; RENAME TABLE"
                        + " shop.gone_2 TO shop.gone_blobmark_new",
                "OPTIMIZE TABLE shop.gone",
                "ALTER TABLE shop.gone COMMENT 'another'"
            })
    void theTableIsRenamedDroppedOrMadeAgain(String statements) throws Exception {
        String table = "gone" + Integer.toHexString(statements.hashCode());
        fill(table, ROWS);
        AtomicInteger times = new AtomicInteger();
        assertThatThrownBy(() -> copy(payload(table), Map.of(EXCHANGING, () -> {
                            session(statements.replace("gone", table).split("; "));
                            times.incrementAndGet();
                        }))
                        .change(Before.RAW, target()))
                .isInstanceOfAny(ReencodeException.class, SQLException.class);
        assertThat(times.get()).isOne();
        assertNotExchanged(table);
    }
}
