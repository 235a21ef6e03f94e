package dev.blobmark.value;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Counts values of a table that begin like a frame although they were stored before. Before anything is encoded, there
 * should be none; see {@link ValueFormat.Builder#collisionsAreLegacy}.
 */
public final class Collisions {

    private Collisions() {}

    /**
     * Reads the first two bytes of all values of a column, in one statement.
     *
     * @param table such as {@code shop.orders}
     * @throws IllegalArgumentException if the column cannot hold encoded values; see {@link ColumnCheck}
     */
    public static long count(Connection connection, String table, String column) throws SQLException {
        ColumnCheck.requireBytes(connection, table, column);
        String sql = "SELECT COUNT(*) FROM " + Identifiers.quoted(table) + " WHERE SUBSTRING("
                + Identifiers.quotedPart(column) + ", 1, 2) = " + FrameHeader.SQL_MAGIC + " LIMIT 1";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
