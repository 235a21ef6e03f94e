package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.aWeekPasses;
import static dev.blobmark.value.integration.TestDictionaries.await;
import static dev.blobmark.value.integration.TestDictionaries.awaitKept;
import static dev.blobmark.value.integration.TestDictionaries.deleted;
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
import dev.blobmark.value.FrameException;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ReaderRegistry;
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

    private static final String THREAD = "blobmark-notices";

    private final List<String> logged = logOf(LoadedDictionaries.class);

    @AfterEach
    void clean() throws Exception {
        TestDictionaries.clean(TestServers.source("MariaDB"));
    }

    private static void read(Dictionaries dictionaries) {
        assertThat(ValueFormat.builder().dictionaries(dictionaries).build().decode(STORED))
                .isEqualTo(document(90_000));
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
                if (Thread.currentThread().getName().equals(THREAD)) {
                    awaitLatch(mayWrite);
                }
                Connection connection = super.getConnection();
                return isHeld.compareAndSet(true, false)
                        ? beforeClose(connection, () -> {
                            hasRead.countDown();
                            awaitLatch(mayReturn);
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
            mayWrite.countDown();
        }
        assertThat(table.isDeleted(NUMBER)).isFalse();
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

    private static void awaitLatch(CountDownLatch latch) {
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
            awaitKept(table, NUMBER);
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
            @Override
            public Connection getConnection() throws SQLException {
                if (isArmed.get() && Thread.currentThread().getName().equals(THREAD)) {
                    throw new IllegalStateException("this pool is for reading only");
                }
                return super.getConnection();
            }
        };
        try (LoadedDictionaries loaded =
                DictionaryTable.in(odd, TestServers.SCHEMA).load()) {
            isArmed.set(true);
            read(loaded);
            await(() -> logged.stream().anyMatch(entry -> entry.contains("this pool is for reading only")));
            assertThatCode(loaded::reload).doesNotThrowAnyException();
            isArmed.set(false);
        }
    }

    /** Whoever has locked its row. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void newDictionariesAreLoadedWhileOneIsNotWritten(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        ValueDictionary next = trained(5_000);
        byte[] stored = writer(next, true).encode(document(1));
        try (Connection admin = source.getConnection();
                LoadedDictionaries loaded = table.load()) {
            Sql.execute(admin, "BEGIN");
            Sql.execute(admin, "UPDATE blobmark_dictionaries SET deleted_at = NULL WHERE number = " + NUMBER);
            read(loaded);
            table.add(next, "odd`orders", "payload");
            long begin = System.nanoTime();
            await(() -> isReadable(loaded, stored));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
            await(() -> logged.stream().anyMatch(entry -> entry.contains("could not be written to its table")));
            Sql.execute(admin, "ROLLBACK");
        }
        assertThat(table.isDeleted(NUMBER)).isFalse();
        TestDictionaries.clean(source);
    }

    private static boolean isReadable(Dictionaries dictionaries, byte[] stored) {
        try {
            ValueFormat.builder().dictionaries(dictionaries).build().decode(stored);
            return true;
        } catch (FrameException e) {
            return false;
        }
    }

    @Test
    void anAnnouncementDoesNotWait() throws Exception {
        DataSource source = TestServers.source("MySQL");
        TestDictionaries.clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        List<ValueDictionary> dictionaries = deleted(source, table, 2);
        ReaderRegistry registry = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (Connection admin = source.getConnection();
                LoadedDictionaries loaded = table.load()) {
            Sql.execute(admin, "BEGIN");
            Sql.execute(admin, "UPDATE blobmark_dictionaries SET deleted_at = NULL");
            dictionaries.forEach(dictionary -> loaded.onUse(dictionary.number()));
            ValueFormat format = ValueFormat.builder().dictionaries(loaded).build();
            long begin = System.nanoTime();
            registry.announce("x", format).close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
        }
        TestDictionaries.clean(source);
    }

    /** On a replica, it arrives that the deletion was taken back. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatAnotherProgramHasWrittenIsNoErrorAnyMore(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "SET GLOBAL read_only = 1");
        try (LoadedDictionaries loaded = table.load()) {
            read(loaded);
            await(() -> !logged.isEmpty());
            execute(source, "UPDATE blobmark_dictionaries SET deleted_at = NULL");
            logged.clear();
        } finally {
            execute(source, "SET GLOBAL read_only = 0");
        }
        assertThat(logged).isEmpty();
        TestDictionaries.clean(source);
    }

    /** A value was on its way. This program is perhaps the last one that has the bytes. */
    @Test
    void whatWasPurgedLongAgoIsAnErrorInTheLogOnce() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        try (LoadedDictionaries loaded = table.load()) {
            aWeekPasses(source);
            table.purge(NUMBER);
            loaded.reload();
            read(loaded);
            read(loaded);
        }
        assertThat(logged)
                .filteredOn(entry -> entry.startsWith("SEVERE") && entry.contains("it was purged: add it again"))
                .hasSize(1);
    }
}
