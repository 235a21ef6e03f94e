package dev.blobmark.reencode.row;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** Settings of the connections that work. */
public final class WritingConnection {

    /** For connections that wait while the work is paused. */
    public static final int WAIT_SECONDS = 28_800;

    private WritingConnection() {}

    /** Prepares a connection that writes rows. */
    public static void prepare(Connection writing) throws SQLException {
        // others wait for rows at most as long as a transaction takes
        Sql.execute(
                writing,
                "SET SESSION innodb_lock_wait_timeout = 2, lock_wait_timeout = 10, wait_timeout = " + WAIT_SECONDS);
        RowImage.leaveOutStatements(writing);
        if (!"STATEMENT".equalsIgnoreCase(JdbcDriver.variable(writing, "binlog_format"))) {
            Sql.execute(writing, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
        writing.setAutoCommit(false);
    }
}
