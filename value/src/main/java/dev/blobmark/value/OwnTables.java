package dev.blobmark.value;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables of dictionaries: what is written to a temporary one of a pooled connection is lost with it. */
final class OwnTables {

    private OwnTables() {}

    /**
     * @param quoted their names
     * @throws DictionaryException if a temporary table of the connection hides one
     */
    static void requireNotHidden(Connection connection, String... quoted) throws SQLException {
        for (String table : quoted) {
            if (definition(connection, table).startsWith("CREATE TEMPORARY")) {
                throw new DictionaryException("a temporary table of the connection hides " + table
                        + ": give a source whose connections have none");
            }
        }
    }

    /** The statement that would make a table, or a view. */
    static String definition(Connection connection, String quoted) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet definition = statement.executeQuery("SHOW CREATE TABLE " + quoted)) {
            if (!definition.next()) {
                throw new SQLException("the server does not show the definition of " + quoted
                        + ": sql_select_limit may be 0 in this session");
            }
            return definition.getString(2);
        }
    }
}
