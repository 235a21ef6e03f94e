package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.insert;
import static dev.blobmark.value.integration.TestDictionaries.trained;
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
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A dictionary that was deleted can still be read with for a week, and who does keeps it. */
class DictionaryPurgeIT {

    private static DictionaryTable withDeleted(DataSource source, ValueDictionary dictionary) throws Exception {
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        table.delete(dictionary.number());
        assertThat(table.isDeleted(dictionary.number())).isTrue();
        return table;
    }

    private static void aWeekPasses(DataSource source) throws Exception {
        execute(source, "UPDATE blobmark_dictionaries SET deleted_at = deleted_at - 604801");
    }

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
            loaded.reload();
            assertThat(table.isDeleted(number)).isFalse();
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
        DataSource reading = TestDictionaries.as("readsonly", source, "MySQL");
        try (LoadedDictionaries loaded =
                DictionaryTable.in(reading, TestServers.SCHEMA).load()) {
            ValueFormat reader = ValueFormat.builder().dictionaries(loaded).build();
            assertThat(reader.decode(stored)).isEqualTo(document(90_000));
            loaded.reload();
            assertThat(table.isDeleted(dictionary.number())).isTrue();
            execute(source, "GRANT UPDATE ON shop.* TO readsonly");
            loaded.reload();
            assertThat(table.isDeleted(dictionary.number())).isFalse();
        } finally {
            execute(source, "DROP USER readsonly");
            clean(source);
        }
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
}
