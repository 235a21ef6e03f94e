package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.value.ValueFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A copy has all that the former table had, or is not made. */
abstract class TableAsItWasContract extends OnServer {

    private static final Target ZSTD = new Target("zstd:3", ALL);

    /** A directory besides that of the server. */
    private Path elsewhere;

    abstract boolean isMariaDb();

    abstract OwnServer start(Map<String, String> variables);

    @Override
    OwnServer start() throws IOException {
        elsewhere = Files.createTempDirectory("elsewhere").toRealPath();
        return start(
                isMariaDb()
                        ? Map.of()
                        : Map.of("innodb_directories", "" + elsewhere, "log_bin", "kept", "server_id", "7"));
    }

    @AfterAll
    void removeDirectory() throws IOException {
        stop();
        try (Stream<Path> paths = Files.walk(elsewhere)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private Reencoding copying(String table, ReencodeListener listener) {
        return new Reencoding(
                users.source(),
                cache,
                TableColumn.named("shop." + table + ".payload"),
                CopyContract.COPYING,
                "test",
                listener);
    }

    private void copy(String table) throws Exception {
        assertThat(copying(table, SILENT).preview(Before.RAW, ZSTD).problems()).isEmpty();
        assertThat(copying(table, SILENT).change(Before.RAW, ZSTD).isComplete()).isTrue();
    }

    private List<String> differences(String table, String former, String copy) throws Exception {
        try (Connection connection = users.connect()) {
            return Definition.differences(connection, TableColumn.of("shop", table, "payload"), former, copy);
        }
    }

    /** With modes that accept what some tables have. */
    private void execute(String mode, String... statements) throws Exception {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION sql_mode = '" + mode + "'");
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private String text(String table, Object id) throws Exception {
        return new String(
                ValueFormat.builder()
                        .build()
                        .decode(users.stored("shop." + table).get("" + id).orElseThrow()),
                StandardCharsets.UTF_8);
    }

    /** What is not in the definition, and would be lost without a word. */
    @Test
    void whatACopyMakesOtherwiseIsNamedBefore() throws Exception {
        users.execute(
                "CREATE TABLE shop.searched (id INT PRIMARY KEY, payload MEDIUMBLOB, body TEXT, kind INT, FULLTEXT KEY"
                        + " words (body)) ENGINE=InnoDB",
                "INSERT INTO shop.searched VALUES (1, 'value', 'what for', 1)");
        users.execute(
                isMariaDb()
                        ? "ANALYZE TABLE shop.searched PERSISTENT FOR COLUMNS (kind) INDEXES ()"
                        : "ANALYZE TABLE shop.searched UPDATE HISTOGRAM ON kind");
        List<String> remarks;
        try (Connection connection = users.connect()) {
            remarks = Definition.remarks(connection, TableColumn.named("shop.searched.payload"));
        }
        assertThat(remarks).hasSize(2);
        assertThat(remarks.get(0)).startsWith("the index FULLTEXT KEY `words` (`body`) is built with the stop words");
        assertThat(remarks.get(1))
                .startsWith(
                        isMariaDb()
                                ? "the statistics that ANALYZE TABLE … PERSISTENT has"
                                : "the histograms of kind stay");
    }

    private static final String ATTRIBUTES = "CREATE TABLE shop.everything (id INT UNSIGNED NOT NULL AUTO_INCREMENT,"
            + " payload VARCHAR(2000) CHARACTER SET latin1 NOT NULL DEFAULT '{\"ü\": \\'\\\\\\\\\\'}' COMMENT 'a \\\\ \\'b\\' \"c\"',"
            + " zero DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00', strange DATE DEFAULT '2026-02-31',"
            + " hidden INT DEFAULT 5 INVISIBLE, amount DECIMAL(10, 2) NOT NULL DEFAULT 1.50,"
            + " twice DECIMAL(12, 2) AS (amount * 2) STORED, more DECIMAL(12, 2) AS (amount + 1) VIRTUAL COMMENT 'payload',"
            + " kind ENUM('payload', 'it''s') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,"
            + " name VARCHAR(40) DEFAULT 'x' COMMENT 'check (payload) first', place POINT NOT NULL%s,"
            + " updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),"
            + " meta JSON, of_meta VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(meta, '$.payload.kind'))) VIRTUAL,"
            + " PRIMARY KEY (id), KEY down (name DESC, kind), KEY part (name(5)), SPATIAL KEY (place), UNIQUE KEY"
            + " both_ways (id, kind, zero), CONSTRAINT positive CHECK (amount > 0), CHECK (name <> 'payload'))"
            + " ENGINE=InnoDB DEFAULT CHARSET=latin1 ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8 STATS_PERSISTENT=1"
            + " STATS_SAMPLE_PAGES=7 STATS_AUTO_RECALC=0 COMMENT='it''s \\\\ here AUTO_INCREMENT=5'";

    @Test
    void allAttributesAreKept() throws Exception {
        execute("ALLOW_INVALID_DATES", ATTRIBUTES.replace("%s", isMariaDb() ? "" : " SRID 4326"));
        execute(
                "ALLOW_INVALID_DATES",
                isMariaDb()
                        ? "ALTER TABLE shop.everything ADD KEY unseen (amount) IGNORED, ADD packed TEXT COMPRESSED"
                        : "ALTER TABLE shop.everything ADD KEY unseen (amount) INVISIBLE, ADD KEY computed ((lower(name))),"
                                + " ADD CONSTRAINT lax CHECK (amount < 5) NOT ENFORCED");
        String point = isMariaDb() ? "ST_GeomFromText('POINT(1 1)')" : "ST_GeomFromText('POINT(1 1)', 4326)";
        execute(
                "NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES",
                "INSERT INTO shop.everything (id, payload, strange, place) VALUES (0, REPEAT('none ', 50), '2026-02-30', "
                        + point + "), (1, DEFAULT, '0000-00-00', " + point + ")");
        copy("everything");
        assertThat(differences("everything", "everything_blobmark_old", "everything"))
                .isEmpty();
        assertThat(text("everything", 0)).isEqualTo("none ".repeat(50));
        execute("", "INSERT INTO shop.everything (place) VALUES (" + point + ")");
        assertThat(users.single("SELECT COUNT(DISTINCT HEX(payload)) FROM shop.everything WHERE id > 0"))
                .as("the default is the bytes that a row had by default")
                .isEqualTo("1");
        assertThat(users.single("SELECT COUNT(*) FROM shop.everything WHERE HEX(payload) = '7B22FC223A20275C5C277D'"))
                .isEqualTo("2");
        assertThat(users.single("SELECT column_comment FROM information_schema.columns WHERE table_name ="
                        + " 'everything' AND column_name = 'payload'"))
                .isEqualTo("a \\ 'b' \"c\"");
        assertThat(users.single("SELECT COUNT(*) FROM shop.everything WHERE zero = '0000-00-00' AND hidden = 5"))
                .isEqualTo("3");
    }

    /** A table without ROW_FORMAT has the format that was the server's default when it was made. */
    @Test
    void theRowFormatIsKeptWhateverTheDefaultIsNow() throws Exception {
        users.execute(
                "SET GLOBAL innodb_default_row_format = 'compact'",
                "CREATE TABLE shop.compact (id INT PRIMARY KEY, payload TEXT) ENGINE=InnoDB",
                "SET GLOBAL innodb_default_row_format = 'dynamic'",
                "INSERT INTO shop.compact VALUES (1, 'x')");
        copy("compact");
        assertThat(users.single("SELECT row_format FROM information_schema.tables WHERE table_schema = 'shop' AND"
                        + " table_name = 'compact'"))
                .isEqualTo("Compact");
    }

    /** CREATE TABLE … LIKE leaves DATA DIRECTORY out. */
    @Test
    void aCopyThatWouldNotBeTheSameIsDropped() throws Exception {
        users.execute("CREATE TABLE shop.elsewhere (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB DATA DIRECTORY='"
                + elsewhere + "'");
        users.insert("shop.elsewhere", 1, json(1));
        assertThat(copying("elsewhere", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .contains("DATA DIRECTORY");
        try (Connection connection = users.connect()) {
            TableColumn column = TableColumn.of("shop", "elsewhere", "payload");
            assertThatThrownBy(() -> ShadowTable.create(connection, column))
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining(
                            "a copy would not be as the table is: the table option DATA DIRECTORY: " + elsewhere)
                    .hasMessageContaining("in the former table, none in the new one");
        }
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name"
                                + " LIKE 'elsewhere\\_%'"))
                .isEqualTo("0");
    }

    /** It is written as NOT and SECONDARY, and is not NOT NULL. */
    @Test
    void anUnknownAttributeOfATextIsRefused() throws Exception {
        assumeTrue(!isMariaDb(), "MariaDB has no secondary engines");
        users.execute("CREATE TABLE shop.analysed (id INT PRIMARY KEY, payload TEXT NOT SECONDARY) ENGINE=InnoDB");
        assertThat(copying("analysed", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .contains("NOT SECONDARY");
    }

    @Test
    void numbersOfDocumentsThatUsersGiveAreRefused() throws Exception {
        users.execute(
                "CREATE TABLE shop.numbered_words (FTS_DOC_ID BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
                        + " body TEXT, payload BLOB, UNIQUE KEY FTS_DOC_ID_INDEX (FTS_DOC_ID), FULLTEXT KEY words (body))"
                        + " ENGINE=InnoDB");
        assertThat(copying("numbered_words", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .contains("FTS_DOC_ID");
    }

    /**
     * A generated column that is stored is computed again for each row that is written. What it had from another
     * sql_mode is not in the expression. MySQL does so in place if the binary log has whole rows.
     */
    @ParameterizedTest
    @MethodSource
    void whatWasComputedUnderOtherSettingsStays(String table, String a, String b, String value) throws Exception {
        execute(
                "",
                "CREATE TABLE shop." + table + " (id INT PRIMARY KEY, payload MEDIUMBLOB, a " + a + ", b " + b
                        + " STORED) ENGINE=InnoDB",
                "INSERT INTO shop." + table + " (id, payload, a) VALUES (1, 'small', NULL), (2, REPEAT('value', 200), "
                        + value + ")");
        String row = "SELECT CONCAT_WS('|', id, a, b) FROM shop." + table + " WHERE id = 2";
        String before = users.single(row);
        for (ReencodeOptions options : List.of(FAST, CopyContract.COPYING)) {
            Reencoding change = new Reencoding(
                    users.source(), cache, TableColumn.of("shop", table, "payload"), options, "test", SILENT);
            Throwable refused = catchThrowable(() -> change.change(Before.RAW, ZSTD));
            assertThat(refused)
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining("key 2: the generated column b ");
            assertThat(users.single(row)).isEqualTo(before);
            change.revert();
            assertThat(users.single(row)).isEqualTo(before);
        }
        users.execute("UPDATE shop." + table + " SET a = NULL");
        copy(table);
    }

    Stream<Arguments> whatWasComputedUnderOtherSettingsStays() {
        String extracted = "JSON_UNQUOTE(JSON_EXTRACT(a, '$.due'))";
        return Stream.of(
                Arguments.of("due", "JSON", "DATE AS (" + extracted + ")", "'{\"due\": \"2023-02-31\"}'"),
                Arguments.of("due_text", "VARCHAR(40)", "DATE AS (a)", "'2023-02-31'"),
                Arguments.of("due_number", "INT", "DATE AS (a)", "20230231"));
    }

    /** A column that is computed for each reader is another one each time. */
    @Test
    void whatIsComputedForEachReaderIsNotCompared() throws Exception {
        assumeTrue(isMariaDb(), "MySQL has no such columns");
        users.execute(
                "CREATE TABLE shop.aging (id INT PRIMARY KEY, payload MEDIUMBLOB, made DATETIME(6), age DOUBLE AS"
                        + " (TIMESTAMPDIFF(MICROSECOND, made, NOW(6))) VIRTUAL) ENGINE=InnoDB",
                "INSERT INTO shop.aging (id, payload, made) VALUES (1, REPEAT('value', 200), NOW(6))");
        copy("aging");
    }

    @Test
    void aKeyThatIsComputedIsCopied() throws Exception {
        users.execute(
                "CREATE TABLE shop.lowered (name VARCHAR(20), payload MEDIUMBLOB, lower_name VARCHAR(20) AS (LOWER(name))"
                        + " STORED, "
                        + (isMariaDb() ? "UNIQUE KEY (lower_name), id INT PRIMARY KEY" : "PRIMARY KEY (lower_name)")
                        + ") ENGINE=InnoDB");
        for (int i = 1; i <= 20; i++) {
            users.execute("INSERT INTO shop.lowered (name, payload" + (isMariaDb() ? ", id" : "") + ") VALUES ('N" + i
                    + "', REPEAT('value', 200)" + (isMariaDb() ? ", " + i : "") + ")");
        }
        copy("lowered");
        assertThat(users.single("SELECT COUNT(*) FROM shop.lowered WHERE lower_name = LOWER(name)"))
                .isEqualTo("20");
    }

    @Test
    void aKeyWithoutOverlapsIsRefused() throws Exception {
        assumeTrue(isMariaDb(), "MySQL has no such keys");
        users.execute("CREATE TABLE shop.booked (id INT, since DATE, until DATE, payload BLOB, PERIOD FOR stay (since,"
                + " until), PRIMARY KEY (id, stay WITHOUT OVERLAPS)) ENGINE=InnoDB");
        assertThat(copying("booked", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .contains("WITHOUT OVERLAPS");
    }

    /** As an altered table is compared with what it was. */
    static Stream<String> alterations() {
        return Stream.of(
                "MODIFY note VARCHAR(41) CHARACTER SET latin1 NOT NULL DEFAULT 'x'",
                "MODIFY note VARCHAR(40) CHARACTER SET utf8mb4 NOT NULL DEFAULT 'x'",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'x'",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 DEFAULT 'x'",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 NOT NULL",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 NOT NULL DEFAULT 'X'",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 NOT NULL DEFAULT 'x' COMMENT 'new'",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 NOT NULL DEFAULT 'x' INVISIBLE",
                "MODIFY note VARCHAR(40) CHARACTER SET latin1 NOT NULL DEFAULT 'x' FIRST",
                "MODIFY updated DATETIME",
                "MODIFY twice INT AS (id * 3) STORED",
                "MODIFY payload MEDIUMTEXT COMMENT 'x'",
                "ADD more INT",
                "DROP KEY k",
                "DROP KEY k, ADD UNIQUE KEY k (note)",
                "DROP KEY k, ADD KEY k (note DESC)",
                "DROP KEY k, ADD KEY k (note(3))",
                "DROP KEY k, ADD KEY k (note) COMMENT 'x'",
                "ADD CHECK (id > 0)",
                "ADD CONSTRAINT another CHECK (id < 100)",
                "ROW_FORMAT=COMPACT",
                "DEFAULT CHARSET=utf8mb3",
                "COMMENT='new'",
                "STATS_PERSISTENT=0",
                "PARTITION BY HASH (id) PARTITIONS 3");
    }

    @ParameterizedTest
    @MethodSource("alterations")
    void eachAlterationIsADifference(String alteration) throws Exception {
        execute(
                "",
                "DROP TABLE IF EXISTS shop.altered, shop.unaltered",
                "CREATE TABLE shop.unaltered (id INT PRIMARY KEY, note VARCHAR(40) CHARACTER SET latin1 NOT NULL DEFAULT"
                        + " 'x', payload MEDIUMTEXT, updated DATETIME ON UPDATE CURRENT_TIMESTAMP, twice INT AS (id * 2)"
                        + " STORED, KEY k (note), CONSTRAINT c CHECK (id < 1000)) ENGINE=InnoDB DEFAULT CHARSET=latin1",
                "CREATE TABLE shop.altered LIKE shop.unaltered");
        try (Connection connection = users.connect()) {
            TableColumn column = TableColumn.of("shop", "altered", "payload");
            Definition before = Definition.read(connection, column, "altered");
            assertThat(Definition.read(connection, column, "unaltered").differences(before))
                    .isEmpty();
            execute("", "ALTER TABLE shop.altered " + alteration);
            assertThat(before.differences(Definition.read(connection, column, "altered")))
                    .isNotEmpty();
        }
    }

    @Test
    void triggersAndForeignKeysAreDifferencesToo() throws Exception {
        users.execute(
                "CREATE TABLE shop.seen (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "CREATE TABLE shop.refers (id INT PRIMARY KEY, seen INT) ENGINE=InnoDB");
        TableColumn column = TableColumn.of("shop", "seen", "payload");
        try (Connection connection = users.connect()) {
            Definition before = Definition.read(connection, column, "seen");
            users.execute("CREATE TRIGGER shop.on_seen AFTER DELETE ON shop.seen FOR EACH ROW SET @a = 1");
            assertThat(before.differences(Definition.read(connection, column, "seen")))
                    .singleElement()
                    .asString()
                    .contains("on_seen");
            users.execute(
                    "DROP TRIGGER shop.on_seen",
                    "ALTER TABLE shop.refers ADD CONSTRAINT to_seen FOREIGN KEY (seen) REFERENCES shop.seen (id)");
            assertThat(before.differences(Definition.read(connection, column, "seen")))
                    .singleElement()
                    .asString()
                    .contains("to_seen");
        }
    }

    @Test
    void numbersOfDeletedRowsAreNotGivenAgain() throws Exception {
        users.execute("CREATE TABLE shop.numbered (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, payload MEDIUMBLOB)"
                + " ENGINE=InnoDB COMMENT ' AUTO_INCREMENT=3'");
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            rows.add("('" + new String(json(i), StandardCharsets.UTF_8) + "')");
        }
        users.execute(
                "INSERT INTO shop.numbered (payload) VALUES " + String.join(", ", rows),
                "DELETE FROM shop.numbered WHERE id > 250");
        copying("numbered", new ReencodeListener() {
                    @Override
                    public void progressed(Progress progress) {}

                    @Override
                    public void noticeIssued(String notice) {
                        if (notice.equals("exchanging")) {
                            takeNumbersAndGiveThemBack();
                        }
                    }
                })
                .change(Before.RAW, ZSTD);
        users.execute("INSERT INTO shop.numbered (payload) VALUES ('next')");
        assertThat(users.single("SELECT MAX(id) FROM shop.numbered")).isEqualTo("304");
    }

    private void takeNumbersAndGiveThemBack() {
        try {
            users.execute(
                    "START TRANSACTION",
                    "INSERT INTO shop.numbered (payload) VALUES ('a'), ('b'), ('c')",
                    "DELETE FROM shop.numbered WHERE id > 249",
                    "COMMIT");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatCannotBeKeptIsRefusedBeforeAnythingIsMade() throws Exception {
        users.execute(
                "CREATE TABLE shop.computed (id INT PRIMARY KEY, payload VARCHAR(100) DEFAULT "
                        + (isMariaDb() ? "UUID()" : "(UUID())") + ") ENGINE=InnoDB",
                "INSERT INTO shop.computed (id) VALUES (1)");
        assertThat(copying("computed", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .contains("its default is an expression");
        assertThatThrownBy(() -> copying("computed", SILENT).change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("its default is an expression");
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name"
                                + " LIKE 'computed\\_%'"))
                .isEqualTo("0");
    }

    @Test
    void documentsBecomeBytesAndKeepTheirDefault() throws Exception {
        users.execute(
                "CREATE TABLE shop.documents (id INT PRIMARY KEY, payload JSON DEFAULT "
                        + (isMariaDb() ? "'{\"a\": 1}'" : "('{\"a\": 1}')") + ") ENGINE=InnoDB",
                "INSERT INTO shop.documents (id) VALUES (1)",
                "INSERT INTO shop.documents (id, payload) VALUES (2, '\"größe\"')");
        copy("documents");
        users.execute("INSERT INTO shop.documents (id) VALUES (3)");
        assertThat(text("documents", 1)).isEqualTo("{\"a\": 1}").isEqualTo(text("documents", 3));
        assertThat(text("documents", 2)).isEqualTo("\"größe\"");
    }

    @Test
    void emptyDefaultsAndNullsAreKept() throws Exception {
        users.execute(
                "CREATE TABLE shop.void (id INT PRIMARY KEY, payload VARCHAR(100) NOT NULL DEFAULT '') ENGINE=InnoDB",
                "INSERT INTO shop.void (id) VALUES (1)",
                "CREATE TABLE shop.nothing (id INT PRIMARY KEY, payload VARCHAR(100) DEFAULT NULL) ENGINE=InnoDB",
                "INSERT INTO shop.nothing (id) VALUES (1)");
        copy("void");
        copy("nothing");
        users.execute("INSERT INTO shop.void (id) VALUES (2)", "INSERT INTO shop.nothing (id) VALUES (2)");
        assertThat(users.single("SELECT COUNT(*) FROM shop.void WHERE payload = X''"))
                .isEqualTo("2");
        assertThat(users.single("SELECT COUNT(*) FROM shop.nothing WHERE payload IS NULL"))
                .isEqualTo("2");
    }

    @Test
    void checksThatLookAtTheColumnAreRefusedByTheirKind() throws Exception {
        users.execute(
                "CREATE TABLE shop.checked (id INT PRIMARY KEY, payload LONGBLOB, CONSTRAINT long_enough CHECK"
                        + " (LENGTH(`payload`) > 1)) ENGINE=InnoDB",
                "INSERT INTO shop.checked VALUES (1, 'xyz')");
        assertThat(copying("checked", SILENT).preview(Before.RAW, ZSTD).problems())
                .singleElement()
                .asString()
                .startsWith("the constraint CONSTRAINT `long_enough`")
                .contains("looks at its content");
        if (isMariaDb()) {
            users.execute(
                    "CREATE TABLE shop.mine (id INT PRIMARY KEY, payload LONGBLOB CHECK (JSON_VALID(payload)))"
                            + " ENGINE=InnoDB",
                    "INSERT INTO shop.mine VALUES (1, '{}')");
            assertThat(copying("mine", SILENT).preview(Before.RAW, ZSTD).problems())
                    .singleElement()
                    .asString()
                    .startsWith("the CHECK ( JSON_VALID ( `payload` ) ) of the column payload looks at");
        }
    }

    /** As a table is seen that is just being renamed by an ALTER of others. */
    @Test
    void aTableThatIsNotThereForAMomentHasAReason() throws Exception {
        try (Connection connection = users.connect()) {
            assertThatThrownBy(() -> BytesColumn.plan(connection, TableColumn.of("shop", "moved", "payload")))
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining("is being changed");
        }
    }
}
