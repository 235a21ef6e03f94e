package dev.blobmark.mysql.client;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A session of a server, as SHOW PROCESSLIST shows it: those of all accounts with the privilege PROCESS, otherwise
 * those of the own account.
 *
 * <p>information_schema.processlist is not read: MySQL 9.7.4 refuses each statement that reads it (error 3854) while
 * any session executes a statement with bytes that are not text.
 *
 * @param id number of the connection
 * @param schema the default schema; empty if there is none
 * @param command what kind of command it executes; Sleep if it waits for one
 * @param state what it does; empty if that is not known
 */
public record Session(long id, String user, String host, String schema, String command, String state) {

    /** The sessions that are there now. */
    public static List<Session> list(Connection connection) throws SQLException {
        List<Session> sessions = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW PROCESSLIST")) {
            while (row.next()) {
                sessions.add(new Session(
                        row.getLong("Id"),
                        text(row, "User"),
                        text(row, "Host"),
                        text(row, "db"),
                        text(row, "Command"),
                        text(row, "State")));
            }
        }
        return sessions;
    }

    private static String text(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    /** Whether a replica, or a program that follows changes, reads the binary log over it. */
    public boolean readsLog() {
        return command.startsWith("Binlog Dump");
    }

    public boolean isIdle() {
        return command.equals("Sleep");
    }
}
