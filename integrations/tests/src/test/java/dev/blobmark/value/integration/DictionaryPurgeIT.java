package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.aWeekPasses;
import static dev.blobmark.value.integration.TestDictionaries.await;
import static dev.blobmark.value.integration.TestDictionaries.awaitKept;
import static dev.blobmark.value.integration.TestDictionaries.awaitLock;
import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.insert;
import static dev.blobmark.value.integration.TestDictionaries.logOf;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withDeleted;
import static dev.blobmark.value.integration.TestDictionaries.withdrawADayAgo;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A dictionary that was deleted can still be read with for a week, and who does keeps it. */
class DictionaryPurgeIT {

    private static final ValueDictionary DICTIONARY = trained(0);
    private static final int NUMBER = DICTIONARY.number();
    private static final byte[] STORED = writer(DICTIONARY, true).encode(document(90_000));

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void bytesAreRemovedAWeekLaterIfNoValueRefersToThem(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = withDeleted(source, dictionary);
        int number = dictionary.number();
        table.delete(number); // does not begin the week again
        assertThatThrownBy(() -> table.purge(number)).hasMessageContaining("it was deleted at ");
        aWeekPasses(source);
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        assertThatThrownBy(() -> table.purge(number))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("is kept: values of shop.odd`orders.payload refer to it");
        assertThat(table.find(number)).isPresent();
        execute(source, "DELETE FROM `odd``orders`");
        table.purge(number);
        assertThat(table.find(number)).isEmpty();
        assertThat(table.isDeleted(number)).isTrue();
        try (Connection connection = source.getConnection()) {
            assertThat(Sql.strings(connection, "SELECT of_column FROM blobmark_dictionary_columns"))
                    .isEmpty();
        }
        clean(source);
    }

    /** It has been decoding with it since before the deletion, so it looks for no dictionary. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aProgramThatReadsAValueKeepsItsDictionary(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = withDeleted(source, dictionary);
        int number = dictionary.number();
        byte[] stored = writer(dictionary, true).encode(document(90_000));
        table.add(dictionary, "odd`orders", "payload");
        try (LoadedDictionaries loaded = table.load()) {
            ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
            assertThat(reader.decode(stored)).isEqualTo(document(90_000));
            withdrawADayAgo(source, table, number);
            table.delete(number);
            loaded.reload();
            loaded.reload();
            assertThat(table.isDeleted(number)).isTrue();
            aWeekPasses(source);

            assertThat(reader.decode(stored)).isEqualTo(document(90_000));
            awaitKept(table, number);
            assertThat(loaded.isWithdrawn(number)).isTrue();
        }
        assertThatThrownBy(() -> table.purge(number)).hasMessageContaining("a value was read with it since");
        assertThat(table.find(number)).isPresent();
        clean(source);
    }

    /** It was not running when the dictionary was deleted; and it may not say so at first. */
    @Test
    void aProgramThatStartsLaterReadsAndKeeps() throws Exception {
        DataSource source = TestServers.source("MySQL");
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = withDeleted(source, dictionary);
        byte[] stored = writer(dictionary, true).encode(document(90_000));
        execute(source, "DROP USER IF EXISTS readsonly");
        execute(source, "CREATE USER readsonly IDENTIFIED BY 'readsonly-1'");
        execute(source, "GRANT SELECT ON shop.* TO readsonly");
        List<String> logged = logOf(LoadedDictionaries.class);
        DataSource reading = TestDictionaries.as("readsonly", source, "MySQL");
        try (LoadedDictionaries loaded =
                DictionaryTable.in(reading, TestServers.SCHEMA).load()) {
            ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
            assertThat(reader.decode(stored)).isEqualTo(document(90_000));
            await(() -> !logged.isEmpty());
            assertThat(table.isDeleted(dictionary.number())).isTrue();
            execute(source, "GRANT UPDATE ON shop.* TO readsonly");
        } finally {
            execute(source, "DROP USER readsonly");
        }
        assertThat(table.isDeleted(dictionary.number())).isFalse();
        clean(source);
    }

