package dev.blobmark.reencode.copy;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection with a view of the database as it is when {@link #open} returns. It is read in steps that hold no table
 * against changes of its definition for longer than a step.
 */
public final class View implements AutoCloseable {

    /** ER_TABLE_DEF_CHANGED: a table was rebuilt after the view was opened. */
    public static final int REBUILT = 1412;

    private final Connection connection;
    private final boolean isReleasing;

    private View(Connection connection, boolean isReleasing) {
        this.connection = connection;
        this.isReleasing = isReleasing;
    }

    /** @param connection that is used for nothing else, and closed with this object */
    public static View open(Connection connection) throws SQLException {
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        connection.setAutoCommit(true);
        boolean isReleasing = !isMariaDb || leavesLog(connection);
        Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        connection.setAutoCommit(false);
        View view = new View(connection, isReleasing);
        view.renew();
        return view;
    }

    /** Whether it holds no table against changes of its definition. */
    public boolean isReleasing() {
        return isReleasing;
    }

    public Connection connection() {
        return connection;
    }

    /** Shows the database as it is now. */
    public void renew() throws SQLException {
        connection.rollback();
        Sql.execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }

    public void begin() throws SQLException {
        Sql.execute(connection, "SAVEPOINT blobmark");
    }

    /** Gives the locks on the definitions of tables back. MariaDB does so only for sessions without a log. */
    public void end() throws SQLException {
        Sql.execute(connection, "ROLLBACK TO SAVEPOINT blobmark");
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Whether the session's changes are not logged from now on; not so if the account lacks the privilege for that. */
    public static boolean leavesLog(Connection connection) throws SQLException {
        try {
            Sql.execute(connection, "SET SESSION sql_log_bin = 0");
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == 1227) { // ER_SPECIFIC_ACCESS_DENIED_ERROR
                return false;
            }
            throw e;
        }
    }
}
