package dev.blobmark.lab.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A table of values by number: {@code id INT PRIMARY KEY, data}. Uses a connection of the caller's and is confined to its
 * thread.
 */
public final class Table {

    /** Large enough that round trips do not matter; a server that takes smaller packets gets batches of half of one. */
    private static final int BATCH_BYTES = 4 << 20;

    private static final int BATCH_ROWS = 500;

    private final Connection connection;
    private final String schema;
    private final String name;
    private final Layout layout;
    private final Column column;

    public Table(Connection connection, String schema, String name, Layout layout, Column column) {
        this.connection = connection;
        this.schema = schema;
        this.name = name;
        this.layout = layout;
        this.column = column;
    }

    /** The statement that makes such a table. */
    public static String ddl(String schema, String name, Layout layout, Column column) {
        return "CREATE TABLE `" + schema + "`.`" + name + "` (id INT NOT NULL PRIMARY KEY, data " + column.ddl()
                + " NOT NULL) " + layout.options();
    }

    /**
     * Makes the table and verifies that it is the one that was asked for.
     *
     * @return what the server says of it
     * @throws DowngradeException if the server warned, or made another table than asked for
     */
    public Map<String, String> create() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(ddl(schema, name, layout, column));
            List<String> warnings = new ArrayList<>();
            try (ResultSet row = statement.executeQuery("SHOW WARNINGS")) {
                while (row.next()) {
                    warnings.add(row.getString(1) + " " + row.getInt(2) + ": " + row.getString(3));
                }
            }
            if (!warnings.isEmpty()) {
                throw new DowngradeException(
                        "the server warned about " + layout.options() + ": " + String.join("; ", warnings));
            }
        }
        Map<String, String> facts = facts();
        layout.downgrade(facts).ifPresent(difference -> {
            throw new DowngradeException(difference);
        });
        return facts;
    }

    /** What the server says of the table: engine, row_format, create_options, zip_page_size (bytes, 0 where not
     * compressed), space_type ({@code Single}: a file of its own). */
    public Map<String, String> facts() throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        query(
                "SELECT engine, row_format, create_options FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                List.of(schema, name),
                facts);
        query(
                "SELECT zip_page_size, space_type FROM information_schema.innodb_sys_tables WHERE name = ?",
                List.of(schema + "/" + name),
                facts);
        return facts;
    }

    /** Adds the columns of one row to the facts. */
    private void query(String sql, List<String> parameters, Map<String, String> facts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        facts.put(
                                row.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT),
                                String.valueOf(row.getString(i)));
                    }
                }
            }
        }
    }

    /**
     * Inserts all values in the order of their numbers, in batches, one transaction each.
     *
     * @param loaded is told the stored bytes loaded since its last call
     */
    public void load(EncodedValues values, LongConsumer loaded) throws SQLException {
        long batchBytes = Math.min(BATCH_BYTES, maxPacketBytes() / 2);
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO `" + schema + "`.`" + name + "` (id, data) VALUES (?, ?)")) {
            int rows = 0;
            long bytes = 0;
            for (int i = 0; i < values.count(); i++) {
                int length = values.storedLength(i);
                // a longer value travels alone: the driver loses the connection over a bulk of short and very long ones
                if (rows == BATCH_ROWS || rows > 0 && bytes + length > batchBytes) {
                    insert(insert, loaded, bytes);
                    rows = 0;
                    bytes = 0;
                }
                insert.setInt(1, i);
                insert.setBytes(2, values.stored(i));
                insert.addBatch();
                rows++;
                bytes += length;
            }
            if (rows > 0) {
                insert(insert, loaded, bytes);
            }
        } catch (SQLException e) {
            try {
                connection.setAutoCommit(true);
            } catch (SQLException lost) {
                e.addSuppressed(lost);
            }
            throw e;
        }
        connection.setAutoCommit(true);
    }

    private long maxPacketBytes() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void insert(PreparedStatement batch, LongConsumer loaded, long bytes) throws SQLException {
        batch.executeBatch();
        connection.commit();
        loaded.accept(bytes);
    }

    /**
     * Reads every row back and compares it byte for byte.
     *
     * @throws WrongValueException if a row is missing, surplus or differs
     */
    public void readBack(EncodedValues values) throws SQLException {
        int rows = 0;
        try (PreparedStatement select =
                connection.prepareStatement("SELECT data FROM `" + schema + "`.`" + name + "` WHERE id = ?")) {
            for (int i = 0; i < values.count(); i++) {
                select.setInt(1, i);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        throw new WrongValueException(
                                "row " + i + " of " + schema + "." + name + " is missing after loading");
                    }
                    if (!Arrays.equals(row.getBytes(1), values.stored(i))) {
                        throw new WrongValueException(
                                "row " + i + " of " + schema + "." + name + " differs from what was loaded");
                    }
                }
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM `" + schema + "`.`" + name + "`")) {
            row.next();
            rows = row.getInt(1);
        }
        if (rows != values.count()) {
            throw new WrongValueException(
                    schema + "." + name + " has " + rows + " rows after loading " + values.count());
        }
    }

    /** Writes all changed pages of the table out and returns the allocated bytes of its files. */
    public long flushedDiskBytes() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("FLUSH TABLES `" + schema + "`.`" + name + "` FOR EXPORT");
            try {
                Map<String, String> facts = new LinkedHashMap<>();
                query(
                        "SELECT allocated_size FROM information_schema.innodb_sys_tablespaces WHERE name = ?",
                        List.of(schema + "/" + name),
                        facts);
                return Long.parseLong(facts.get("allocated_size"));
            } finally {
                statement.execute("UNLOCK TABLES");
            }
        }
    }

    public void drop() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS `" + schema + "`.`" + name + "`");
        }
    }
}
