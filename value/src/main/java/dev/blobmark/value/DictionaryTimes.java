package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When dictionaries were withdrawn and deleted. Their rows are locked only while they are written, never while values
 * are read: programs that use a dictionary again must not wait for that.
 */
final class DictionaryTimes {

    /** Between the clocks of the server and of this machine, while the day before a deletion is measured. */
    private static final Duration MOST_APART = Duration.ofMinutes(10);

    /** The end of the year 9999. */
    private static final long LATEST_SECONDS = 253_402_300_799L;

    /** Of MariaDB, where a row that is locked was changed since the snapshot of the transaction. */
    private static final int CHANGED_SINCE = 1020;

    private static final String MEANWHILE = "it was added again, or a value was read with it, meanwhile";

    private final String dictionaries;
    private final Clock clock;

    /**
     * @param dictionaries their table, quoted
     * @param clock of this machine
     */
    DictionaryTimes(String dictionaries, Clock clock) {
        this.dictionaries = dictionaries;
        this.clock = clock;
    }

    /** What needs the proof that no value refers to a dictionary. */
    enum RemovalStep {
        DELETE("deleted"),
        PURGE("purged");

        final String done;

        RemovalStep(String done) {
            this.done = done;
        }
    }

    /** Of one dictionary; empty for what was not done. */
    record Times(Optional<Instant> withdrawn, Optional<Instant> deleted) {

        private static final Times NONE = new Times(Optional.empty(), Optional.empty());

        /** An earlier release adds one again, and knows nothing of its deletion. */
        private boolean isDeletedSinceWithdrawn() {
            return withdrawn.isPresent()
                    && deleted.isPresent()
                    && !deleted.get().isBefore(withdrawn.get().plus(DictionaryTable.DELETED_AFTER));
        }
    }

    /** Withdraws one, if it is not. */
    Instant withdraw(Connection connection, int number) throws SQLException {
        requireSameTime(connection, number, "withdrawn");
        String deleted = ColumnCheck.exists(connection, dictionaries, "deleted_at")
                ? "deleted_at = IF(withdrawn_at IS NULL, NULL, deleted_at), "
                : "";
        update(
                connection,
                number,
                "UPDATE " + dictionaries + " SET " + deleted
                        + "withdrawn_at = COALESCE(withdrawn_at, UNIX_TIMESTAMP()) WHERE number = ?");
        return read(connection, number, "withdrawn_at, NULL", "")
                .flatMap(Times::withdrawn)
                .orElseThrow(() -> new DictionaryException("there is no dictionary " + ValueDictionary.name(number)));
    }

    /** @throws DictionaryException if it is too early for a step, or the steps before were not taken */
    Times require(Connection connection, int number, RemovalStep step) throws SQLException {
        if (!ColumnCheck.exists(connection, dictionaries, "deleted_at")) {
            throw DictionaryDeletion.kept(number, dictionaries + " is of an earlier release: call create");
        }
        Times times = read(connection, number, "withdrawn_at, deleted_at", "").orElse(Times.NONE);
        Instant withdrawn = times.withdrawn()
                .orElseThrow(() -> DictionaryDeletion.kept(
                        number, "it was not withdrawn: call withdraw, and delete it a day later"));
        requirePassed(connection, number, "withdrawn", withdrawn, "deleted", DictionaryTable.DELETED_AFTER);
        if (step == RemovalStep.PURGE) {
            Instant deleted = times.deleted()
                    .orElseThrow(() -> DictionaryDeletion.kept(
                            number,
                            "it was not deleted: call delete, and purge it a week later; if it was, a value was read"
                                    + " with it since"));
            if (!times.isDeletedSinceWithdrawn()) {
                throw DictionaryDeletion.kept(
                        number, "it was not deleted since it was withdrawn: call delete, and purge it a week later");
            }
            requirePassed(connection, number, "deleted", deleted, "purged", DictionaryTable.PURGED_AFTER);
        }
        return times;
    }

    private void requirePassed(Connection connection, int number, String before, Instant at, String done, Duration wait)
            throws SQLException {
        Instant earliest = at.plus(wait);
        if (requireSameTime(connection, number, done).isBefore(earliest)) {
            throw DictionaryDeletion.kept(
                    number, "it was " + before + " at " + at + ", so it is " + done + " at " + earliest + " or later");
        }
    }

