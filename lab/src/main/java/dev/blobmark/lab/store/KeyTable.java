package dev.blobmark.lab.store;

import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/** A set: a table whose only column is the primary key. Confined to a thread like every table. */
public final class KeyTable extends MySqlTable {

    /** Keys per statement. More are hardly faster, and keys of 64 bytes already make statements of 64 KB. */
    private static final int STATEMENT_KEYS = 1_000;

    /** Statements per transaction. */
    private static final int TRANSACTION_STATEMENTS = 20;

    private final EncodedValues keys;
    private final LoadOrder order;

    /** @param order in which the keys are loaded */
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

    /** The statement that creates such a table. */
    public static String ddl(String schema, String name, Layout layout, String keyType) {
        return "CREATE TABLE `" + schema + "`.`" + name + "` (id " + keyType + " NOT NULL PRIMARY KEY) "
                + layout.options();
    }

    @Override
    String columnName() {
        return "id";
    }

    /** Not measured: it has no values that a scan could read. */
    @Override
    public Optional<PageTimes> pageTimes() {
        return Optional.empty();
    }

    /** Inserts all keys, {@link #STATEMENT_KEYS} with each statement. */
    @Override
    void insertAll(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        PrimitiveIterator.OfInt numbers = order.of(values).iterator();
        long bytes = 0;
        int fullStatements = values.count() / STATEMENT_KEYS;
        try (PreparedStatement insert = connection.prepareStatement(dialect.insertKeys(name, STATEMENT_KEYS))) {
            for (int i = 1; i <= fullStatements; i++) {
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

    /** Compares the row count and a checksum of all keys. If the checksum differs, searches for a missing key. */
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

    /** Bytes of the pages that hold the keys, which the set takes in the buffer pool. */
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

    /** All keys: they never leave their rows. */
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
                                + HexFormat.of().formatHex(values.stored(i)) + ") is missing after loading");
                    }
                }
            }
        }
        return new WrongValueException("the keys of " + schema + "." + name
                + " are all present, but their checksum differs; check whether something else writes to the table");
    }
}