    @Test
    void aTableOfAnEarlierReleaseIsReadAndNothingIsDeletedFromIt() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        execute(source, "ALTER TABLE blobmark_dictionaries DROP COLUMN deleted_at");
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        byte[] stored = writer(dictionary, true).encode(document(90_000));
        try (LoadedDictionaries loaded = table.load()) {
            ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
            assertThat(reader.decode(stored)).isEqualTo(document(90_000));
        }
        assertThatThrownBy(() -> table.delete(dictionary.number())).hasMessageContaining("call create");
        table.create().delete(dictionary.number());
        assertThat(table.isDeleted(dictionary.number())).isTrue();
        clean(source);
    }

    /**
     * Nothing is locked while values are read: who reads one with the dictionary says so at once, and new dictionaries
     * are loaded.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aValueThatIsReadWhileAPurgeReadsKeepsItsDictionary(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        aWeekPasses(source);
        ValueDictionary next = trained(5_000);
        whileItReads(source, table, () -> {
            try (LoadedDictionaries loaded = table.load()) {
                ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
                assertThat(reader.decode(STORED)).isEqualTo(document(90_000));
                long begin = System.nanoTime();
                awaitKept(table, NUMBER);
                table.add(next, "odd`orders", "payload");
                loaded.reload();
                assertThat(reader.decode(writer(next, true).encode(document(1))))
                        .isEqualTo(document(1));
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
            }
        });
        assertThat(table.find(NUMBER)).isPresent();
        clean(source);
    }

    /** It was added and deleted again, so the week begins again. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aDictionaryThatIsDeletedAgainWhileAPurgeReadsIsNotPurged(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        aWeekPasses(source);
        whileItReads(
                source, table, () -> execute(source, "UPDATE blobmark_dictionaries SET deleted_at = UNIX_TIMESTAMP()"));
        assertThat(table.isDeleted(NUMBER)).isTrue();
        assertThat(table.find(NUMBER)).isPresent();
        try (Connection connection = source.getConnection()) {
            assertThat(Sql.strings(connection, "SELECT of_column FROM blobmark_dictionary_columns"))
                    .hasSize(1);
        }
        clean(source);
    }

    private interface Meanwhile {
        void run() throws Exception;
    }

    private static void whileItReads(DataSource source, DictionaryTable table, Meanwhile meanwhile) throws Exception {
        insert(source, 7, new byte[] {1});
        try (Connection other = source.getConnection()) {
            Sql.execute(other, "BEGIN");
            Sql.execute(other, "UPDATE `odd``orders` SET payload = 'x' WHERE id = 7");
            FutureTask<Void> purging = new FutureTask<>(() -> table.purge(NUMBER), null);
            new Thread(purging, "purging").start();
            awaitLock(other, purging); // in the second of its three readings
            meanwhile.run();
            Sql.execute(other, "COMMIT");
            assertThatThrownBy(purging::get)
                    .cause()
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is kept: it was ");
        }
    }

    /** The release before this one knows {@code withdrawn_at} only. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anEarlierReleaseThatAddsItAgainDoesNotShortenTheWeek(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        aWeekPasses(source);
        execute(source, "UPDATE blobmark_dictionaries SET withdrawn_at = NULL");
        try (LoadedDictionaries loaded = table.load()) {
            assertThat(loaded.isWithdrawn(NUMBER)).isTrue();
        }
        // withdrawn by that release
        execute(source, "UPDATE blobmark_dictionaries SET withdrawn_at = UNIX_TIMESTAMP() - 86401");
        assertThatThrownBy(() -> table.purge(NUMBER))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("it was not deleted since it was withdrawn: call delete");
        table.delete(NUMBER);
        assertThatThrownBy(() -> table.purge(NUMBER)).hasMessageContaining("it was deleted at ");
        aWeekPasses(source);
        table.purge(NUMBER);
        clean(source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatIsWithdrawnAgainIsNotDeleted(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        table.withdraw(NUMBER); // changes nothing
        assertThat(table.isDeleted(NUMBER)).isTrue();
        execute(source, "UPDATE blobmark_dictionaries SET withdrawn_at = NULL");
        table.withdraw(NUMBER);
        assertThat(table.isDeleted(NUMBER)).isFalse();
        clean(source);
    }

    /** A replica may be behind, and an account may be one that can write to it all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aServerThatIsReadOnlyIsNotChanged(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        aWeekPasses(source);
        execute(source, "ALTER TABLE `odd``orders` DROP COLUMN payload");
        execute(source, "SET GLOBAL read_only = 1");
        try {
            List<ThrowingCallable> changes = List.of(
                    () -> table.purge(NUMBER),
                    () -> table.delete(NUMBER),
                    () -> table.withdraw(NUMBER),
                    () -> table.keep(NUMBER),
                    () -> table.forget(NUMBER, "odd`orders", "payload"));
            assertThat(changes)
                    .allSatisfy(change -> assertThatThrownBy(change)
                            .isInstanceOf(DictionaryException.class)
                            .hasMessageContaining("the server is read-only"));
            execute(source, "ALTER TABLE `odd``orders` ADD COLUMN payload BLOB");
            assertThatThrownBy(() -> table.add(DICTIONARY, "odd`orders", "payload"))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("the server is read-only");
        } finally {
            execute(source, "SET GLOBAL read_only = 0");
        }
        assertThat(table.isDeleted(NUMBER)).isTrue();
        assertThat(table.find(NUMBER)).isPresent();
        clean(source);
    }

    /** Whoever purges may not know which columns were named. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatWasNamedForADeletionIsReadByAPurge(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(DICTIONARY, "odd`orders", "payload");
        withdrawADayAgo(source, table, NUMBER);
        execute(source, "CREATE DATABASE second");
        execute(source, "CREATE TABLE second.archive (id INT PRIMARY KEY, payload BLOB)");
        table.delete(NUMBER, "second.archive.payload");
        aWeekPasses(source);
        insert(source, 1, STORED);
        execute(source, "INSERT INTO second.archive SELECT * FROM `odd``orders`");
        execute(source, "DELETE FROM `odd``orders`");
        assertThatThrownBy(() -> table.purge(NUMBER))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("values of second.archive.payload refer to it");
        execute(source, "DROP TABLE second.archive");
        assertThatThrownBy(() -> table.purge(NUMBER)).hasMessageContaining("call forget");
        table.forget(NUMBER, "second.archive", "payload");
        table.purge(NUMBER);
        clean(source);
    }

    /** It would be read once only. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aColumnThatIsNamedForAPurgeOnlyPreventsIt(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "CREATE DATABASE second");
        execute(source, "CREATE TABLE second.archive (id INT PRIMARY KEY, payload BLOB)");
        aWeekPasses(source);
        assertThatThrownBy(() -> table.purge(NUMBER, "second.archive.payload"))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("call delete with it")
                .hasMessageContaining("second.archive.payload");
        execute(source, "CREATE TABLE shop.archive (id INT PRIMARY KEY, payload BLOB)");
        assertThatThrownBy(() -> table.purge(NUMBER))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("call delete with it")
                .hasMessageContaining("shop.archive.payload");
        assertThat(table.find(NUMBER)).isPresent();
        execute(source, "DROP TABLE shop.archive");
        table.purge(NUMBER, "shop.odd`orders.payload");
        clean(source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void theWeekBeginsAgainWhenAColumnIsNamedForTheFirstTime(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "CREATE DATABASE second");
        execute(source, "CREATE TABLE second.archive (id INT PRIMARY KEY, payload BLOB)");
        aWeekPasses(source);
        table.delete(NUMBER, "second.archive.payload");
        assertThatThrownBy(() -> table.purge(NUMBER)).hasMessageContaining("it was deleted at ");
        aWeekPasses(source);
        table.delete(NUMBER, "second.archive.payload"); // does not begin the week again
        table.purge(NUMBER, "second.archive.payload");
        clean(source);
    }

    /** The rights of an earlier release suffice for it. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatIsNotDeletedIsKeptWithRightsOnSomeColumns(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(DICTIONARY, "odd`orders", "payload");
        execute(source, "DROP USER IF EXISTS somecolumns");
        execute(source, "CREATE USER somecolumns IDENTIFIED BY 'somecolumns-1'");
        execute(
                source,
                "GRANT SELECT (number, sha256, bytes, withdrawn_at) ON shop.blobmark_dictionaries TO somecolumns");
        try {
            DataSource limited = TestDictionaries.as("somecolumns", source, product);
            assertThat(DictionaryTable.in(limited, TestServers.SCHEMA).keep(NUMBER))
                    .isFalse();
            execute(source, "GRANT SELECT (deleted_at) ON shop.blobmark_dictionaries TO somecolumns");
            assertThat(DictionaryTable.in(limited, TestServers.SCHEMA).keep(NUMBER))
                    .isFalse();
        } finally {
            execute(source, "DROP USER somecolumns");
        }
        clean(source);
    }

    /** With {@code innodb_snapshot_isolation}, the default since MariaDB 11.6.2. */
    @Test
    void aProgramMayBeFasterThanAnotherThatKeepsTheSame() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withDeleted(source, DICTIONARY);
        execute(source, "SET GLOBAL innodb_snapshot_isolation = ON");
        try (Connection other = source.getConnection()) {
            Sql.execute(other, "BEGIN");
            Sql.execute(other, "UPDATE blobmark_dictionaries SET deleted_at = NULL");
            FutureTask<Void> keeping =
                    new FutureTask<>(() -> assertThat(table.keep(NUMBER)).isFalse(), null);
            new Thread(keeping, "keeping").start();
            awaitLock(other, keeping);
            Sql.execute(other, "COMMIT");
            keeping.get();
        } finally {
            execute(source, "SET GLOBAL innodb_snapshot_isolation = OFF");
        }
        clean(source);
    }
}
