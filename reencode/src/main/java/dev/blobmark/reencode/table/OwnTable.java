package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.reencode.failure.ReencodeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** Tables that a change makes for itself next to the user's. */
public final class OwnTable {

    /** Comment of the tables that are Blobmark's own. */
    public static final String MARKER = "blobmark: changes of stored values";

    private OwnTable() {}

    /**
     * Drops a table that Blobmark has made for itself, if there is one.
     *
     * @throws ReencodeException if it is somebody else's
     */
    public static void drop(Connection connection, String schema, String table) throws SQLException {
        if (requireOwn(connection, schema, table)) {
            Sql.execute(connection, "DROP TABLE " + Names.quoted(schema, table));
        }
    }

    /**
     * Whether there is a table that Blobmark has made for itself.
     *
     * @throws ReencodeException if it is somebody else's
     */
    public static boolean requireOwn(Connection connection, String schema, String table) throws SQLException {
        Map<String, String> found = Sql.row(
                connection,
                "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                table);
        if (!found.isEmpty() && !MARKER.equals(found.get("table_comment"))) {
            throw new ReencodeException(
                    schema + "." + table,
                    "it does not have the comment '" + MARKER + "' of a table that Blobmark made",
                    "it was left as it is; drop or rename it, if that is right for you");
        }
        return !found.isEmpty();
    }
}
