package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.terms.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies in situations in which other tools have lost, doubled or changed rows: docs/reencode-ledger.md. A test changes
 * the table at a step of the copy, on the thread of the copy. Afterwards, the former table is what everybody committed,
 * and the new one must hold the same; or the copy was refused, and nothing was exchanged.
 */
abstract class LedgerContract extends StepsOfCopy {

    /** Lets a commit wait after it was sent to readers of the log, before others see its rows. */
    abstract List<String> delayedCommits();

    abstract List<String> usualCommits();

    // where the copy begins

    /** gh-ost 1030: a transaction that was begun before the copy, and is committed while it runs. */
    @Test
    void aTransactionThatBeganBeforeTheCopyIsInTheNewTable() throws Exception {
        fill("begun_before", ROWS);
        TableColumn column = payload("begun_before");
        try (Connection holder = users.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.executeUpdate("UPDATE shop.begun_before SET amount = 11, payload = 'new' WHERE id IN (1, 300)");
            statement.executeUpdate(
                    "INSERT INTO shop.begun_before VALUES (0, 'first', 1, 'a'), (9999, 'last', 1, 'b')");
            statement.executeUpdate("DELETE FROM shop.begun_before WHERE id = 2");
            Future<Outcome> running = started(copy(column, Map.of()));
            // by triggers, the first of them waits for the transaction
            await(running, () -> isByLog() ? rows(ShadowTable.fresh(column)) > 0 : isAnyWaiting());
            holder.commit();
            assertThat(running.get().isComplete()).isTrue();
        }
        assertTwins(column);
    }

    /** gh-ost 1142: what is rolled back never was. */
    @Test
    void whatWasRolledBackIsNotInTheNewTable() throws Exception {
        fill("rolled_back", ROWS);
        assertHeld(payload("rolled_back"), () -> {
            try (Connection connection = users.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.executeUpdate("DELETE FROM shop.rolled_back WHERE id < 100");
                connection.rollback();
                statement.executeUpdate("UPDATE shop.rolled_back SET amount = amount + 1 WHERE id = 7");
                statement.execute("SAVEPOINT a");
                statement.executeUpdate("UPDATE shop.rolled_back SET amount = 1000 WHERE id = 8");
                statement.executeUpdate("DELETE FROM shop.rolled_back WHERE id = 9");
                statement.execute("ROLLBACK TO SAVEPOINT a");
                statement.executeUpdate("UPDATE shop.rolled_back SET note = 'kept' WHERE id = 10");
                connection.commit();
            }
        });
    }

    // the log, before its rows are visible

    /**
     * spirit 746, 820 and 1080, gh-ost 1030: a change is in the log, but its transaction is not committed in the engine
     * yet, so its row is still read as it was.
     */
    @Test
    void aChangeThatIsInTheLogBeforeItIsVisible() throws Exception {
        Assumptions.assumeTrue(isByLog(), "there is no log");
        fill("unseen", ROWS);
        TableColumn column = payload("unseen");
        Path pauseFile = cache.resolve("unseen");
        List<FutureTask<Void>> commits = new ArrayList<>();
        try {
            assertChanged(copy(
                    column,
                    copying(100, Optional.of(pauseFile)),
                    Map.of(
                            COMPARING,
                            () -> Files.createFile(pauseFile),
                            PAUSED, // both tables are compared as they were before this
                            () -> {
                                users.execute(delayedCommits().toArray(String[]::new));
                                do {
                                    commits.add(logged("unseen", commits.size() + 1));
                                } while (isVisible(commits.size()));
                                Files.delete(pauseFile);
                            })));
        } finally {
            users.execute(usualCommits().toArray(String[]::new));
        }
        for (FutureTask<Void> commit : commits) {
            commit.get();
        }
        assertThat(commits).isNotEmpty();
        assertTwins(column);
    }

    /** gh-ost 1030: the log that is read begins behind such a change, and the first read does not see it. */
    @Test
    void aCopyThatBeginsBeforeACommitIsVisible() throws Exception {
        Assumptions.assumeTrue(isByLog(), "there is no log");
        fill("unseen_first", ROWS);
        TableColumn column = payload("unseen_first");
        List<FutureTask<Void>> commits = new ArrayList<>();
        try {
            users.execute(delayedCommits().toArray(String[]::new));
            commits.add(logged("unseen_first", 1));
            assertChanged(copy(
                    column, Map.of(COMPARING, () -> users.execute(usualCommits().toArray(String[]::new)))));
        } finally {
            users.execute(usualCommits().toArray(String[]::new));
        }
        commits.get(0).get();
        assertTwins(column);
    }

    /** Changes a row, and returns when the log has that; whether others see it is not known. */
    private FutureTask<Void> logged(String table, int id) throws Exception {
        try (Connection asking = users.connect()) {
            String before = LogPlace.position(asking);
            FutureTask<Void> commit = new FutureTask<>(() -> {
                users.execute("UPDATE shop." + table + " SET amount = 99, payload = 'new' WHERE id = " + id);
                return null;
            });
            new Thread(commit, "commit").start();
            long begin = System.nanoTime();
            while (LogPlace.position(asking).equals(before) && System.nanoTime() - begin < PATIENCE_NANOS) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            return commit;
        }
    }

    private boolean isVisible(int id) throws SQLException {
        return users.single("SELECT amount FROM shop.unseen WHERE id = " + id).equals("99");
    }

    // continued from where it was

