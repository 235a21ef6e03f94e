package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/** A set: a table of keys alone, each its row's primary key. Confined as every table is. */
public final class KeyTable extends MySqlTable {

    /** Keys of a statement: more are hardly faster, and a statement is no longer than 64 KB of keys and the server's time. */
    private static final int STATEMENT_KEYS = 1_000;

    /** Statements of a transaction. */
    private static final int TRANSACTION_STATEMENTS = 20;

    private final EncodedValues keys;
    private final LoadOrder order;

    /** @param order in which they are loaded */
    public KeyTable(
            Connection connection, String schema, String name, Layout layout, EncodedValues keys, LoadOrder order) {
        super(connection, schema, name, layout, Column.ofKeys(keys));
        this.keys = keys;
        this.order = order;
    }

    @Override
    public String ddl() {
        return ddl(schema, name, layout, Column.ofKeys(keys).type());
    }

    /** The statement that makes such a table. */
    public static String ddl(String schema, String name, Layout layout, String keyType) {
        return "CREATE TABLE `" + schema + "`.`" + name + "` (id " + keyType + " NOT NULL PRIMARY KEY) "
                + layout.options();
    }

    @Override
    String columnName() {
        return "id";
    }

    /** Inserts all keys, a thousand with each statement. */
    @Override
    void insertAll(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        PrimitiveIterator.OfInt numbers = order.of(values).iterator();
        long bytes = 0;
        int whole = values.count() / STATEMENT_KEYS;
        try (PreparedStatement insert = connection.prepareStatement(dialect.insertKeys(name, STATEMENT_KEYS))) {
            for (int i = 1; i <= whole; i++) {
                bytes += insert(insert, values, numbers, STATEMENT_KEYS);
                if (i % TRANSACTION_STATEMENTS == 0) {
                    connection.commit();
                    loaded.accept(bytes);
                    bytes = 0;
                }
            }
        }
        int rest = values.count() % STATEMENT_KEYS;
        if (rest > 0) {
            try (PreparedStatement insert = connection.prepareStatement(dialect.insertKeys(name, rest))) {
                bytes += insert(insert, values, numbers, rest);
            }
        }
        connection.commit();
        loaded.accept(bytes);
    }

    private static long insert(
            PreparedStatement insert, EncodedValues values, PrimitiveIterator.OfInt numbers, int count)
            throws SQLException {
        long bytes = 0;
        for (int i = 1; i <= count; i++) {
            byte[] key = values.stored(numbers.nextInt());
            insert.setBytes(i, key);
            bytes += key.length;
        }
        insert.executeUpdate();
        return bytes;
    }

    /** Counts the rows and compares a checksum of all keys; where that differs, looks for a key that is missing. */
    @Override
    public void readBack(EncodedValues values) throws SQLException {
        requireCount(values.count());
        long sum = 0;
        CRC32 crc = new CRC32();
        for (int i = 0; i < values.count(); i++) {
            crc.reset();
            crc.update(values.stored(i));
            sum += crc.getValue();
        }
        try (PreparedStatement select =
                        connection.prepareStatement("SELECT SUM(CRC32(id)) FROM " + dialect.quoted(name));
                ResultSet row = select.executeQuery()) {
            row.next();
            if (row.getLong(1) != sum) {
                throw missing(values);
            }
        }
    }

    /** Bytes of the pages that hold the keys: what the set takes in the buffer pool. */
    @Override
    OptionalLong memoryBytes() throws SQLException {
        Sql.execute(connection, "ANALYZE TABLE " + dialect.quoted(name));
        return OptionalLong.of(Long.parseLong(Sql.row(
                        connection,
                        "SELECT data_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        schema,
                        name)
                .get("data_length")));
    }

    /** All of them: a key is never taken out of its row. */
    @Override
    OptionalLong inRow(EncodedValues values) {
        return OptionalLong.of(values.count());
    }

    private WrongValueException missing(EncodedValues values) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(dialect.contains(name, 1))) {
            for (int i = 0; i < values.count(); i++) {
                select.setBytes(1, values.stored(i));
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return new WrongValueException("key " + i + " of " + schema + "." + name + " ("
                                + HexFormat.of().formatHex(values.stored(i)) + ") is not there after loading");
                    }
                }
            }
        }
        return new WrongValueException("the keys of " + schema + "." + name
                + " are all there, but their checksum is another; was something else written meanwhile?");
    }
}
