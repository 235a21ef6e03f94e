package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ReaderRegistry.Reader;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The registry and the table of dictionaries on connections as pools may give them: with any settings of the session,
 * with what somebody has left in a transaction, or with the transaction of the thread. Each call does what it does on a
 * new connection, or fails.
 */
@SuppressWarnings("try") // announcements are there until they are closed
class PooledSessionsIT {

    private static final int SEEDS = 25;

    private static final List<String> SETTINGS = List.of(
            "SET SESSION sql_select_limit = 0",
            "SET SESSION sql_select_limit = 1",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION completion_type = 1",
            "SET SESSION completion_type = 2",
            "SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,NO_BACKSLASH_ESCAPES'",
            "SET SESSION sql_mode = ''",
            "SET SESSION sql_safe_updates = 1",
            "SET SESSION sql_auto_is_null = 1",
            "SET SESSION time_zone = '+13:00'",
            "SET SESSION collation_connection = 'utf16_bin'",
            "SET SESSION div_precision_increment = 0",
            "SET SESSION autocommit = 0",
            "USE mysql",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT",
            "START TRANSACTION",
            "INSERT INTO shop.left_over VALUES (1)");

    private static final String OF_MARIADB = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',EMPTY_STRING_IS_NULL')";

    /** Sessions with settings drawn from a seed. */
    private static DataSource drawn(DataSource source, String product, long seed) {
        Random random = new Random(7_919 * seed + 13); // first numbers of small seeds are alike
        int ahead = random.nextInt(4) > 0 ? 0 : random.nextBoolean() ? 90_000 : -3_600;
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                List<String> order = new ArrayList<>(SETTINGS);
                if (product.equals("MariaDB")) {
                    order.add(0, OF_MARIADB);
                }
                synchronized (random) {
                    if (random.nextBoolean()) {
                        connection.setAutoCommit(false);
                    }
                    order.removeIf(setting -> random.nextInt(3) > 0);
                }
                if (ahead != 0) {
                    Sql.execute(connection, "SET SESSION timestamp = UNIX_TIMESTAMP() + " + ahead);
                }
                boolean isInTransaction = !connection.getAutoCommit()
                        || order.stream().anyMatch(setting -> setting.startsWith("START"))
                        || order.contains("SET SESSION autocommit = 0");
                boolean isReadOnly = order.contains("SET SESSION TRANSACTION READ ONLY");
                for (String setting : order) {
                    if (!setting.startsWith("INSERT") || isInTransaction && !isReadOnly) {
                        Sql.execute(connection, setting);
                    }
                }
                return connection;
            }
        };
    }

    private int failed;
    private int done;

    private interface Call {
        void run() throws Exception;
    }

    /** False if the call failed. A wrong answer is an error of the test. */
    private boolean succeeds(Call call) throws Exception {
        try {
            call.run();
            done++;
            return true;
        } catch (SQLException | DictionaryException | IllegalStateException e) {
            failed++;
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void noSettingOfASessionMakesAnAnswerWrong(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueDictionary used = TestDictionaries.trained(0);
        ValueDictionary unused = TestDictionaries.trained(50_000);
        ValueDictionary uncommitted = TestDictionaries.trained(90_000);
        byte[] stored = TestDictionaries.writer(used, true).encode(TestDictionaries.document(1));
        assertThat(StoredForm.of(stored).dictionary()).hasValue(used.number());
        for (int seed = 0; seed < SEEDS; seed++) {
            TestServers.clean(source);
            try (Connection connection = source.getConnection();
                    Connection open = source.getConnection()) {
                for (String table : List.of("a", "b")) {
                    Sql.execute(connection, "CREATE TABLE " + table + " (id INT PRIMARY KEY, payload BLOB)");
                }
                Sql.execute(connection, "CREATE TABLE left_over (id INT)");
                DictionaryTable table =
                        DictionaryTable.in(source, TestServers.SCHEMA).create();
                DataSource drawn = drawn(source, product, seed);
                check(drawn, table, connection, open, List.of(used, unused, uncommitted), stored);
                checkReaders(source, drawn);
                assertThat(Sql.strings(connection, "SELECT COUNT(*) FROM left_over"))
                        .as("seed %d", seed)
                        .containsExactly("0");
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        TestServers.clean(source);
        assertThat(done).as("%d others failed", failed).isGreaterThan(failed);
    }

    private void check(
            DataSource drawn,
            DictionaryTable plain,
            Connection connection,
            Connection open,
            List<ValueDictionary> dictionaries,
            byte[] stored)
            throws Exception {
        ValueDictionary used = dictionaries.get(0);
        ValueDictionary unused = dictionaries.get(1);
        DictionaryTable table = DictionaryTable.in(drawn, TestServers.SCHEMA);
        for (String of : List.of("a", "b")) {
            if (!succeeds(() -> table.add(used, of, "payload"))) {
                plain.add(used, of, "payload");
            }
        }
        if (!succeeds(() -> table.add(unused, "a", "payload"))) {
            plain.add(unused, "a", "payload");
        }
        plain.add(unused, "b", "payload");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO b VALUES (1, ?)")) {
            insert.setBytes(1, stored);
            insert.executeUpdate();
        }
        for (ValueDictionary each : List.of(used, unused)) {
            if (!succeeds(() -> table.withdraw(each.number()))) {
                plain.withdraw(each.number());
            }
        }
        Sql.execute(connection, "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401");
        open.setAutoCommit(false);
        try (PreparedStatement insert =
                open.prepareStatement("INSERT INTO blobmark_dictionaries (number, sha256, bytes) VALUES (?, ?, ?)")) {
            insert.setInt(1, dictionaries.get(2).number());
            insert.setBytes(2, dictionaries.get(2).sha256());
            insert.setBytes(3, dictionaries.get(2).bytes());
            insert.executeUpdate();
        }
        succeeds(() -> {
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.numbers()).containsExactlyInAnyOrder(used.number(), unused.number());
                assertThat(loaded.isWithdrawn(used.number())).isTrue();
            }
        });
        open.rollback();
        assertThatThrownBy(() -> table.delete(used.number())).isInstanceOf(DictionaryException.class);
        assertThat(plain.find(used.number())).isPresent();
        if (succeeds(() -> table.delete(unused.number()))) {
            assertThat(plain.isDeleted(unused.number())).isTrue();
        }
    }

    private void checkReaders(DataSource source, DataSource drawn) throws Exception {
        ReaderRegistry plain = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (ReaderRegistry readers = ReaderRegistry.in(drawn, TestServers.SCHEMA)) {
            ValueFormat format =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            try (Announcement one = plain.announce(new Reader("a reader of all", 1, Set.of("zstd", "stored")));
                    Announcement old = plain.announce(new Reader("old", 1, Set.of("lz4")))) {
                succeeds(() -> assertThat(readers.readers()).hasSize(2));
                assertThatThrownBy(format::startWriting).isInstanceOf(IllegalStateException.class);
            }
            succeeds(format::startWriting);
            succeeds(() -> {
                Announcement own = readers.announce(new Reader("own", 1, Set.of("lz4")));
                assertThat(plain.readers()).extracting(Reader::name).containsExactly("own");
                if (!succeeds(own::close)) {
                    try (Connection connection = source.getConnection()) {
                        Sql.execute(connection, "DELETE FROM blobmark_readers");
                    }
                }
                assertThat(plain.readers()).isEmpty();
            });
        }
    }

    /** The source gives the thread the connection of its transaction. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatAnApplicationDoesInItsTransactionIsItsOwn(String product) throws Exception {
        DataSource source = TestServers.source(product);
        TestServers.clean(source);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE orders (id INT PRIMARY KEY, payload BLOB)");
        }
        DictionaryTable.in(source, TestServers.SCHEMA).create();
        ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueDictionary dictionary = TestDictionaries.trained(0);
        DataSource bound = new TransactionAwareDataSourceProxy(source);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(source));
        try (ReaderRegistry readers = ReaderRegistry.in(bound, TestServers.SCHEMA)) {
            DictionaryTable table = DictionaryTable.in(bound, TestServers.SCHEMA);
            ValueFormat format =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            for (boolean isCommitted : new boolean[] {false, true}) {
                transaction.executeWithoutResult(status -> {
                    try (Connection connection = bound.getConnection()) {
                        Sql.execute(connection, "INSERT INTO orders VALUES (1, 'by the application')");
                        table.add(dictionary, "orders", "payload");
                        try (Announcement own = readers.announce("orders", format);
                                LoadedDictionaries loaded = table.load()) {
                            format.startWriting();
                            assertThat(loaded.numbers()).containsExactly(dictionary.number());
                            assertThat(readers.readers()).hasSize(1);
                        }
                        table.withdraw(dictionary.number());
                        assertThatThrownBy(() -> table.delete(dictionary.number()))
                                .isInstanceOf(DictionaryException.class);
                        assertThat(Sql.strings(connection, "SELECT COUNT(*) FROM orders"))
                                .containsExactly("1");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                    if (!isCommitted) {
                        status.setRollbackOnly();
                    }
                });
                try (Connection connection = source.getConnection()) {
                    assertThat(Sql.strings(connection, "SELECT COUNT(*) FROM orders"))
                            .containsExactly(isCommitted ? "1" : "0");
                }
            }
        } finally {
            TestServers.clean(source);
        }
    }
}
