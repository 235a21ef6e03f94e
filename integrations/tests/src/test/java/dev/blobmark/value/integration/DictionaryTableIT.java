package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.value.Collisions;
import dev.blobmark.value.Dictionary;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.Policy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DictionaryTableIT {

    private static byte[] document(int i) {
        return ("{\"customer_name\": \"customer " + i + "\", \"delivery_address\": {\"street\": \"street " + i % 17
                        + "\", \"postal_code\": \"" + (10_000 + i) + "\"}, \"articles\": [" + i * 7 + ", " + i * 13
                        + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static Dictionary trained(int from) {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int i = from; i < from + 1_000; i++) {
            trainer.add(document(i));
        }
        DictionaryTrainer.Trial trial = trainer.train(8_000, 3).orElseThrow();
        assertThat(trial.isWorthIt()).isTrue();
        return trial.dictionary();
    }

    private static void insert(DataSource source, int id, byte[] stored) throws Exception {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO `odd``orders` VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setBytes(2, stored);
            insert.executeUpdate();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void dictionariesAreFoundAndNotDeletedWhileValuesReferToThem(String product) throws Exception {
        DataSource source = TestServers.source(product);
        Dictionary first = trained(0);
        Dictionary second = trained(50_000);
        assertThat(first.number()).isNotEqualTo(second.number());
        DictionaryTable table =
                DictionaryTable.in(source, TestServers.SCHEMA).create().create();
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS `odd``orders`");
            Sql.execute(connection, "CREATE TABLE `odd``orders` (id INT PRIMARY KEY, payload BLOB)");
        }
        table.add(first, "shop.odd`orders", "payload");
        table.add(first, "shop.odd`orders", "payload");
        table.add(second, "shop.odd`orders", "payload");
        assertThat(table.all()).hasSize(2);

        byte[] value = document(90_000);
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(first)
                .policy(new Policy(0, 0, product.equals("MySQL")))
                .build();
        writer.startWriting();
        byte[] stored = writer.encode(value);
        ValueFormat reader = ValueFormat.builder().dictionaries(table).build();
        assertThat(reader.decode(stored)).isEqualTo(value);

        try (Connection connection = source.getConnection()) {
            insert(source, 1, stored);
            assertThatThrownBy(() -> table.delete(first.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is not deleted: values of shop.odd`orders.payload refer to it");
            assertThat(Collisions.count(connection, "shop.odd`orders", "payload"))
                    .isEqualTo(1);
            table.delete(second.number());
            Sql.execute(connection, "DELETE FROM `odd``orders`");
            table.delete(first.number());
            assertThat(table.all()).isEmpty();
        }
        assertThatThrownBy(
                        () -> ValueFormat.builder().dictionaries(table).build().decode(stored))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("dictionary " + Dictionary.name(first.number()) + ", which was not found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aDictionaryThatWasChangedIsRefused(String product) throws Exception {
        DataSource source = TestServers.source(product);
        Dictionary dictionary = trained(7_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "shop.nowhere", "payload");
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "UPDATE blobmark_dictionaries SET bytes = CONCAT(bytes, 'x')");
            assertThatThrownBy(() -> table.find(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("was changed in its table");
            Sql.execute(connection, "DROP TABLE blobmark_dictionaries, blobmark_dictionary_columns");
        }
    }

    /** All that is needed to read the values is in the two tables. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aCopyOfTheTablesCanBeReadElsewhere(String product) throws Exception {
        DataSource source = TestServers.source(product);
        Dictionary dictionary = trained(30_000);
        DictionaryTable.in(source, TestServers.SCHEMA).create().add(dictionary, "shop.copied", "payload");
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .policy(new Policy(0, 0, false))
                .build();
        writer.startWriting();
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE DATABASE elsewhere");
            Sql.execute(
                    connection,
                    "CREATE TABLE elsewhere.blobmark_dictionaries AS SELECT * FROM shop.blobmark_dictionaries");
            Sql.execute(connection, "DROP TABLE blobmark_dictionaries, blobmark_dictionary_columns");
            ValueFormat reader = ValueFormat.builder()
                    .dictionaries(DictionaryTable.in(source, "elsewhere"))
                    .build();
            for (int i = 0; i < 100; i++) {
                assertThat(reader.decode(writer.encode(document(i)))).isEqualTo(document(i));
            }
            Sql.execute(connection, "DROP DATABASE elsewhere");
        }
    }
}
