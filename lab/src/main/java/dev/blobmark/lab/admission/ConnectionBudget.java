package dev.blobmark.lab.admission;

import dev.blobmark.mysql.client.Session;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The connections that are available to a run on a server and for an account.
 *
 * @param max limit of the server (max_connections)
 * @param inUse connections of others
 * @param accountMax limit of the account (max_user_connections); 0 for no limit
 * @param accountInUse connections of others with the same user
 */
record ConnectionBudget(long max, long inUse, long accountMax, long accountInUse) {

    /** A tenth of all connections stays free for others, but at least this number. */
    private static final long MIN_RESERVE = 10;

    private static final String FIX =
            ": use fewer with --threads or --set connection=hikari:N, or leave out methods with --methods";

    /** Reads the current numbers. The connection used here belongs to the run. */
    static ConnectionBudget read(Connection connection) throws SQLException {
        long connected = number(connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'", 2);
        long own = number(connection, "SELECT CONNECTION_ID()", 1);
        List<Session> sessions = Session.list(connection);
        Set<String> users = sessions.stream()
                .filter(session -> session.id() == own)
                .map(Session::user)
                .collect(Collectors.toSet());
        long account = sessions.stream()
                .filter(session -> users.contains(session.user()))
                .count();
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
        return Math.max(MIN_RESERVE, (max + 9) / 10);
    }

    /** Why a run with this number of simultaneous connections is refused; empty if they are available. */
    Optional<String> problem(int needed) {
        long left = Math.max(0, max - inUse - reserve());
        if (needed > left) {
            return Optional.of("the run opens up to " + needed + " connections, and the server has " + left
                    + " left for it (max_connections=" + max + ", " + inUse + " in use, " + reserve()
                    + " kept free for others)" + FIX);
        }
        long accountLeft = Math.max(0, accountMax - accountInUse);
        if (accountMax > 0 && needed > accountLeft) {
            return Optional.of("the run opens up to " + needed + " connections, and the account has " + accountLeft
                    + " left for it (max_user_connections=" + accountMax + ", " + accountInUse + " in use)" + FIX);
        }
        return Optional.empty();
    }

    /** A line for the user. */
    String text(int needed) {
        return "connections: up to " + needed + " of " + max + "; " + inUse + " in use"
                + (accountMax > 0 ? "; the account may have " + accountMax + ", " + accountInUse + " in use" : "");
    }
}
