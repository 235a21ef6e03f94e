package dev.blobmark.lab.admission;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The connections that a server, and the account on it, have left for a run.
 *
 * @param most that the server allows (max_connections)
 * @param inUse by others
 * @param accountMost that the account may have (max_user_connections); 0 for no limit
 * @param accountInUse by others who have logged in as the same user
 */
record ConnectionBudget(long most, long inUse, long accountMost, long accountInUse) {

    /** Connections that stay free for others, at least: one in ten, but not fewer. */
    private static final long LEAST_RESERVE = 10;

    private static final String FIX =
            ": take fewer with --threads or --set connection=hikari:N, or leave out methods with --methods";

    /** As it is now. The connection that asks is one of the run's own. */
    static ConnectionBudget read(Connection connection) throws SQLException {
        long connected = number(connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'", 2);
        long account = number(
                connection,
                "SELECT COUNT(*) FROM information_schema.processlist WHERE user ="
                        + " (SELECT user FROM information_schema.processlist WHERE id = CONNECTION_ID())",
                1);
        return new ConnectionBudget(
                number(connection, "SELECT @@GLOBAL.max_connections", 1),
                connected - 1,
                Math.max(0, number(connection, "SELECT @@SESSION.max_user_connections", 1)),
                account - 1);
    }

    private static long number(Connection connection, String sql, int column) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(column);
        }
    }

    private long reserve() {
        return Math.max(LEAST_RESERVE, (most + 9) / 10);
    }

    /** Why a run that opens this many connections at once is refused; empty if there is room for them. */
    Optional<String> problem(int needed) {
        long left = Math.max(0, most - inUse - reserve());
        if (needed > left) {
            return Optional.of("the run opens up to " + needed + " connections, and the server has " + left
                    + " left for it (max_connections=" + most + ", " + inUse + " in use, " + reserve()
                    + " kept free for others)" + FIX);
        }
        long ofAccount = Math.max(0, accountMost - accountInUse);
        if (accountMost > 0 && needed > ofAccount) {
            return Optional.of("the run opens up to " + needed + " connections, and the account has " + ofAccount
                    + " left for it (max_user_connections=" + accountMost + ", " + accountInUse + " in use)" + FIX);
        }
        return Optional.empty();
    }

    /** For the user of a run that has room. */
    String text(int needed) {
        return "connections: up to " + needed + " of " + most + "; " + inUse + " in use"
                + (accountMost > 0 ? "; the account may have " + accountMost + ", " + accountInUse + " in use" : "");
    }
}
