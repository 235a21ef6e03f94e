package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;

/** Whether a column can hold encoded values. */
public final class ColumnCheck {

    static final Set<String> TYPES_OF_BYTES =
            Set.of("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob");

    private static final int NO_SUCH_COLUMN = 1054;

    private ColumnCheck() {}

    /**
     * Requires a column of a type for bytes: {@code VARBINARY} or one of the {@code BLOB} types. A column of text has a
     * character set, and servers refuse or change bytes that are not text in it. {@code JSON} is parsed. {@code BINARY}
     * is padded with zeros.
     *
     * @param table such as {@code shop.orders}; without a schema, in that of the connection
     * @throws IllegalArgumentException if there is no such column, or it is of a view or of another type; the message
     *     says why
     */
    public static void requireBytes(Connection connection, String table, String column) throws SQLException {
        find(connection, table, column);
    }

    /** A column of bytes, with its names as the server has them. */
    record Found(String schema, String table, String column) {}

    /** As {@link #requireBytes}. */
    static Found find(Connection connection, String table, String column) throws SQLException {
        String[] parts = Identifiers.parts(table);
        if (parts.length == 3) {
            throw new IllegalArgumentException("'" + table + "' is not the name of a table");
        }
        String name = table + "." + column;
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT c.table_schema, c.table_name, c.column_name, c.data_type, t.table_type FROM information_schema.columns c"
                        + " JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name"
                        + " WHERE c.table_schema = ? AND c.table_name = ? AND c.column_name = ? LIMIT 1")) {
            statement.setString(1, parts.length == 2 ? parts[0] : connection.getCatalog());
            statement.setString(2, parts[parts.length - 1]);
            statement.setString(3, column);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new IllegalArgumentException(
                            "there is no column " + name + ", or this account cannot see it");
                }
                if (rows.getString(5).contains("VIEW")) {
                    throw new IllegalArgumentException(name + " is of a view: name the table that has the values");
                }
                requireBytes(name, rows.getString(4).toLowerCase(Locale.ROOT));
                return new Found(rows.getString(1), rows.getString(2), rows.getString(3));
            }
        }
    }

    /**
     * Whether a table has a column, invisible ones too. Lists of columns show only those that the account may read;
     * this throws for the others.
     *
     * @param table as {@link Identifiers#quoted} has it
     */
    static boolean exists(Connection connection, String table, String column) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT t." + Identifiers.quotedPart(column) + " FROM " + table + " t LIMIT 0")
                    .close();
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_COLUMN) {
                return false;
            }
            throw e;
        }
    }

    private static void requireBytes(String name, String type) {
        if (type.equals("binary")) {
            throw new IllegalArgumentException(
                    name + " is of the type BINARY, which pads values with zeros: use VARBINARY or BLOB");
        }
        if (type.equals("json")) {
            throw new IllegalArgumentException(
                    name + " is of the type JSON, which the server parses and stores in its own form: use a BLOB type");
        }
        if (!TYPES_OF_BYTES.contains(type)) {
            throw new IllegalArgumentException(
                    name + " is of the type " + type.toUpperCase(Locale.ROOT)
                            + ", not one for bytes, so the server would refuse or change encoded values: use VARBINARY or BLOB");
        }
    }
}
