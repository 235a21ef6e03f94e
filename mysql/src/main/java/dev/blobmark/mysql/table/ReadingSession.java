package dev.blobmark.mysql.table;

import dev.blobmark.mysql.client.Sql;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A connection whose transactions are read-only, and whose statements the server ends after a time. */
record ReadingSession(Connection connection, boolean isMariaDb) {

    /** The time limit of statements that do not read the table. */
    static final int METADATA_MILLIS = 10_000;

    private static final int UNKNOWN_VARIABLE = 1193;

    /** More than a packet contains besides the value. */
    private static final int PACKET_OVERHEAD_BYTES = 65_536;

    static ReadingSession begin(Connection connection) throws SQLException {
        boolean isMariaDb;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            isMariaDb = row.getString(1).contains("MariaDB");
        }
        ReadingSession session = new ReadingSession(connection, isMariaDb);
        Sql.execute(connection, "SET SESSION TRANSACTION READ ONLY");
        session.limitStatements(METADATA_MILLIS);
        if (!isMariaDb) {
            try { // otherwise the table's figures may be a day old
                Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
            } catch (SQLException e) {
                if (e.getErrorCode() != UNKNOWN_VARIABLE) { // before MySQL 8.0
                    throw e;
                }
            }
        }
        return session;
    }

    void limitStatements(int millis) throws SQLException {
        Sql.execute(
                connection,
                isMariaDb
                        ? "SET SESSION max_statement_time = " + BigDecimal.valueOf(millis, 3)
                        : "SET SESSION max_execution_time = " + millis);
    }

    /** The longest value that is read, in bytes: one that Blobmark measures, and the server sends. */
    long longestValue() throws SQLException {
        return Math.min(TableColumn.MAX_BYTES, number("SELECT @@max_allowed_packet") - PACKET_OVERHEAD_BYTES);
    }

    long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
