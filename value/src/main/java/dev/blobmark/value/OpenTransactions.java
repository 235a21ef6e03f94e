package dev.blobmark.value;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Transactions that are under way while a dictionary is deleted. One that makes a table shows it when it has ended, and
 * one may have read rows that it writes later.
 */
final class OpenTransactions {

    /** The server renews what it says of transactions ten times a second at most. */
    private static final long LOOK_MILLIS = 200;

    private OpenTransactions() {}

    /**
     * A transaction.
     *
     * @param name of its connection and time: its number changes when it first writes, and its connection when it is
     *     prepared
     * @param started by the server's local clock, in a form that can be compared
     * @param isOfNobody whether it is prepared, and its connection has ended
     */
    record Open(String name, String started, boolean isOwn, boolean isOfNobody) {}

    interface TransactionList {
        Optional<List<Open>> now() throws SQLException;
    }

    /**
     * The transactions that have not ended, the own one too. Empty if what the server says is old: it renews the list
     * only when nobody has read it for a tenth of a second.
     *
     * @param connection in a transaction, which must be in the list with the statement that reads it
     * @param dictionaries their table, quoted
     * @throws DictionaryException if the account may not see them
     */
    static Optional<List<Open>> list(Connection connection, String dictionaries, int number) {
        String own = "blobmark " + UUID.randomUUID();
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT number FROM " + dictionaries + " LIMIT 1") // now it is one of InnoDB
                    .close();
            List<Open> open = new ArrayList<>();
            boolean isCurrent = false;
            try (ResultSet rows = statement.executeQuery("SELECT /* " + own + " */ trx_mysql_thread_id,"
                    + " trx_mysql_thread_id = CONNECTION_ID(), trx_started, trx_id, COALESCE(trx_query, '')"
                    + " FROM information_schema.innodb_trx LIMIT 18446744073709551615")) {
                while (rows.next()) {
                    boolean isOfNobody = rows.getLong(1) == 0;
                    isCurrent |= rows.getBoolean(2) && rows.getString(5).contains(own);
                    open.add(new Open(
                            (isOfNobody ? "prepared, " + rows.getString(4) : "of connection " + rows.getString(1))
                                    + " since " + rows.getString(3),
                            rows.getString(3),
                            rows.getBoolean(2),
                            isOfNobody));
                }
            }
            return isCurrent ? Optional.of(open) : Optional.empty();
        } catch (SQLException e) {
            throw DictionaryDeletion.kept(
                    number,
                    "this account may not see which transactions are under way: GRANT PROCESS ON *.* (" + e.getMessage()
                            + ")");
        }
    }

    /**
     * Waits until those that have begun before now have ended.
     *
     * @param patience how long to wait
     */
    static void awaitOlder(TransactionList look, int number, Duration patience) throws SQLException {
        long begin = System.nanoTime();
        Optional<List<Open>> first = look.now();
        Optional<List<Open>> now = first;
        while (now.isEmpty()
                || first.isEmpty()
                || !older(first.get(), now.get()).isEmpty()) {
            if (System.nanoTime() - begin > patience.toNanos()) {
                throw DictionaryDeletion.kept(
                        number,
                        now.isEmpty() || first.isEmpty()
                                ? "the server does not say which transactions are under way now: somebody reads"
                                        + " information_schema.innodb_trx more often than ten times a second"
                                : "transactions are under way, and may hold values that refer to it: one "
                                        + older(first.get(), now.get()).get(0) + "; try again when they have ended");
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw DictionaryDeletion.kept(number, "the thread was interrupted");
            }
            now = look.now();
            first = first.isPresent() ? first : now;
        }
    }

    /**
     * Those that began before the own one of the first list, by the server's clock, or were in it; and all that are
     * prepared and of nobody, which may have been in it by another name.
     */
    static List<String> older(List<Open> first, List<Open> now) {
        String begun = first.stream()
                .filter(Open::isOwn)
                .map(Open::started)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        Set<String> known = first.stream().map(Open::name).collect(Collectors.toSet());
        return now.stream()
                .filter(open -> !open.isOwn())
                .filter(open ->
                        open.isOfNobody() || open.started().compareTo(begun) <= 0 || known.contains(open.name()))
                .map(Open::name)
                .toList();
    }
}