    /** gh-ost 519, spirit 151 and 417: rows that move, come and go on both sides of the position. */
    @Test
    void whatHappensWhileItIsStoppedIsInTheNewTable() throws Exception {
        fill("paused", ROWS);
        TableColumn column = payload("paused");
        stopInTheMiddle(column);
        users.execute(
                "UPDATE shop.paused SET id = 5001 WHERE id = 1", // over the position
                "UPDATE shop.paused SET id = -7 WHERE id = 600", // back
                "UPDATE shop.paused SET id = 5000 WHERE id = 2",
                "UPDATE shop.paused SET id = 2 WHERE id = 599",
                "UPDATE shop.paused SET id = 599 WHERE id = 5000", // two have exchanged their keys
                "DELETE FROM shop.paused WHERE id IN (3, 598)",
                "INSERT INTO shop.paused VALUES (3, 'again', 3, 'c'), (-8, 'before all', 1, 'd'), (7000, 'last', 1, 'e')",
                "DELETE FROM shop.paused WHERE id IN (-8, 7000)", // never seen by the reader
                "UPDATE shop.paused SET payload = 'near', amount = 77 WHERE id IN (4, 597)",
                "DELETE FROM shop.paused WHERE id = 5");
        assertChanged(copy(column, Map.of()));
        assertTwins(column);
    }

    /** LHM 126 and 149, and keys at the ends of their types. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | BIGINT | ''",
                "one | INT | 7",
                "zero | INT | 0",
                "two | INT | 7, 9",
                "ends | BIGINT | -9223372036854775808, -1, 0, 9223372036854775807",
                "great | BIGINT UNSIGNED | 0, 9223372036854775807, 9223372036854775808, 18446744073709551615",
                "tiny | TINYINT UNSIGNED | 0, 127, 128, 255",
                "middle | MEDIUMINT UNSIGNED | 0, 8388607, 8388608, 16777215",
                "exact | DECIMAL(30, 10) | -12345678901234567890.5, 0, 0.0000000001, 12345678901234567890.1234567891",
            })
    void tablesOfFewRows(String name, String type, String keys) throws Exception {
        users.execute("CREATE TABLE shop.few_" + name + " (id " + type
                + " PRIMARY KEY, payload MEDIUMBLOB, amount INT NOT NULL DEFAULT 0) ENGINE=InnoDB");
        for (String key : keys.isEmpty() ? new String[0] : keys.split(", ")) {
            users.execute("INSERT INTO shop.few_" + name + " VALUES (" + key + ", 'the value of " + key + "', 1)");
        }
        assertHeld(
                payload("few_" + name),
                () -> users.execute(
                        "UPDATE shop.few_" + name + " SET amount = amount + 1, payload = CONCAT(payload, ' changed')",
                        "INSERT IGNORE INTO shop.few_" + name + " VALUES (42, 'new', 1)"));
    }

    // what others execute

    @Test
    void statementsOfAllKinds() throws Exception {
        fill("statements", ROWS);
        users.execute(
                "CREATE TABLE shop.joined (id INT PRIMARY KEY, payload MEDIUMBLOB, amount INT, note VARCHAR(40))",
                "INSERT INTO shop.joined VALUES (1, 'x', 1, 'one'), (2, 'y', 2, 'two'), (3, 'z', 3, 'three'),"
                        + " (4, 'z', 4, 'four')",
                "CREATE PROCEDURE shop.change_rows(IN first INT) BEGIN UPDATE shop.statements SET note = 'by a procedure'"
                        + " WHERE id BETWEEN first AND first + 3; DELETE FROM shop.statements WHERE id = first + 4; END");
        AtomicInteger times = new AtomicInteger();
        assertHeld(payload("statements"), () -> {
            int first = 100 * times.incrementAndGet();
            users.execute(
                    "USE shop", // an alias in a DELETE belongs to the default schema
                    "UPDATE shop.statements s JOIN shop.joined j ON s.id = j.id SET s.note = j.note, j.note = 'changed'",
                    "DELETE s, j FROM shop.statements s JOIN shop.joined j ON s.id = j.id WHERE j.id = 2",
                    "REPLACE INTO shop.statements VALUES (" + first + ", 'replaced', 5, 'r'), (" + (9000 + first)
                            + ", 'new', 6, 's')",
                    "INSERT INTO shop.statements VALUES (" + (first + 1) + ", 'x', 7, 't'), (" + (9001 + first)
                            + ", 'x', 8, 'u') ON DUPLICATE KEY UPDATE amount = amount + 1, note = 'again'",
                    "INSERT IGNORE INTO shop.statements VALUES (" + (first + 2) + ", 'lost', 9, 'v'), ("
                            + (9002 + first) + ", 'kept', 10, 'w')",
                    "INSERT INTO shop.statements SELECT id + " + (20000 + first)
                            + ", payload, amount, note FROM shop.statements WHERE id BETWEEN 300 AND 310",
                    "UPDATE shop.statements SET amount = amount + 1 ORDER BY id DESC LIMIT 5",
                    "DELETE FROM shop.statements WHERE id > 50 ORDER BY id LIMIT 3",
                    "CALL shop.change_rows(" + (first + 10) + ")",
                    "PREPARE s FROM 'UPDATE shop.statements SET amount = ? WHERE id = 400'",
                    "CREATE TEMPORARY TABLE shop.passing SELECT * FROM shop.statements LIMIT 5",
                    "SET @row = 0",
                    "UPDATE shop.statements SET note = CONCAT(UUID(), @row := @row + 1) WHERE id BETWEEN 500 AND 505");
        });
    }

    /** MariaDB inserts in bulk into empty tables then, also into one that a trigger writes to. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void aSessionWithoutChecksLosesNothing(String step) throws Exception {
        String table = "unchecked_" + step;
        fill(table, ROWS);
        users.execute("CREATE TABLE shop.next_to_" + table + " (id INT PRIMARY KEY) ENGINE=InnoDB");
        assertChanged(copy(
                payload(table),
                Map.of(
                        step,
                        () -> users.execute(
                                "SET unique_checks = 0, foreign_key_checks = 0",
                                "START TRANSACTION",
                                "INSERT INTO shop.next_to_" + table + " VALUES (1)",
                                "REPLACE INTO shop." + table
                                        + " VALUES (5000, 'new', 1, 'a'), (3, 'changed', 1, 'b'), (5001, 'new', 1, 'c')",
                                "COMMIT"))));
        assertThat(users.single("SELECT COUNT(*) FROM shop.next_to_" + table)).isEqualTo("1");
        assertThat(users.single(
                        "SELECT GROUP_CONCAT(id ORDER BY id) FROM shop." + table + " WHERE note IN ('a', 'b', 'c')"))
                .isEqualTo("3,5000,5001");
        assertTwins(payload(table));
    }

    /** All rows are deleted one by one: the log has them, unlike those of TRUNCATE. */
    @Test
    void allRowsAreDeletedAndOthersInserted() throws Exception {
        fill("emptied", ROWS);
        assertHeld(
                payload("emptied"),
                () -> users.execute(
                        "DELETE FROM shop.emptied", "INSERT INTO shop.emptied VALUES (1, 'again', 1, 'a')"));
    }