    /** A clock of the server that is a day ahead would end the day at once. */
    private Instant requireSameTime(Connection connection, int number, String what) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT UNIX_TIMESTAMP() LIMIT 1")) {
            rows.next();
            Instant server = Instant.ofEpochSecond(rows.getLong(1));
            Instant here = clock.instant();
            if (Duration.between(server, here).abs().compareTo(MOST_APART) > 0) {
                throw new DictionaryException("dictionary " + ValueDictionary.name(number) + " is not " + what
                        + ": the server's clock says " + server + ", and this machine's " + here
                        + "; set the one that is wrong");
            }
            return server;
        }
    }

    /**
     * Locks the row until the transaction ends.
     *
     * @throws DictionaryException if it has changed since it was seen
     */
    void lock(Connection connection, int number, Times seen) throws SQLException {
        try {
            requireSame(
                    number,
                    seen,
                    read(connection, number, "withdrawn_at, deleted_at", " FOR UPDATE")
                            .orElse(Times.NONE));
        } catch (SQLException e) {
            if (e.getErrorCode() == CHANGED_SINCE) {
                throw DictionaryDeletion.kept(number, MEANWHILE);
            }
            throw e;
        }
    }

    static void requireSame(int number, Times seen, Times now) {
        if (!now.equals(seen)) {
            throw DictionaryDeletion.kept(number, MEANWHILE);
        }
    }

    /**
     * Marks one that is locked as deleted, if it is not since it was withdrawn.
     *
     * @param isFirst whether a column was read for the first time, so that the week begins again
     */
    void delete(Connection connection, int number, Times seen, boolean isFirst) throws SQLException {
        if (isFirst || !seen.isDeletedSinceWithdrawn()) {
            update(
                    connection,
                    number,
                    "UPDATE " + dictionaries + " SET deleted_at = UNIX_TIMESTAMP() WHERE number = ?");
        }
    }

    /** Removes one that is locked. */
    void remove(Connection connection, int number) throws SQLException {
        if (update(connection, number, "DELETE FROM " + dictionaries + " WHERE number = ?") != 1) {
            throw DictionaryDeletion.kept(number, MEANWHILE);
        }
    }

    /** @throws DictionaryException if the dictionary is not in the table */
    boolean isDeleted(Connection connection, int number) throws SQLException {
        return read(connection, number, "NULL, deleted_at", "")
                .orElseThrow(() -> new DictionaryException("dictionary " + ValueDictionary.name(number)
                        + " was purged: add it again, from a program that has it or from a copy"))
                .deleted()
                .isPresent();
    }

    /**
     * Takes the mark of {@link #delete} back. The transaction must not have read before: MariaDB would refuse to change
     * what others have changed since.
     *
     * @return whether there was one
     * @throws DictionaryException if the dictionary is not in the table
     */
    boolean keep(Connection connection, int number) throws SQLException {
        OwnTransaction.requireCurrent(connection);
        int kept = update(
                connection,
                number,
                "UPDATE " + dictionaries + " SET deleted_at = NULL WHERE number = ? AND deleted_at IS NOT NULL");
        if (kept == 0 && isDeleted(connection, number)) {
            throw new SQLException("it was deleted again meanwhile");
        }
        return kept > 0;
    }

    /** @return how many rows it has changed */
    private static int update(Connection connection, int number, String sql) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setInt(1, number);
            return update.executeUpdate();
        }
    }

    private Optional<Times> read(Connection connection, int number, String both, String lock) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT " + both + " FROM " + dictionaries + " WHERE number = ? LIMIT 1" + lock)) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(
                                new Times(time(rows, 1, number, "withdrawn_at"), time(rows, 2, number, "deleted_at")))
                        : Optional.empty();
            }
        }
    }

    private static Optional<Instant> time(ResultSet row, int index, int number, String column) throws SQLException {
        long seconds = row.getLong(index);
        if (row.wasNull()) {
            return Optional.empty();
        }
        if (seconds < 0 || seconds > LATEST_SECONDS) {
            throw new DictionaryException("the row of dictionary " + ValueDictionary.name(number) + " was changed: "
                    + column + " is " + seconds);
        }
        return Optional.of(Instant.ofEpochSecond(seconds));
    }
}
