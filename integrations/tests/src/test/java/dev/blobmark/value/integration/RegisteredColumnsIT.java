package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.assertNotDeleted;
import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.insert;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withUnknownTable;
import static dev.blobmark.value.integration.TestDictionaries.withdrawADayAgo;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.ValueDictionary;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The columns whose values a dictionary encodes, by the names of the server. */
class RegisteredColumnsIT {

    /** In Java, the lower case of a letter can be two. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void namesInOtherLettersAreThoseOfTheServer(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "`\u0130y` BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "\u0130y");
        assertThatThrownBy(() -> table.forget(dictionary.number(), "shop.archive", "\u0130y"))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("exists");
        withdrawADayAgo(source, table, dictionary.number());
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        execute(source, "INSERT INTO archive (`\u0130y`) SELECT payload FROM `odd``orders`");
        execute(source, "DELETE FROM `odd``orders`");
        assertNotDeleted(table, dictionary.number(), "values of shop.archive.\u0130y refer to it");
        execute(source, "DELETE FROM archive");
        table.delete(dictionary.number());
        assertThat(table.isDeleted(dictionary.number())).isTrue();
        clean(source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aColumnThatIsThereIsNotForgotten(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB INVISIBLE");
        int number = trained(0).number();
        table.add(trained(0), "shop.archive", "payload");
        assertThatThrownBy(() -> table.forget(number, "shop.archive", "payload"))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("exists");
        DataSource hiding = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "CREATE TEMPORARY TABLE archive (id INT)");
                return connection;
            }
        };
        assertThatThrownBy(
                        () -> DictionaryTable.in(hiding, TestServers.SCHEMA).forget(number, "shop.archive", "payload"))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("a temporary table of the connection hides");
        execute(source, "RENAME TABLE archive TO renamed");
        execute(source, "CREATE VIEW archive AS SELECT id, payload FROM renamed");
        assertThatThrownBy(() -> table.forget(number, "shop.archive", "payload"))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("is of a view now");
        execute(source, "DROP VIEW archive");
        table.forget(number, "shop.archive", "payload");
        clean(source);
    }

    /** Of text that no frame can be in, of text that is read, and of a schema that is not there any more. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aColumnThatHasChangedDoesNotPreventADeletionForEver(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB, other BLOB");
        int number = trained(0).number();
        table.add(trained(0), "shop.archive", "payload");
        table.add(trained(0), "shop.archive", "other");
        execute(source, "CREATE DATABASE second");
        execute(source, "CREATE TABLE second.old (id INT PRIMARY KEY, payload BLOB)");
        table.add(trained(0), "second.old", "payload");
        withdrawADayAgo(source, table, number);
        execute(
                source,
                "ALTER TABLE archive MODIFY payload LONGTEXT CHARACTER SET utf8mb4,"
                        + " MODIFY other LONGTEXT CHARACTER SET latin1");
        execute(source, "DROP DATABASE second");
        assertNotDeleted(table, number, "call forget");
        table.forget(number, "second.old", "payload");
        table.delete(number);
        assertThat(table.isDeleted(number)).isTrue();
        clean(source);
    }

    /** What the connection's names mean is not what others see. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTemporaryTableHidesNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        insert(source, 1, writer(dictionary, true).encode(document(3)));
        withdrawADayAgo(source, table, dictionary.number());
        DataSource hiding = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "CREATE TEMPORARY TABLE `odd``orders` (id INT, payload BLOB)");
                return connection;
            }
        };
        assertNotDeleted(DictionaryTable.in(hiding, TestServers.SCHEMA), dictionary.number(), "a temporary table");
        execute(source, "DELETE FROM `odd``orders`");
        DataSource other = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "CREATE TEMPORARY TABLE left_over (id INT)");
                return connection;
            }
        };
        DictionaryTable over = DictionaryTable.in(other, TestServers.SCHEMA);
        if (product.equals("MariaDB")) {
            assertNotDeleted(over, dictionary.number(), "a temporary table left_over in shop");
        } else {
            over.delete(dictionary.number());
        }
        TestServers.clean(source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void viewsAreNeitherRegisteredNorForgotten(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE base (payload BLOB)");
            Sql.execute(connection, "CREATE VIEW seen AS SELECT payload FROM base");
            assertThatThrownBy(() -> table.add(dictionary, "seen", "payload"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is of a view");
            // as an earlier version has registered it
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_dictionary_columns VALUES (" + dictionary.number()
                            + ", 'shop.seen', 'payload')");
            assertThatThrownBy(() -> table.forget(dictionary.number(), "seen", "payload"))
                    .hasMessageContaining("is of a view now, so it is not forgotten");
            Sql.execute(connection, "DROP VIEW seen");
            table.forget(dictionary.number(), "seen", "payload");
            Sql.execute(connection, "UPDATE blobmark_dictionaries SET withdrawn_at = 9223372036854775807");
            assertThatThrownBy(() -> table.delete(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("was changed");
        } finally {
            TestServers.clean(source);
        }
    }

    /** Servers do not distinguish names of columns by case. A table that is dropped can be forgotten. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void columnsAreRegisteredByTheNamesOfTheServer(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        int number = dictionary.number();
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE old (id INT PRIMARY KEY, Payload BLOB)");
            table.add(dictionary, "odd`orders", "PAYLOAD");
            table.add(dictionary, "old", "payload");
            withdrawADayAgo(source, table, number);
            assertThatThrownBy(() -> table.forget(number, "old", "payload"))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessage("shop.old.payload exists, so it is not forgotten");
            Sql.execute(connection, "DROP TABLE old");
            assertNotDeleted(table, number, "call forget if its values were not moved elsewhere");
            assertThatThrownBy(() -> table.forget(number, "older", "payload"))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageStartingWith("no column older.payload is registered with dictionary ");
            table.forget(number, "shop.old", "payload");
            table.delete(number);
        } finally {
            TestServers.clean(source);
        }
    }
}