    @Test
    void aTransactionOfMoreKeysThanAreReadAhead() throws Exception {
        fill("large_transaction", MANY_ROWS);
        assertHeld(
                payload("large_transaction"),
                () -> users.execute("UPDATE shop.large_transaction SET amount = amount + 1"));
    }

    /** Maxwell 546: the rows of another table are not taken for ours. */
    @Test
    void theSameNameInAnotherSchema() throws Exception {
        fill("twice", ROWS);
        users.execute("CREATE DATABASE other", "CREATE TABLE other.twice LIKE shop.twice");
        users.execute("INSERT INTO other.twice SELECT * FROM shop.twice");
        assertHeld(
                payload("twice"),
                () -> users.execute(
                        "USE other",
                        "UPDATE other.twice o JOIN shop.twice s ON o.id = s.id SET o.amount = 1, s.amount = s.amount + 1"
                                + " WHERE s.id BETWEEN 10 AND 20",
                        "DELETE FROM other.twice WHERE id = 30",
                        "DELETE other.twice, shop.twice FROM other.twice JOIN shop.twice ON other.twice.id = shop.twice.id"
                                + " WHERE shop.twice.id BETWEEN 40 AND 42",
                        "UPDATE twice SET note = 'not ours' WHERE id < 100"));
    }

    // keys

    /** gh-ost 654 and 909: bytes at the end that are zero, and bytes that are no text. */
    @Test
    void keysOfBytes() throws Exception {
        users.execute(
                "CREATE TABLE shop.bytes_fixed (id BINARY(16) PRIMARY KEY, payload MEDIUMBLOB, amount INT)",
                "CREATE TABLE shop.bytes_varying (id VARBINARY(16) PRIMARY KEY, payload MEDIUMBLOB, amount INT)");
        List<String> keys = List.of(
                "''",
                "X'00'",
                "X'0000'",
                "X'81'",
                "X'C3'",
                "X'EFBFBD'",
                "X'FF00FF00'",
                "X'5C27'",
                "X'31323334353637383930313233340000'",
                "X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'");
        for (String table : List.of("bytes_fixed", "bytes_varying")) {
            for (String key : keys) {
                users.execute("INSERT IGNORE INTO shop." + table + " VALUES (" + key + ", " + key + ", 1)");
            }
            assertHeld(
                    payload(table),
                    () -> users.execute(
                            "UPDATE shop." + table + " SET amount = amount + 1",
                            "DELETE FROM shop." + table + " WHERE id = X'C3' OR id = CAST(X'C3' AS BINARY(16))",
                            "UPDATE shop." + table + " SET id = X'C3A900' WHERE id LIKE CONCAT(X'81', '%')"));
        }
    }

    /** Vitess 8743: padded text, and text that a statement must quote. */
    @ParameterizedTest
    @ValueSource(strings = {"CHAR(20)", "VARCHAR(20)"})
    void keysOfText(String type) throws Exception {
        String table = type.startsWith("CHAR") ? "text_fixed" : "text_varying";
        users.execute("CREATE TABLE shop." + table + " (id " + type
                + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, payload MEDIUMBLOB, amount INT)");
        for (String key :
                List.of("", "ja", "it''s", "back\\\\slash", "größe", "é", "\uD83D\uDE00", "%", "A", "a", "0x41")) {
            users.execute("INSERT INTO shop." + table + " VALUES ('" + key + "', 'value', 1)");
        }
        assertHeld(
                payload(table),
                () -> users.execute(
                        "UPDATE shop." + table + " SET amount = amount + 1",
                        "UPDATE shop." + table + " SET id = CONCAT('new ', id) WHERE id IN ('a', 'it''s')",
                        "DELETE FROM shop." + table + " WHERE id = '%'"));
    }

    /** percona-toolkit 1613915: many rows have the same first part of the key. */
    @Test
    void compositeKeysWhoseFirstPartIsRepeated() throws Exception {
        users.execute(
                "CREATE TABLE shop.composite (org VARCHAR(20) NOT NULL, day INT NOT NULL, id INT NOT NULL, payload"
                        + " MEDIUMBLOB, amount INT, PRIMARY KEY (org, day, id)) ENGINE=InnoDB");
        try (Connection connection = users.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO shop.composite VALUES (?, ?, ?, ?, 1)")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < ROWS; i++) {
                insert.setString(1, i % 7 == 0 ? "b" : "a");
                insert.setInt(2, i % 3);
                insert.setInt(3, i);
                insert.setBytes(4, json(i));
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        }
        TableColumn column = payload("composite");
        stopInTheMiddle(column);
        users.execute(
                "UPDATE shop.composite SET day = 9 - day WHERE id % 10 = 1",
                "UPDATE shop.composite SET org = IF(org = 'a', 'b', 'a') WHERE id % 10 = 2",
                "DELETE FROM shop.composite WHERE id % 10 = 3");
        assertHeld(column, () -> users.execute("UPDATE shop.composite SET amount = amount + 1 WHERE id % 10 = 4"));
    }

    // columns that are copied as they are

