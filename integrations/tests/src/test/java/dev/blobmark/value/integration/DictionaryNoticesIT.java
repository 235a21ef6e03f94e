package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.aWeekPasses;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.logOf;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withDeleted;
import static dev.blobmark.value.integration.TestDictionaries.withdrawADayAgo;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

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
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** How a program that reads a value with a deleted dictionary says so, whatever keeps it from that. */
class DictionaryNoticesIT {

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
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
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

    /** A look that began before the deletion, and ends after a later one. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOlderLookForgetsNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        TestDictionaries.clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(DICTIONARY, "odd`orders", "payload");
        withdrawADayAgo(source, table, NUMBER);
        CountDownLatch hasRead = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        CountDownLatch mayWrite = new CountDownLatch(1);
        AtomicBoolean isHeld = new AtomicBoolean();
        DataSource slow = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().equals("blobmark-dictionaries")) {
                    await(mayWrite);
                }
                Connection connection = super.getConnection();
                return isHeld.compareAndSet(true, false)
                        ? beforeClose(connection, () -> {
                            hasRead.countDown();
                            await(mayReturn);
                        })
                        : connection;
            }
        };
        try (LoadedDictionaries loaded =
                DictionaryTable.in(slow, TestServers.SCHEMA).load()) {
            isHeld.set(true);
            FutureTask<Void> older = new FutureTask<>(loaded::reload, null);
            new Thread(older, "older").start();
            hasRead.await();
            table.delete(NUMBER);
            loaded.reload(); // now it is known that it is deleted
            read(loaded);
            mayReturn.countDown();
            older.get();
            loaded.reload();
            assertThat(table.isDeleted(NUMBER)).isFalse();
            mayWrite.countDown();
        }
        assertThat(logged).noneMatch(entry -> entry.startsWith("SEVERE"));
    }

    private static Connection beforeClose(Connection connection, Runnable before) {
        return (Connection) Proxy.newProxyInstance(
                DictionaryNoticesIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        before.run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A purge that has removed it in the minute that a program may not know of it: the program has its bytes. */
    @Test
    void whatWasPurgedMeanwhileIsAnErrorInTheLog() throws Exception {
        DataSource source = TestServers.source("MySQL");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        try (LoadedDictionaries loaded = table.load()) {
            aWeekPasses(source);
            table.purge(NUMBER);
            read(loaded);
        }
        assertThat(logged).anyMatch(entry -> entry.startsWith("SEVERE") && entry.contains("was purged: add it again"));
    }

    /** Another program was faster: this one need not be able to write. */
    @Test
    void whatIsNotDeletedAnyMoreIsNeitherAnErrorNorAWarning() throws Exception {
        DataSource source = TestServers.source("MySQL");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "DROP USER IF EXISTS readsonly");
        execute(source, "CREATE USER readsonly IDENTIFIED BY 'readsonly-1'");
        execute(source, "GRANT SELECT ON shop.* TO readsonly");
        try (LoadedDictionaries loaded = DictionaryTable.in(
                        TestDictionaries.as("readsonly", source, "MySQL"), TestServers.SCHEMA)
                .load()) {
            assertThat(table.keep(NUMBER)).isTrue();
            assertThat(table.keep(NUMBER)).isFalse();
            read(loaded);
        } finally {
            execute(source, "DROP USER readsonly");
        }
        assertThat(logged).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void onAServerThatIsReadOnlyItIsAnErrorInTheLog(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "SET GLOBAL read_only = 1");
        try {
            try (LoadedDictionaries loaded = table.load()) {
                read(loaded);
                loaded.reload();
            }
            assertThat(table.isDeleted(NUMBER)).isTrue();
        } finally {
            execute(source, "SET GLOBAL read_only = 0");
        }
        assertThat(logged).anyMatch(entry -> entry.startsWith("SEVERE") && entry.contains("the server is read-only"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void rightsOnTheTableOfDictionariesSuffice(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "DROP USER IF EXISTS onlyone");
        execute(source, "CREATE USER onlyone IDENTIFIED BY 'onlyone-1'");
        execute(source, "GRANT SELECT, UPDATE (deleted_at) ON shop.blobmark_dictionaries TO onlyone");
        try (LoadedDictionaries loaded = DictionaryTable.in(
                        TestDictionaries.as("onlyone", source, product), TestServers.SCHEMA)
                .load()) {
            read(loaded);
        } finally {
            execute(source, "DROP USER onlyone");
        }
        assertThat(table.isDeleted(NUMBER)).isFalse();
    }

    /** Of two schemas. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void dictionariesOfSeveralTablesAreKept(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "CREATE DATABASE second");
        try (LoadedDictionaries one =
                        DictionaryTable.in(source, "second").create().load();
                LoadedDictionaries two = table.load()) {
            Dictionaries all = Dictionaries.all(one, two);
            read(all);
            all.reload();
            assertThat(table.isDeleted(NUMBER)).isFalse();
            assertThat(all.numbers()).containsExactly(NUMBER);
            assertThat(all.isWithdrawn(NUMBER)).isTrue();
        }
        TestDictionaries.clean(source);
    }

    /** A look must not fail because of it. */
    @Test
    void aSourceThatThrowsSomethingElseIsAnErrorInTheLog() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        withDeleted(source, DICTIONARY);
        AtomicBoolean isArmed = new AtomicBoolean();
        DataSource odd = new DelegatingDataSource(source) {
            private int count;

            @Override
            public synchronized Connection getConnection() throws SQLException {
                if (isArmed.get() && !Thread.currentThread().getName().equals("blobmark-dictionaries") && ++count > 1) {
                    throw new IllegalStateException("this pool is for reading only");
                }
                return super.getConnection();
            }
        };
        execute(source, "SET GLOBAL read_only = 1"); // else the thread may be faster
        try (LoadedDictionaries loaded =
                DictionaryTable.in(odd, TestServers.SCHEMA).load()) {
            isArmed.set(true);
            read(loaded);
            assertThatCode(loaded::reload).doesNotThrowAnyException();
            assertThat(logged).anyMatch(entry -> entry.contains("this pool is for reading only"));
        } finally {
            execute(source, "SET GLOBAL read_only = 0");
        }
    }
}
