package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A change reads a value with a dictionary that is deleted: the proof that there is none was wrong. */
class DeletedDictionaryIT {

    private static final ValueDictionary DICTIONARY =
            ValueDictionary.of("a dictionary of some bytes, such as those of a name or of an address".getBytes());

    @Test
    void itIsKeptBeforeItsLastValueIsWrittenWithoutIt() throws Exception {
        byte[] value = "a value with some bytes, such as those of a name or of an address".getBytes();
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(DICTIONARY)
                .dictionaries(Dictionaries.of(DICTIONARY))
                .policy(new EncodingPolicy(0, 0, true))
                .build();
        writer.startWriting();
        byte[] stored = writer.encode(value);
        try (OwnServer server = TestServers.mariaDb(Map.of())) {
            UsersTable users = new UsersTable(server);
            users.execute("CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT PRIMARY KEY, payload BLOB)");
            DictionaryTable table = DictionaryTable.in(new Connections(server.endpoint()), "shop")
                    .create();
            table.add(DICTIONARY, "shop.orders", "payload");
            users.execute("UPDATE shop.blobmark_dictionaries SET withdrawn_at = 1, deleted_at = 2000000");
            Dictionaries dictionaries =
                    Connections.dictionaries(server.endpoint(), TableColumn.of("shop", "orders", "payload"));
            Conversion conversion =
                    Conversion.to(new Target("lz4", new EncodingPolicy(0, 0, true)), Before.RAW, dictionaries);
            assertThat(conversion.value(stored)).isEqualTo(value);
            assertThat(table.isDeleted(DICTIONARY.number())).isFalse();

            users.execute("UPDATE shop.blobmark_dictionaries SET deleted_at = 2000000");
            assertThat(conversion.value(stored)).isEqualTo(value);
            assertThat(table.isDeleted(DICTIONARY.number()))
                    .as("asked for each value")
                    .isTrue();
        }
    }
}