    /** gh-ost 161, 466 and 1176, Vitess 6845: sessions in other time zones, and times that exist twice in some. */
    @Test
    void timesStayTheSameInEveryTimeZone() throws Exception {
        String zone = users.single("SELECT @@GLOBAL.time_zone");
        users.execute(
                "SET GLOBAL time_zone = '+08:00'",
                "CREATE TABLE shop.times (id INT PRIMARY KEY, payload MEDIUMBLOB, seen TIMESTAMP NULL, exact TIMESTAMP(6)"
                        + " NULL, due DATETIME(3), day DATE, updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON"
                        + " UPDATE CURRENT_TIMESTAMP(6)) ENGINE=InnoDB",
                "SET time_zone = '-05:00'",
                "INSERT INTO shop.times (id, payload, seen, exact, due, day) VALUES (1, 'a', '1970-01-01 00:00:01',"
                        + " '2026-10-25 00:30:00.000001', '2026-10-25 02:30:00.5', '2026-10-25'), (2, 'b', '2026-10-25"
                        + " 01:30:00', '2038-01-18 22:14:07.999999', '9999-12-31 23:59:59.999', '1000-01-01'), (3, 'c',"
                        + " NULL, NULL, NULL, NULL)");
        try {
            assertHeld(
                    payload("times"),
                    () -> users.execute(
                            "SET time_zone = '+12:45'",
                            "UPDATE shop.times SET payload = CONCAT(payload, 'x') WHERE id < 3",
                            "SET time_zone = '-11:00'",
                            "REPLACE INTO shop.times (id, payload, seen, exact, due) VALUES (4, 'd', '2026-03-29 02:30:00',"
                                    + " '2026-03-29 02:30:00.25', '2026-03-29 02:30:00')"));
        } finally {
            users.execute("SET GLOBAL time_zone = '" + zone + "'");
        }
    }

    /** gh-ost 486, Ghostferry 147, spirit 842: nothing is converted on its way. */
    @Test
    void columnsOfAllTypesStayTheSame() throws Exception {
        users.execute(
                "CREATE TABLE shop.types (id INT PRIMARY KEY, payload MEDIUMBLOB, f FLOAT, d DOUBLE, n DECIMAL(65, 30), b"
                        + " BIT(64), e ENUM('a', 'it''s', 'größe'), s SET('x', 'y', 'z'), y YEAR, t TIME(6), fixed"
                        + " BINARY(8), vary VARBINARY(8), c CHAR(8), old VARCHAR(20) CHARACTER SET latin1, wide TEXT"
                        + " CHARACTER SET ucs2, place POINT, doc JSON, big BIGINT UNSIGNED, bytes LONGBLOB, tiny TINYINT(1))"
                        + " ENGINE=InnoDB",
                "INSERT INTO shop.types VALUES (1, 'a', 1.1, 1e-300, 0.000000000000000000000000000001, b'1', 'it''s',"
                        + " 'x,z', 2026, '-838:59:59', X'0100', X'00FF00', 'pad  ', CONVERT(X'81' USING latin1), 'größe',"
                        + " ST_GeomFromText('POINT(1.1 2.2)'), '{\"b\": 1.0, \"a\": [0, 1e10, 12345678901234567890, null]}',"
                        + " 18446744073709551615, X'00010203FF', 1)",
                "INSERT INTO shop.types (id, payload, f, d, b, e, s) VALUES (2, 'b', 16777216.5, 0.1, b'1111', 'größe', '')",
                "INSERT INTO shop.types (id, payload) VALUES (3, NULL)");
        assertHeld(
                payload("types"),
                () -> users.execute(
                        "UPDATE shop.types SET tiny = IFNULL(tiny, 0) + 1",
                        "UPDATE shop.types SET f = f * 1.1, d = d * 1.1, fixed = X'0200', doc = JSON_SET(doc, '$.c', 2.0)"
                                + " WHERE id = 1",
                        "REPLACE INTO shop.types (id, payload, f, doc, old) SELECT 4, payload, 0.1, doc, old FROM shop.types"
                                + " WHERE id = 1"));
    }

    /** gh-ost 138 and 808: computed columns are computed again, and hidden ones are copied. */
    @Test
    void generatedAndInvisibleColumnsStayTheSame() throws Exception {
        users.execute(
                "CREATE TABLE shop.computed (id INT PRIMARY KEY, payload MEDIUMBLOB, amount INT, twice INT AS (amount * 2)"
                        + " STORED, thrice INT AS (amount * 3) VIRTUAL, sum INT AS (twice + thrice) VIRTUAL, hidden INT"
                        + " INVISIBLE DEFAULT 5, made VARCHAR(40) DEFAULT (UUID()), label VARCHAR(60) AS (CONCAT('n', amount))"
                        + " STORED, KEY by_sum (sum), UNIQUE KEY by_label (label)) ENGINE=InnoDB",
                "INSERT INTO shop.computed (id, payload, amount, hidden) VALUES (1, 'a', 1, 11), (2, 'b', 2, NULL), (3,"
                        + " 'c', NULL, 13)");
        AtomicInteger times = new AtomicInteger(100);
        assertHeld(
                payload("computed"),
                () -> users.execute(
                        "UPDATE shop.computed SET amount = amount + 10, hidden = hidden + 1",
                        "INSERT INTO shop.computed (id, payload, amount) VALUES (" + times.incrementAndGet() + ", 'd', "
                                + times.get() + ")"));
        assertThat(users.single("SELECT COUNT(*) FROM shop.computed WHERE NOT sum <=> amount * 5"))
                .isEqualTo("0");
    }

    /** gh-ost 711: values that the sql_mode of the copy would not accept. */
    @Test
    void valuesOfAnotherSqlModeStayTheSame() throws Exception {
        users.execute(
                "CREATE TABLE shop.modes (id INT PRIMARY KEY, payload MEDIUMBLOB, e ENUM('a', 'b') NOT NULL, day DATE,"
                        + " due DATETIME) ENGINE=InnoDB",
                "SET sql_mode = 'ALLOW_INVALID_DATES'",
                "INSERT INTO shop.modes VALUES (1, 'x', 'c', '2026-02-31', '2026-04-31 01:00:00'), (2, 'y', 'a',"
                        + " '2026-00-00', '2026-01-00 00:00:00'), (3, 'z', 'b', '0000-00-00', '0000-00-00 00:00:00')");
        assertHeld(
                payload("modes"),
                () -> users.execute(
                        "SET sql_mode = 'ALLOW_INVALID_DATES'",
                        "UPDATE shop.modes SET payload = CONCAT(payload, 'x')"));
    }

