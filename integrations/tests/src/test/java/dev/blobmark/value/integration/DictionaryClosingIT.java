package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.awaitKept;
import static dev.blobmark.value.integration.TestDictionaries.deleted;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.logOf;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withDeleted;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What is not said yet is written when loaded dictionaries are closed, which takes seconds at most. */
class DictionaryClosingIT {

    private static final ValueDictionary DICTIONARY = trained(0);
    private static final int NUMBER = DICTIONARY.number();
    private static final byte[] STORED = writer(DICTIONARY, true).encode(document(90_000));

    private final List<String> logged = logOf(LoadedDictionaries.class);

    @AfterEach
    void clean() throws Exception {
        TestDictionaries.clean(TestServers.source("MariaDB"));
    }

    private static void read(Dictionaries dictionaries) {
        assertThat(ValueFormat.builder().dictionaries(dictionaries).build().decode(STORED))
                .isEqualTo(document(90_000));
    }

    private static Connection before(Connection connection, String called, Runnable before) {
        return (Connection) Proxy.newProxyInstance(
                DictionaryClosingIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals(called)) {
                        before.run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** @param before is run before each call of a method of a connection */
    private static DataSource before(DataSource source, String called, Runnable before) {
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                return before(super.getConnection(), called, before);
            }
        };
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By a source that takes a while, as a pool or a network does. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aProgramThatEndsAtOnceSaysSoBefore(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        DataSource pool = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    throw new SQLException("interrupted while waiting for a connection", e);
                }
                return super.getConnection();
            }
        };
        try (LoadedDictionaries loaded =
                DictionaryTable.in(pool, TestServers.SCHEMA).load()) {
            read(loaded);
        }
        assertThat(table.isDeleted(NUMBER)).isFalse();
        assertThat(logged).anyMatch(entry -> entry.startsWith("WARNING") && entry.contains("it is kept"));
    }

    @Test
    void whatCannotBeSaidAtTheEndIsAnErrorInTheLogWithinSeconds() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        try (Connection other = source.getConnection()) {
            Sql.execute(other, "BEGIN");
            Sql.strings(other, "SELECT number FROM blobmark_dictionaries FOR UPDATE");
            LoadedDictionaries loaded = table.load();
            read(loaded);
            long begin = System.nanoTime();
            loaded.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
            assertThat(logged).anyMatch(entry -> entry.startsWith("SEVERE") && entry.contains("do not purge it"));
        }
    }

    @Test
    void whatIsReadAfterTheEndIsAnErrorInTheLogOnce() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        LoadedDictionaries loaded = table.load();
        loaded.close();
        read(loaded);
        read(loaded);
        assertThat(logged)
                .filteredOn(entry -> entry.startsWith("SEVERE") && entry.contains("were closed before"))
                .hasSize(1);
    }

    @Test
    void oneThatIsLockedDoesNotKeepOthersFromBeingWrittenAtTheEnd() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        TestDictionaries.clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        List<ValueDictionary> dictionaries = deleted(source, table, 2);
        for (int locked = 0; locked < 2; locked++) {
            execute(source, "UPDATE blobmark_dictionaries SET deleted_at = UNIX_TIMESTAMP()");
            try (Connection admin = source.getConnection()) {
                LoadedDictionaries loaded = table.load();
                Sql.execute(admin, "BEGIN");
                int number = dictionaries.get(locked).number();
                Sql.execute(admin, "UPDATE blobmark_dictionaries SET deleted_at = NULL WHERE number = " + number);
                dictionaries.forEach(dictionary -> loaded.onUse(dictionary.number()));
                loaded.close();
                awaitKept(table, dictionaries.get(1 - locked).number());
                Sql.execute(admin, "ROLLBACK");
            }
        }
    }

    private void assertEndsSoon(LoadedDictionaries loaded) {
        long begin = System.nanoTime();
        loaded.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
        assertThat(logged).anyMatch(entry -> entry.startsWith("SEVERE") && entry.contains("do not purge it"));
    }

    /** With a source that gives no connection. */
    @Test
    void aThreadThatIsInterruptedEndsSoonToo() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        TestDictionaries.clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        List<ValueDictionary> dictionaries = deleted(source, table, 5);
        AtomicBoolean isDown = new AtomicBoolean();
        DataSource down = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                if (isDown.get()) {
                    awaitLatch(new CountDownLatch(1));
                }
                return super.getConnection();
            }
        };
        LoadedDictionaries loaded = DictionaryTable.in(down, TestServers.SCHEMA).load();
        isDown.set(true);
        dictionaries.forEach(dictionary -> loaded.onUse(dictionary.number()));
        Thread.currentThread().interrupt();
        try {
            assertEndsSoon(loaded);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(logged).filteredOn(entry -> entry.contains("within 5 s")).hasSize(5);
    }

    @Test
    void aProgramEndsSoonThoughItsServerAnswersSlowly() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        withDeleted(source, DICTIONARY);
        AtomicBoolean isSlow = new AtomicBoolean();
        DataSource slow = before(source, "createStatement", () -> {
            if (isSlow.get()) {
                LockSupport.parkNanos(10_000_000_000L);
            }
        });
        LoadedDictionaries loaded = DictionaryTable.in(slow, TestServers.SCHEMA).load();
        isSlow.set(true);
        read(loaded);
        assertEndsSoon(loaded);
    }

    /** Such as that of a pool that is being closed. */
    @Test
    void aProgramEndsThoughItHoldsALockOfTheSource() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        withDeleted(source, DICTIONARY);
        ReentrantLock returning = new ReentrantLock();
        DataSource pool = before(source, "close", () -> {
            returning.lock();
            returning.unlock();
        });
        LoadedDictionaries loaded = DictionaryTable.in(pool, TestServers.SCHEMA).load();
        returning.lock();
        try {
            read(loaded);
            assertEndsSoon(loaded);
        } finally {
            returning.unlock();
        }
    }

    /** As with a driver that has no time-outs. */
    @Test
    void aProgramEndsSoonThoughItsConnectionHasNoTimeout() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        withDeleted(source, DICTIONARY);
        DataSource old = before(source, "setNetworkTimeout", () -> {
            throw new AbstractMethodError();
        });
        try (Connection admin = source.getConnection()) {
            LoadedDictionaries loaded =
                    DictionaryTable.in(old, TestServers.SCHEMA).load();
            Sql.execute(admin, "BEGIN");
            Sql.execute(admin, "UPDATE blobmark_dictionaries SET deleted_at = NULL");
            read(loaded);
            assertEndsSoon(loaded);
            Sql.execute(admin, "ROLLBACK");
        }
    }
}
