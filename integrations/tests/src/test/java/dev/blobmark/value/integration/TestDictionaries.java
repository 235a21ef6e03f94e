package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Dictionaries, the table that has them, and what others do meanwhile. */
final class TestDictionaries {

    private static final List<Logger> LOGGERS = new CopyOnWriteArrayList<>();

    private TestDictionaries() {}

    static byte[] document(int i) {
        return ("{\"customer_name\": \"customer " + i + "\", \"delivery_address\": {\"street\": \"street " + i % 17
                        + "\", \"postal_code\": \"" + (10_000 + i) + "\"}, \"articles\": [" + i * 7 + ", " + i * 13
                        + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    static ValueDictionary trained(int from) {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int i = from; i < from + 1_000; i++) {
            trainer.add(document(i));
        }
        DictionaryTrainer.Trial trial = trainer.train(8_000, 3).orElseThrow();
        assertThat(trial.isWorthIt()).isTrue();
        return trial.dictionary();
    }

    static void insert(DataSource source, int id, byte[] stored) throws Exception {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO `odd``orders` VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setBytes(2, stored);
            insert.executeUpdate();
        }
    }

    static ValueFormat writer(ValueDictionary dictionary, boolean hasChecksum) {
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .dictionaries(Dictionaries.of(dictionary))
                .policy(new EncodingPolicy(0, 0, hasChecksum))
                .build();
        writer.startWriting();
        return writer;
    }

    static void clean(DataSource source) throws Exception {
        TestServers.clean(source);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP DATABASE IF EXISTS second");
            Sql.execute(connection, "CREATE TABLE `odd``orders` (id INT PRIMARY KEY, payload BLOB)");
        }
    }

    static void withdrawADayAgo(DataSource source, DictionaryTable table, int number) throws Exception {
        table.withdraw(number);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401");
        }
    }

    /** That no value refers to. */
    static DictionaryTable withDeleted(DataSource source, ValueDictionary dictionary) throws Exception {
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        table.delete(dictionary.number());
        assertThat(table.isDeleted(dictionary.number())).isTrue();
        return table;
    }

    /** Several that no value refers to. */
    static List<ValueDictionary> deleted(DataSource source, DictionaryTable table, int count) throws Exception {
        List<ValueDictionary> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ValueDictionary dictionary = trained(20_000 + 2_000 * i);
            all.add(dictionary);
            table.add(dictionary, "odd`orders", "payload");
            withdrawADayAgo(source, table, dictionary.number());
            table.delete(dictionary.number());
        }
        return all;
    }

    /** A thread writes it. */
    static void awaitKept(DictionaryTable table, int number) {
        await(() -> !table.isDeleted(number));
    }

    static void await(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** For all that is withdrawn or deleted. */
    static void aWeekPasses(DataSource source) throws SQLException {
        execute(
                source,
                "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 604801, deleted_at = deleted_at - 604801");
    }

    /** Of a class of the library, from now on. */
    static List<String> logOf(Class<?> logging) {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getLevel() + " " + new SimpleFormatter().formatMessage(entry));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(logging.getName());
        LOGGERS.add(logger); // else it may be collected, with its handlers
        logger.addHandler(handler);
        return logged;
    }

    /** Or the end. InnoDB looks at its transactions again only when nobody has asked for 100 ms. */
    static void awaitLock(Connection connection, FutureTask<Void> waiting) throws SQLException {
        while (!waiting.isDone()
                && Sql.strings(
                                connection,
                                "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
                        .isEmpty()) {
            LockSupport.parkNanos(150_000_000);
        }
    }

    static void assertNotDeleted(DictionaryTable table, int number, String reason, String... columns) {
        assertThatThrownBy(() -> table.delete(number, columns))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining(reason);
        assertThat(table.isDeleted(number)).isFalse();
    }

    /** With a value in a table that is neither registered nor named. */
    static DictionaryTable withUnknownTable(DataSource source, String definition) throws Exception {
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "shop.odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE archive (id INT AUTO_INCREMENT PRIMARY KEY, " + definition + ")");
        }
        return table;
    }

    static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, sql);
        }
    }

    static int number(byte[] bytes) {
        byte[] hash = sha256(bytes);
        return (hash[0] & 0xFF) << 16 | (hash[1] & 0xFF) << 8 | hash[2] & 0xFF;
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static DataSource as(String user, DataSource source, String product) {
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                try (Connection connection = super.getConnection()) {
                    String url = connection.getMetaData().getURL().replaceFirst("\\?.*", "");
                    String tls = product.equals("MySQL") ? "?sslMode=trust" : "";
                    return DriverManager.getConnection(url + tls, user, user + "-1");
                }
            }
        };
    }
}