    /** Vitess 7640, spirit 842: a document becomes the text that the server makes of it, whoever changes it. */
    @Test
    void documentsBecomeTheirText() throws Exception {
        users.execute(
                "CREATE TABLE shop.documents (id INT PRIMARY KEY, payload JSON, amount INT) ENGINE=InnoDB",
                "INSERT INTO shop.documents VALUES (1, '{\"b\": 1.0, \"a\": [0, 1e10, 12345678901234567890, -0.0, null]}', 1),"
                        + " (2, 'null', 1), (3, NULL, 1), (4, '\"größe \\\\u00e9\"', 1), (5, JSON_OBJECT('t', '2026-01-01'), 1)");
        assertHeld(
                payload("documents"),
                () -> users.execute(
                        "UPDATE shop.documents SET amount = amount + 1",
                        "UPDATE shop.documents SET payload = JSON_SET(payload, '$.c', 2.50) WHERE id IN (1, 5)",
                        "REPLACE INTO shop.documents SELECT 6, payload, 1 FROM shop.documents WHERE id = 1"));
    }

    /** gh-ost 290, 1157, 1438 and 1568: text of the column's character set, whoever writes it. */
    @ParameterizedTest
    @ValueSource(strings = {"utf8mb4", "utf8mb3", "latin1", "ucs2", "utf16", "gbk", "sjis", "cp1251"})
    void textOfAnyCharacterSet(String charset) throws Exception {
        String table = "charset_" + charset;
        users.execute(
                "CREATE TABLE shop." + table + " (id INT PRIMARY KEY, payload TEXT CHARACTER SET " + charset
                        + ", note VARCHAR(100) CHARACTER SET " + charset + ") ENGINE=InnoDB",
                "INSERT INTO shop." + table + " VALUES (1, REPEAT('abc ', 100), 'abc'), (2, '', ''), (3, NULL, NULL)",
                "SET sql_mode = ''",
                "INSERT INTO shop." + table + " VALUES (4, 'größe é \u042F \u5A01', 'größe é \u042F \u5A01')");
        assertHeld(
                payload(table),
                () -> users.execute(
                        "SET sql_mode = ''",
                        "UPDATE shop." + table + " SET payload = CONCAT(payload, payload), note = 'ß \u042F \u5A01'",
                        "REPLACE INTO shop." + table + " VALUES (6, _latin1 X'E9DF81', _latin1 X'E9')",
                        "REPLACE INTO shop." + table + " VALUES (5, X'61', X'62')"));
    }

    /** gh-ost 509 and 550: a row that takes several packets of the protocol, of 16 MB each. */
    @Test
    void aRowOfSeveralPackets() throws Exception {
        users.execute("CREATE TABLE shop.huge (id INT PRIMARY KEY, payload LONGBLOB, amount INT) ENGINE=InnoDB");
        users.insert("shop.huge", 1, noise(20 << 20, 1));
        users.insert("shop.huge", 2, json(2));
        TableColumn column = payload("huge");
        AtomicInteger seed = new AtomicInteger(10);
        assertHeld(column, () -> {
            try (Connection connection = users.connect();
                    PreparedStatement replace =
                            connection.prepareStatement("REPLACE INTO shop.huge VALUES (?, ?, 1)")) {
                replace.setInt(1, seed.incrementAndGet());
                replace.setBytes(2, noise((16 << 20) + seed.get(), seed.get()));
                replace.executeUpdate();
            }
            users.execute("UPDATE shop.huge SET amount = 2 WHERE id = 1");
        });
    }

    // names

    @Test
    void namesThatMustBeQuoted() throws Exception {
        String schema = "sh`op ä%";
        String table = "or`ders - größe";
        users.execute(
                "CREATE DATABASE " + Names.quoted(schema),
                "CREATE TABLE " + Names.quoted(schema, table)
                        + " (`key` INT, `i``d \"1\"` INT, `pay'load` MEDIUMBLOB, `it's` INT, `#` VARCHAR(20) COMMENT 'a ''b'''"
                        + ", PRIMARY KEY (`i``d \"1\"`, `key`)) ENGINE=InnoDB COMMENT='payload'",
                "INSERT INTO " + Names.quoted(schema, table) + " VALUES (1, 1, 'a', 1, '#'), (1, 2, 'b', 2, NULL)");
        TableColumn column = TableColumn.of(schema, table, "pay'load");
        assertHeld(
                column,
                () -> users.execute(
                        "UPDATE " + Names.quoted(schema, table) + " SET `it's` = `it's` + 1, `pay'load` = 'changed'"));
    }

    /** gh-ost 930: names that are written in another case than the table has. */
    @Test
    void namesInAnotherCase() throws Exception {
        users.execute(
                "CREATE TABLE shop.Cased (ID INT PRIMARY KEY, PayLoad MEDIUMBLOB, Amount INT) ENGINE=InnoDB",
                "INSERT INTO shop.Cased VALUES (1, 'a', 1), (2, 'b', 2)");
        assertChanged(copy(
                TableColumn.named("shop.Cased.payload"),
                Map.of(
                        EXCHANGING,
                        () -> users.execute("UPDATE shop.Cased SET AMOUNT = 5, payload = 'new' WHERE id = 1"))));
        assertTwins(TableColumn.named("shop.Cased.PayLoad"));
    }

    @Test
    void theLongestName() throws Exception {
        String table = "t" + "x".repeat(63);
        fill(table, 2);
        assertHeld(payload(table), () -> users.execute("UPDATE shop." + table + " SET amount = amount + 1"));
    }

    /** The names of its other tables would come before its own, and be locked before it. */
    @Test
    void aLongNameThatCannotBeExtendedIsRefused() throws Exception {
        String table = "t" + "ä".repeat(63);
        fill(table, 2);
        assertThatThrownBy(() -> copy(payload(table), Map.of()).change(Before.RAW, target()))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("with letters beyond ASCII, is too long for the names of a copy");
    }

    // the same command again

