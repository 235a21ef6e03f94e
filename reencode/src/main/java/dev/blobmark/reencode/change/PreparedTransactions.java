package dev.blobmark.reencode.change;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Transactions of {@code XA PREPARE} that are neither committed nor rolled back. Their sessions may have ended; then
 * MariaDB 11.4.5 does not let LOCK TABLES wait for them, although their changes of rows are still to come.
 */
public final class PreparedTransactions {

    private PreparedTransactions() {}

    private static Set<String> now(Connection connection) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("XA RECOVER")) {
            while (row.next()) {
                found.add("'" + row.getString("data") + "'");
            }
        }
        return found;
    }

    /**
     * Those that exist now, for the user.
     *
     * @return empty if there are none
     * @throws SQLException with error 1401 if the account may not see them
     */
    static Optional<String> read(Connection connection) throws SQLException {
        return inWords(now(connection));
    }

    private static Optional<String> inWords(Set<String> found) {
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "there are transactions that are prepared and neither committed nor rolled back (XA RECOVER): "
                                + String.join(", ", found));
    }

    /**
     * Waits until those that exist now have ended; others may come.
     *
     * @return those that have not ended in time, for the user
     */
    public static Optional<String> awaitEnd(Connection connection, long nanos)
            throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        Set<String> left = now(connection);
        while (!left.isEmpty() && System.nanoTime() - begin < nanos) {
            Thread.sleep(10);
            left.retainAll(now(connection));
        }
        return inWords(left);
    }

    /** To be added to the reason why something waits; empty if there are none, or the account may not see them. */
    public static String alsoSeen(Connection connection) throws SQLException {
        return problem(connection).isPresent()
                ? ""
                : read(connection).map(found -> "; " + found).orElse("");
    }

    /** Why they cannot be seen, with the remedy; empty if they can. */
    public static Optional<String> problem(Connection connection) throws SQLException {
        try {
            read(connection);
            return Optional.empty();
        } catch (SQLException e) {
            if (e.getErrorCode() != 1401) { // ER_XAER_RMERR
                throw e;
            }
            return Optional.of("the account may not see prepared transactions, whose changes come later: GRANT"
                    + " XA_RECOVER_ADMIN ON *.*");
        }
    }
}
