package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.number;
import static dev.blobmark.value.integration.TestDictionaries.sha256;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withdrawADayAgo;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Collisions;
import dev.blobmark.value.ColumnCheck;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Dictionaries are loaded from their table within limits, and refused if they were changed. */
class DictionaryLoadingIT {

    /**
     * Between the look at all lengths and the look at the bytes, rows become longer, with the numbers that they had.
     */
    @Test
    void rowsThatGrowWhileTheyAreLoadedExceedNoLimit() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        clean(source);
        DictionaryTable.in(source, TestServers.SCHEMA).create();
        Map<Integer, List<byte[]>> pairs = pairsOfEqualNumber(4, 1 << 18);
        for (List<byte[]> pair : pairs.values()) {
            store(source, pair.get(0));
        }
        AtomicInteger connections = new AtomicInteger();
        DataSource disturbed = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                if (connections.incrementAndGet() == 2) {
                    for (List<byte[]> pair : pairs.values()) {
                        store(source, pair.get(1));
                    }
                }
                return super.getConnection();
            }
        };
        long limit = 3 << 18;
        try (LoadedDictionaries loaded =
                DictionaryTable.in(disturbed, TestServers.SCHEMA).load(limit)) {
            long bytes = loaded.numbers().stream()
                    .mapToLong(number -> loaded.find(number).orElseThrow().bytes().length)
                    .sum();
            assertThat(connections.get()).isGreaterThanOrEqualTo(2);
            assertThat(bytes).isBetween(1L, limit);
        }
        clean(source);
    }

    /** A short dictionary and a long one with the same number, of 24 bits. */
    private static Map<Integer, List<byte[]>> pairsOfEqualNumber(int count, int length) {
        Map<Integer, byte[]> shorter = new HashMap<>();
        for (int i = 0; i < 1 << 17; i++) {
            byte[] bytes = ("content " + i).getBytes(StandardCharsets.US_ASCII);
            shorter.put(number(bytes), bytes);
        }
        Map<Integer, List<byte[]>> pairs = new TreeMap<>();
        byte[] bytes = new byte[length];
        for (int i = 0; pairs.size() < count; i++) {
            bytes[0] = 1;
            bytes[1] = (byte) i;
            bytes[2] = (byte) (i >> 8);
            int number = number(bytes);
            if (shorter.containsKey(number)) {
                pairs.putIfAbsent(number, List.of(shorter.get(number), bytes.clone()));
            }
        }
        return pairs;
    }

    private static void store(DataSource source, byte[] bytes) throws SQLException {
        ValueDictionary dictionary = ValueDictionary.of(bytes);
        try (Connection connection = source.getConnection();
                PreparedStatement replace = connection.prepareStatement(
                        "REPLACE INTO blobmark_dictionaries (number, sha256, bytes) VALUES (?, ?, ?)")) {
            replace.setInt(1, dictionary.number());
            replace.setBytes(2, sha256(bytes));
            replace.setBytes(3, bytes);
            replace.executeUpdate();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void columnsThatWouldChangeBytesAreRefused(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "CREATE TABLE archive (id INT PRIMARY KEY, a LONGTEXT, b JSON, c VARCHAR(10), d BINARY(9),"
                            + " e VARBINARY(10), f TEXT, g INT, h MEDIUMBLOB)");
            for (String column : List.of("a", "b", "c", "d", "f", "g")) {
                assertThatThrownBy(() -> ColumnCheck.requireBytes(connection, "shop.archive", column))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("shop.archive." + column + " is of the type");
                assertThatThrownBy(() -> table.add(dictionary, "archive", column))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> Collisions.count(connection, "shop.archive", column))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            ColumnCheck.requireBytes(connection, "shop.archive", "e");
            ColumnCheck.requireBytes(connection, "archive", "h");
            assertThatThrownBy(() -> table.add(dictionary, "nowhere", "payload"))
                    .hasMessageContaining("there is no column shop.nowhere.payload");
            assertThat(table.all()).isEmpty();
        } finally {
            TestServers.clean(source);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void rowsThatAreDamagedAreRefusedAndDoNotStopOthers(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(7_000);
        ValueDictionary intact = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        table.add(intact, "odd`orders", "payload");
        try (Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "UPDATE blobmark_dictionaries SET bytes = CONCAT(bytes, 'x') WHERE number = "
                            + dictionary.number());
            Random random = new Random(3);
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO blobmark_dictionaries (number, sha256, bytes) VALUES (?, ?, ?)")) {
                for (int i = 0; i < 50; i++) {
                    byte[] sha256 = new byte[32];
                    byte[] bytes = new byte[random.nextInt(2_000)];
                    random.nextBytes(sha256);
                    random.nextBytes(bytes);
                    insert.setLong(1, random.nextInt() & 0xFFFF_FFFFL);
                    insert.setBytes(2, sha256);
                    insert.setBytes(3, bytes);
                    insert.executeUpdate();
                }
            }
            assertThatThrownBy(() -> table.find(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("was changed in its table");
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.numbers()).containsExactly(intact.number());
                assertThat(loaded.unusable()).hasSize(51).contains(dictionary.number());
                byte[] value = document(3);
                assertThat(ValueFormat.builder()
                                .dictionaries(loaded)
                                .build()
                                .decode(writer(intact, true).encode(value)))
                        .isEqualTo(value);
            }
        } finally {
            TestServers.clean(source);
        }
    }

    /**
     * Rows that whoever may write the table has added do not fill the heap, and the log says that some are left out.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void rowsBeyondTheLimitAreLeftOutWithAWarning(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary intact = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(intact, "odd`orders", "payload");
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                logged.add(new SimpleFormatter().formatMessage(logRecord));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(DictionaryTable.class.getName());
        logger.addHandler(handler);
        try (Connection connection = source.getConnection()) {
            String depth = product.equals("MariaDB") ? "max_recursive_iterations" : "cte_max_recursion_depth";
            Sql.execute(connection, "SET SESSION " + depth + " = 100000");
            // all but one of the rows that are read
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_dictionaries (number, sha256, bytes) WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL"
                            + " SELECT i + 1 FROM n WHERE i < 65535) SELECT 16777216 + i, REPEAT('x', 32), 'x' FROM n");
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.numbers()).containsExactly(intact.number());
                assertThat(loaded.unusable()).hasSize(65_535);
            }
            assertThat(logged).noneMatch(message -> message.contains("rows; the others are not read"));
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_dictionaries (number, sha256, bytes) VALUES (0, REPEAT('x', 32), 'x')");
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.numbers()).containsExactly(intact.number());
                assertThat(loaded.unusable()).hasSize(65_535);
            }
            assertThat(logged).anyMatch(message -> message.contains("more than 65536 rows; the others are not read"));
        } finally {
            logger.removeHandler(handler);
            TestServers.clean(source);
        }
    }

    /**
     * Loading takes a few transactions, however many dictionaries there are, and one that is damaged hides no other.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void manyDictionariesAreLoadedInFewTransactions(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        AtomicInteger connections = new AtomicInteger();
        DataSource counting = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        };
        DictionaryTable.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT IGNORE INTO blobmark_dictionaries (number, sha256, bytes) VALUES (?, ?, ?)")) {
            for (int i = 0; i < 250; i++) {
                ValueDictionary dictionary =
                        ValueDictionary.of(("of dictionary " + i + ", some text").getBytes(StandardCharsets.UTF_8));
                insert.setInt(1, dictionary.number());
                insert.setBytes(2, dictionary.sha256());
                insert.setBytes(3, dictionary.bytes());
                insert.executeUpdate();
            }
            int stored = Integer.parseInt(Sql.strings(connection, "SELECT COUNT(*) FROM blobmark_dictionaries")
                    .get(0));
            try (LoadedDictionaries loaded =
                    DictionaryTable.in(counting, TestServers.SCHEMA).load()) {
                assertThat(loaded.numbers()).hasSize(stored);
                assertThat(connections.get()).isLessThanOrEqualTo(4);
            }
        } finally {
            TestServers.clean(source);
        }
    }

    /** Of a version without two steps. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOlderTableGetsTheColumnOfWithdrawals(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(7_000);
        try (Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "CREATE TABLE blobmark_dictionaries (number INT UNSIGNED NOT NULL PRIMARY KEY, sha256"
                            + " BINARY(32) NOT NULL, bytes MEDIUMBLOB NOT NULL, created TIMESTAMP NOT NULL DEFAULT"
                            + " CURRENT_TIMESTAMP) ENGINE=InnoDB");
            try (LoadedDictionaries loaded =
                    DictionaryTable.in(source, TestServers.SCHEMA).load()) {
                assertThat(loaded.numbers()).isEmpty();
            }
            DictionaryTable table =
                    DictionaryTable.in(source, TestServers.SCHEMA).create();
            table.add(dictionary, "odd`orders", "payload");
            table.withdraw(dictionary.number());
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.isWithdrawn(dictionary.number())).isTrue();
                table.add(dictionary, "odd`orders", "payload");
            }
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.isWithdrawn(dictionary.number())).isFalse();
            }
        } finally {
            TestServers.clean(source);
        }
    }

    /** All that is needed to read the values is in the two tables. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aCopyOfTheTablesCanBeReadElsewhere(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(30_000);
        DictionaryTable.in(source, TestServers.SCHEMA).create().add(dictionary, "shop.odd`orders", "payload");
        ValueFormat writer = writer(dictionary, false);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE DATABASE elsewhere");
            Sql.execute(
                    connection,
                    "CREATE TABLE elsewhere.blobmark_dictionaries AS SELECT * FROM shop.blobmark_dictionaries");
            Sql.execute(connection, "DROP TABLE blobmark_dictionaries, blobmark_dictionary_columns");
            try (LoadedDictionaries loaded =
                    DictionaryTable.in(source, "elsewhere").load()) {
                ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
                for (int i = 0; i < 100; i++) {
                    assertThat(reader.decode(writer.encode(document(i)))).isEqualTo(document(i));
                }
            }
            Sql.execute(connection, "DROP DATABASE elsewhere");
        }
    }

    /** A program that had it in memory learns that it is gone. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsWrittenWithADictionaryThatWasDeleted(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        byte[] value = document(5);
        try (LoadedDictionaries loaded = table.load()) {
            ValueFormat format = ValueFormat.builder()
                    .writes("zstd:3")
                    .writesWith(dictionary)
                    .dictionaries(loaded)
                    .policy(new EncodingPolicy(0, 0, true))
                    .build();
            format.startWriting();
            byte[] stored = format.encode(value);
            assertThat(stored.length).isLessThan(value.length);
            withdrawADayAgo(source, table, dictionary.number());
            loaded.reload();
            assertThat(format.encode(value)).isEqualTo(value);
            table.delete(dictionary.number());
            loaded.reload();
            assertThat(format.encode(value)).isEqualTo(value);
            assertThatThrownBy(format::startWriting).hasMessageContaining("was withdrawn");
            assertThat(format.decode(stored)).isEqualTo(value);
            table.add(dictionary, "odd`orders", "payload");
            loaded.reload();
            // a registry that was read before may lack a reader that has begun without it
            assertThat(format.encode(value)).isEqualTo(value);
            try (LoadedDictionaries later = table.load()) {
                assertThat(later.isWithdrawn(dictionary.number())).isFalse();
            }
        }
    }

    /** Programs that start later could not read what one that has it in memory would write. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsWrittenWithADictionaryWhoseRowWasChanged(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        for (String change : List.of(
                "bytes = CONCAT(bytes, 'x')",
                "bytes = CONCAT('x', SUBSTRING(bytes, 2))",
                "sha256 = REVERSE(sha256)",
                "number = number + 1")) {
            table.add(dictionary, "odd`orders", "payload");
            try (LoadedDictionaries loaded = table.load();
                    Connection connection = source.getConnection()) {
                assertThat(loaded.isWithdrawn(dictionary.number())).isFalse();
                Sql.execute(connection, "UPDATE blobmark_dictionaries SET " + change);
                loaded.reload();
                assertThat(loaded.isWithdrawn(dictionary.number())).as(change).isTrue();
                assertThat(loaded.unusable()).as(change).hasSize(1);
                Sql.execute(connection, "DELETE FROM blobmark_dictionaries");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void dictionariesBeyondTheLimitAreNotLoaded(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        ValueDictionary used = trained(7_000);
        table.add(used, "odd`orders", "payload");
        for (int from : List.of(8_000, 9_000)) {
            ValueDictionary former = trained(from);
            table.add(former, "odd`orders", "payload");
            table.withdraw(former.number());
        }
        try (LoadedDictionaries loaded = table.load((used.bytes().length + (32 << 10)) * 2L - 1)) {
            assertThat(loaded.numbers()).containsExactly(used.number());
            assertThat(loaded.unusable()).isEmpty();
            assertThat(loaded.isWithdrawn(used.number())).isFalse();
        }
        try (LoadedDictionaries loaded = table.load()) {
            assertThat(loaded.numbers()).hasSize(3);
        }
    }
}