    /** A copy continues by triggers, though the log has all rows now. */
    @Test
    void aCopyByTriggersGoesOnWhenTheLogIsComplete() throws Exception {
        Assumptions.assumeTrue(isByLog(), "there is no log");
        fill("logged_later", MANY_ROWS);
        users.execute("SET GLOBAL binlog_format = 'STATEMENT'");
        try {
            stopInTheMiddle(payload("logged_later"));
        } finally {
            users.execute("SET GLOBAL binlog_format = 'ROW'");
        }
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.triggers WHERE event_object_table = 'logged_later'"))
                .isEqualTo("3");
        Reencoding copy = copy(
                payload("logged_later"),
                Map.of(
                        EXCHANGING,
                        () -> users.execute("UPDATE shop.logged_later SET amount = amount + 1 WHERE id = 3")));
        Preview preview = copy.preview(Before.RAW, target());
        assertThat(preview.problems()).isEmpty();
        assertThat(preview.remarks()).anyMatch(remark -> remark.contains("by three triggers"));
        assertChanged(copy);
        assertTwins(payload("logged_later"));
    }

    /** What is said before is what is done. */
    @Test
    void anotherModeIsAnotherChange() throws Exception {
        fill("moded", MANY_ROWS);
        stopInTheMiddle(payload("moded"));
        Reencoding inPlace = new Reencoding(users.source(), cache, payload("moded"), FAST, "test", SILENT);
        assertThat(inPlace.preview(Before.RAW, target()).problems())
                .singleElement()
                .asString()
                .endsWith("by a copy; continue it with --mode copy, or take it back with --revert");
        assertThatThrownBy(() -> inPlace.change(Before.RAW, target())).hasMessageContaining("by a copy; continue it");
        assertNotExchanged("moded");
        assertChanged(copy(payload("moded"), Map.of()));
        assertTwins(payload("moded"));
    }

    /** So that it may be given again after a kill, whenever that was. */
    @Test
    void aCopyThatHasEndedHasItsVerdictAgain() throws Exception {
        fill("ended", ROWS);
        Optional<Verdict> verdict =
                copy(payload("ended"), Map.of()).change(Before.RAW, target()).verdict();
        assertThat(verdict).isPresent();
        assertThat(copy(payload("ended"), Map.of())
                        .preview(Before.RAW, target())
                        .problems())
                .isEmpty();
        Outcome again = copy(payload("ended"), Map.of()).change(Before.RAW, target());
        assertThat(again.isComplete()).isTrue();
        assertThat(again.verdict()).isEqualTo(verdict);
        assertThat(rows("shop.ended_blobmark_old")).isEqualTo(ROWS);
        assertThatThrownBy(() -> copy(payload("ended"), Map.of()).change(Before.RAW, new Target("lz4", ALL)))
                .hasMessageContaining("another change can begin after --finish");
        copy(payload("ended"), Map.of()).finish();
        assertNotExchanged("ended");
    }

    /** Its reader of the log is not taken for a replica. */
    @Test
    void anotherTableIsChangedMeanwhile() throws Exception {
        fill("first", ROWS);
        fill("second", ROWS);
        assertHeld(
                payload("first"),
                () -> assertThat(copy(payload("second"), Map.of())
                                .preview(Before.RAW, target())
                                .problems())
                        .isEmpty());
    }

    // definitions that are changed meanwhile

