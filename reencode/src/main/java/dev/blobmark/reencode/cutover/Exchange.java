package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableLock;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * Puts the new table in the place of the former one, in one step for others: they wait for a moment. What must be done
 * last is done under a lock that excludes all others.
 *
 * <p>In MySQL, the session that holds the lock renames the tables (since 8.0.13). If it is lost before, nothing is
 * renamed.
 *
 * <p>MariaDB refuses that with error 1192. There the method is that of gh-ost: while one session holds the locks, the
 * RENAME of another one waits before all others. It cannot succeed as long as a table with its target name exists,
 * which the first session drops at the last moment; so it fails if the first session is lost. The RENAME locks its
 * tables in the order of their names. It must wait for the former table first, and so be before all who wait for that.
 * So the names of the other tables come after it, see {@link ShadowNames}.
 */
public final class Exchange {

    /** A RENAME that was ended, or has waited too long, has done nothing: 1317 and 1205. */
    private static final Set<Integer> REFUSED = Set.of(1317, 1205);

    private final TableColumn column;
    private final TableExchange tables;
    private final Clock clock;

    /** What is done under the lock, over the session that holds it. */
    public interface Last {

        /** Whether it is worth to take the lock, for which others wait. */
        boolean mayLock() throws SQLException, InterruptedException;

        /**
         * Does it.
         *
         * @return whether the tables may be exchanged now; otherwise all is tried again
         * @throws CopyEndedException if they may not be exchanged at all
         */
        public boolean run() throws SQLException, InterruptedException;
    }

    public Exchange(TableColumn column, TableExchange tables, Clock clock) {
        this.column = column;
        this.tables = tables;
        this.clock = clock;
    }

    /**
     * Exchanges the tables.
     *
     * @return whether they were exchanged; otherwise the former table was never free
     */
    public boolean run(Last last) throws SQLException, InterruptedException {
        for (int attempt = 1; attempt <= TableLock.ATTEMPTS; attempt++) {
            if (last.mayLock() && (tables.isByHolder() ? succeeds(last) : succeedsWithAnother(last))) {
                return true;
            }
            TableLock.pause(attempt, clock);
        }
        return false;
    }

    /** Whether a statement was carried out; not if a lock was waited for too long. */
    private static boolean isDone(TableLock.LockingStatement statement) throws SQLException, InterruptedException {
        try {
            statement.run();
            return true;
        } catch (SQLException e) {
            if (TableLock.isRepeated(e)) {
                return false;
            }
            throw e;
        }
    }

    private boolean succeeds(Last last) throws SQLException, InterruptedException {
        if (!tables.isFree()) {
            throw isTaken();
        }
        if (!isDone(() -> tables.lock(false))) {
            return false;
        }
        try {
            // such as a backup's lock, which keeps all from renaming
            return last.run() && isDone(tables::rename);
        } catch (SQLException e) {
            if (TableLock.isRepeated(e)) {
                return false;
            }
            throw e;
        } finally {
            tables.unlock();
        }
    }

    private boolean succeedsWithAnother(Last last) throws SQLException, InterruptedException {
        if (!isDone(tables::makeSentry)) {
            return false;
        }
        Optional<TableExchange.Renaming> renaming = Optional.empty();
        boolean isReady = false;
        boolean isRenamed = false;
        try {
            if (!tables.isSentry()) {
                throw isTaken();
            }
            if (isDone(() -> tables.lock(true)) && isSentryLocked()) {
                TableExchange.Renaming begun = tables.renameBehind();
                renaming = Optional.of(begun);
                try {
                    isReady = begun.isWaiting() && last.run();
                    if (isReady) {
                        tables.dropSentry();
                    }
                } finally {
                    if (!isReady) {
                        begun.kill();
                    }
                    tables.unlock();
                    if (isReady && !begun.isOver()) { // somebody reads the new table, and the application waits too
                        begun.kill();
                    }
                }
            }
        } finally {
            // before the placeholder is dropped: until then, it cannot succeed
            isRenamed = renaming.isPresent() && renaming.get().isDone();
            if (!isRenamed && tables.isSentry()) {
                tables.dropSentry();
            }
        }
        if (isReady && !isRenamed) {
            SQLException failure = renaming.get().failure();
            if (!REFUSED.contains(failure.getErrorCode())) {
                throw new SQLException(
                        "the answer to the exchange was lost: " + failure.getMessage(), "08S01", failure);
            }
        }
        return isRenamed;
    }

    private CopyEndedException isTaken() {
        return new CopyEndedException(
                column.name(), "the table " + ShadowNames.former(column.table()) + " was made by somebody else");
    }

    /** Somebody may have exchanged it before it was locked; if not, nobody does before it is dropped. */
    private boolean isSentryLocked() throws SQLException {
        boolean isSentry = tables.isSentryLocked();
        if (!isSentry) {
            tables.unlock();
        }
        return isSentry;
    }
}