    /** Its rows would belong to the former table, which is no longer the application's. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void aForeignKeyThatIsMadeMeanwhileEndsIt(String step) throws Exception {
        String table = "parent_" + step;
        fill(table, 5);
        assertRefused(
                table,
                step,
                () -> users.execute(
                        "CREATE TABLE shop.child_" + step + " (id INT PRIMARY KEY, parent INT, CONSTRAINT to_" + table
                                + " FOREIGN KEY (parent) REFERENCES shop." + table + " (id)) ENGINE=InnoDB"),
                "while the table was copied, others made: ");
        assertThat(users.single(
                        "SELECT referenced_table_name FROM information_schema.referential_constraints WHERE constraint_name"
                                + " = 'to_" + table + "'"))
                .isEqualTo(table);
    }

    /** It would stay with the former table. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void aTriggerThatIsMadeMeanwhileEndsIt(String step) throws Exception {
        String table = "audited_" + step;
        fill(table, 5);
        assertRefused(
                table,
                step,
                () -> users.execute("CREATE TRIGGER shop.audit_" + step + " BEFORE INSERT ON shop." + table
                        + " FOR EACH ROW SET NEW.note = 'checked'"),
                "while the table was copied, others made: ");
        assertThat(users.single(
                        "SELECT event_object_table FROM information_schema.triggers WHERE trigger_name = 'audit_" + step
                                + "'"))
                .isEqualTo(table);
    }

    /** Shopify LHM 23 and 81: without its triggers, a copy does not see what others change. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void aTriggerOfTheCopyThatIsDroppedEndsIt(String step) throws Exception {
        Assumptions.assumeFalse(isByLog(), "changes are read from the binary log, without triggers");
        String table = "untriggered_" + step;
        fill(table, 5);
        assertRefused(
                table,
                step,
                () -> users.execute(
                        "DROP TRIGGER shop." + ShadowNames.trigger(table, "u"),
                        "UPDATE shop." + table + " SET amount = 99 WHERE id = 3"),
                "others have removed, changed or added triggers");
    }

    /** Shopify LHM 23: dropped while nothing runs, and made again by nobody. */
    @Test
    void aTriggerThatIsDroppedWhileItIsStoppedEndsIt() throws Exception {
        Assumptions.assumeFalse(isByLog(), "changes are read from the binary log, without triggers");
        fill("dropped", ROWS);
        TableColumn column = payload("dropped");
        stopInTheMiddle(column);
        users.execute("DROP TRIGGER shop." + ShadowNames.trigger("dropped", "d"));
        users.execute("DELETE FROM shop.dropped WHERE id = 1");
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                .isInstanceOfAny(AdmissionException.class, ReencodeException.class);
        assertNotExchanged("dropped");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADD COLUMN more INT",
                "ADD UNIQUE KEY by_note (note)",
                "MODIFY note VARCHAR(80)",
                "ALTER COLUMN amount SET DEFAULT 3",
                "COMMENT = 'other'"
            })
    void aDefinitionThatIsChangedEndsIt(String change) throws Exception {
        String table = "altered_" + Math.abs(change.hashCode());
        fill(table, 5);
        assertRefused(
                table,
                EXCHANGING,
                () -> users.execute("ALTER TABLE shop." + table + " " + change),
                // MySQL makes the table again
                change.startsWith("MODIFY") ? "the table " : "the table was altered while it was copied");
    }

    /** Its definition stays the same. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void aPartitionThatIsExchangedEndsIt(String step) throws Exception {
        String table = "parted_" + step;
        users.execute(
                "CREATE TABLE shop." + table
                        + " (id INT PRIMARY KEY, payload MEDIUMBLOB, amount INT) ENGINE=InnoDB PARTITION"
                        + " BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN MAXVALUE)",
                "INSERT INTO shop." + table + " VALUES (1, 'a', 1), (2, 'b', 2), (200, 'c', 3)",
                "CREATE TABLE shop.other_" + table
                        + " (id INT PRIMARY KEY, payload MEDIUMBLOB, amount INT) ENGINE=InnoDB",
                "INSERT INTO shop.other_" + table + " VALUES (5, 'x', 1)");
        assertRefused(
                table,
                step,
                () -> users.execute(
                        "ALTER TABLE shop." + table + " EXCHANGE PARTITION p0 WITH TABLE shop.other_" + table),
                "the table is another one than when the copy began");
        assertThat(users.single("SELECT COUNT(*) FROM shop." + table)).isEqualTo("2");
    }

    /** A table of another kind by the same name, as it is while somebody else changes it by such a tool. */
    @Test
    void aTableThatAnotherToolExchangesEndsIt() throws Exception {
        fill("contended", 5);
        users.execute(
                "CREATE TABLE shop._contended_gho LIKE shop.contended",
                "INSERT INTO shop._contended_gho VALUES (1, 'theirs', 1, 'a')");
        assertRefused(
                "contended",
                EXCHANGING,
                () -> users.execute("RENAME TABLE shop.contended TO shop._contended_del, shop._contended_gho TO"
                        + " shop.contended"),
                "the table is another one than when the copy began");
        assertThat(users.single("SELECT CONVERT(payload USING utf8mb4) FROM shop.contended"))
                .isEqualTo("theirs");
    }

    // the log

    /** spirit 548, gh-ost 317, binlog connector 53: changes in several files, and at their ends. */
    @Test
    void theLogIsRotatedMeanwhile() throws Exception {
        Assumptions.assumeTrue(isByLog(), "there is no log");
        fill("rotated", ROWS);
        assertHeld(payload("rotated"), () -> {
            for (int i = 1; i <= 5; i++) {
                users.execute(
                        "UPDATE shop.rotated SET amount = amount + 1 WHERE id % 10 = " + i,
                        "FLUSH BINARY LOGS",
                        "FLUSH BINARY LOGS",
                        "DELETE FROM shop.rotated WHERE id = " + (100 + i));
            }
            users.execute("FLUSH BINARY LOGS");
        });
    }

    // connections

    /** Kills all sessions but its own and those that are excepted. */
    private void killOthers(List<Long> excepted) throws SQLException {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            List<Long> sessions = new ArrayList<>();
            try (ResultSet row = statement.executeQuery("SELECT id FROM information_schema.processlist WHERE id <>"
                    + " CONNECTION_ID() AND user NOT IN ('event_scheduler', 'system user')")) {
                while (row.next()) {
                    sessions.add(row.getLong(1));
                }
            }
            for (long session : sessions) {
                if (!excepted.contains(session)) {
                    try {
                        statement.execute("KILL " + session);
                    } catch (SQLException e) {
                        assertThat(e.getErrorCode()).as("it has ended").isEqualTo(1094);
                    }
                }
            }
        }
    }

    /** gh-ost 444 and 475: all connections are lost, and what others have done just before is not. */
    @ParameterizedTest
    @ValueSource(strings = {COMPARING, EXCHANGING})
    void connectionsThatAreLost(String step) throws Exception {
        String table = "lost_" + step;
        fill(table, ROWS);
        AtomicInteger times = new AtomicInteger();
        TableColumn column = payload(table);
        assertChanged(copy(column, Map.of(step, () -> {
            if (times.incrementAndGet() <= 2) {
                users.execute("UPDATE shop." + table + " SET amount = amount + 1 WHERE id % 5 = " + times.get());
                killOthers(List.of());
            }
        })));
        assertThat(times.get()).isGreaterThan(2);
        assertTwins(column);
    }

    /** gh-ost 82 and 653: the session that holds the locks is lost while the exchange waits for it. */
    @Test
    void theLocksAreLostWhileTheExchangeWaits() throws Exception {
        fill("unlocked", MANY_ROWS);
        TableColumn column = payload("unlocked");
        AtomicInteger kills = new AtomicInteger();
        List<CompletableFuture<Void>> killing = new ArrayList<>();
        List<CompletableFuture<Void>> applications = new ArrayList<>();
        assertChanged(copy(column, Map.of(EXCHANGING, () -> {
            if (!killing.isEmpty()) {
                return;
            }
            users.execute("UPDATE shop.unlocked SET amount = amount + 1"); // takes time under the locks
            applications.add(CompletableFuture.runAsync(() -> {
                while (kills.get() == 0) {
                    try {
                        users.execute("UPDATE shop.unlocked SET amount = amount + 1 WHERE id = 1");
                    } catch (SQLException e) {
                        return; // it was killed too
                    }
                }
            }));
            killing.add(CompletableFuture.runAsync(() -> {
                try {
                    long begin = System.nanoTime();
                    while (kills.get() == 0 && System.nanoTime() - begin < PATIENCE_NANOS) {
                        Optional<Long> waiting = waitingForTheLocks();
                        if (waiting.isPresent()) {
                            killOthers(List.of(waiting.get()));
                            kills.incrementAndGet();
                        }
                        LockSupport.parkNanos(POLL_NANOS);
                    }
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            }));
        })));
        killing.get(0).join();
        applications.get(0).join();
        assertThat(kills.get()).as("kills under the locks").isOne();
        assertTwins(column);
    }

    /**
     * One that is prepared between the question for such transactions and the lock. With MariaDB 11.4.5 the lock does
     * not wait for it any more when its session has ended.
     */
    @Test
    void aTransactionThatIsPreparedWhileTheLockIsWaitedFor() throws Exception {
        fill("prepared_late", ROWS);
        CompletableFuture<Void> prepared = new CompletableFuture<>();
        String notice = "waiting with the exchange: there are transactions that are prepared and neither committed nor"
                + " rolled back (XA RECOVER): 'between'";
        AtomicInteger notices = new AtomicInteger();
        assertChanged(copy(
                payload("prepared_late"),
                Map.of(
                        EXCHANGING,
                        () -> {
                            Connection connection = users.connect();
                            Statement statement = connection.createStatement();
                            statement.execute("XA START 'between'");
                            statement.execute("UPDATE shop.prepared_late SET amount = 77 WHERE id IN (5, 6)");
                            prepared.completeAsync(() -> {
                                prepareWhenWaitedFor(connection, statement);
                                return null;
                            });
                        },
                        notice,
                        () -> {
                            prepared.join();
                            users.execute("XA COMMIT 'between'");
                            notices.incrementAndGet();
                        })));
        assertThat(notices.get()).isOne();
        assertTwins(payload("prepared_late"));
    }

    private void prepareWhenWaitedFor(Connection connection, Statement statement) {
        try (connection;
                statement) {
            while (!isAnyWaiting()) {
                Thread.onSpinWait();
            }
            statement.execute("XA END 'between'");
            statement.execute("XA PREPARE 'between'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** In MariaDB, the RENAME waits; in MySQL, an application. */
    private Optional<Long> waitingForTheLocks() throws SQLException {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM information_schema.processlist WHERE state LIKE"
                        + " 'Waiting for table metadata lock%'")) {
            return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
        }
    }

    // the comparison

    /** Rows of the new table that differ are found, the second time too; the way back leaves what was. */
    private void assertFound(String table, String... differences) throws Exception {
        TableColumn column = payload(table);
        users.execute("CREATE TABLE shop." + table + "_before AS SELECT * FROM shop." + table);
        Reencoding stopped = copy(column, 100, Map.of(COMPARING, () -> users.execute(differences)));
        Throwable first = catchThrowable(() -> stopped.change(Before.RAW, target()));
        assertThat(first).isInstanceOf(ReencodeException.class).hasMessageContaining("--revert");
        assertNotExchanged(table);
        // spirit 882: what was found is not forgotten by the next process
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                .isInstanceOf(ReencodeException.class);
        assertNotExchanged(table);
        assertThat(copy(column, Map.of()).revert().isComplete()).isTrue();
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name"
                                + " LIKE '" + table + "\\_blobmark%'"))
                .isEqualTo("0");
        assertThat(
                        users.single(
                                "SELECT COUNT(*) FROM shop." + table + " a JOIN shop." + table
                                        + "_before b ON a.id = b.id AND a.payload <=> b.payload AND a.amount <=> b.amount AND a.note <=> b.note"))
                .isEqualTo(users.single("SELECT COUNT(*) FROM shop." + table));
    }

    @Test
    void aRowThatIsMissingIsFound() throws Exception {
        fill("missing", 50);
        assertFound("missing", "DELETE FROM shop.missing_blobmark_new WHERE id = 50");
    }

    @Test
    void aRowThatIsTooManyIsFound() throws Exception {
        fill("superfluous", 50);
        assertFound("superfluous", "INSERT INTO shop.superfluous_blobmark_new VALUES (51, 'x', 1, 'y')");
    }

    @Test
    void anotherValueIsFound() throws Exception {
        fill("other_value", 50);
        assertFound(
                "other_value",
                "UPDATE shop.other_value_blobmark_new a JOIN shop.other_value_blobmark_new b ON a.id = 7 AND b.id = 8 SET"
                        + " a.payload = b.payload");
    }

    /** tidb-tools 344, spirit 942: the checksums of two rows that were changed alike cancel each other. */
    @Test
    void twoRowsThatAreChangedAlikeAreFound() throws Exception {
        fill("alike", 50);
        assertFound("alike", "UPDATE shop.alike_blobmark_new SET amount = 11 WHERE id IN (21, 22)");
    }

    /** The texts of two columns, one after another, are the same as before. */
    @Test
    void textThatMovesFromAColumnToTheNextIsFound() throws Exception {
        users.execute(
                "CREATE TABLE shop.moved (id INT PRIMARY KEY, payload MEDIUMBLOB, note VARCHAR(40), amount VARCHAR(40))"
                        + " ENGINE=InnoDB",
                "INSERT INTO shop.moved VALUES (1, 'value', 'a', 'b#0#')");
        assertFound("moved", "UPDATE shop.moved_blobmark_new SET note = 'a#0#b', amount = '' WHERE id = 1");
    }

    /** NULL is not the text that a digest may use for it, nor an empty one. */
    @Test
    void nullIsNotItsName() throws Exception {
        fill("nulls", 50);
        users.execute("UPDATE shop.nulls SET note = NULL WHERE id < 10");
        assertFound("nulls", "UPDATE shop.nulls_blobmark_new SET note = 'NULL' WHERE id = 5");
    }

    /** A difference in the last places of a number. */
    @Test
    void aNumberThatIsAlmostTheSameIsFound() throws Exception {
        users.execute(
                "CREATE TABLE shop.floats (id INT PRIMARY KEY, payload MEDIUMBLOB, amount FLOAT, note DOUBLE) ENGINE=InnoDB",
                "INSERT INTO shop.floats VALUES (1, 'value', 16777215, 0.1)");
        assertFound("floats", "UPDATE shop.floats_blobmark_new SET amount = 16777214");
    }
}
