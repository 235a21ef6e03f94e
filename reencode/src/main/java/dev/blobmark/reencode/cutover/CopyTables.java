package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.table.TableLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The tables of a copy: which one has which name, whether it is ours, and their removal.
 *
 * @param asking a connection for short questions and DDL
 */
record CopyTables(Connection asking, TableColumn column) {

    /** Which of the two tables has the application's name. */
    enum Where {
        /** The former one: nothing is exchanged. */
        FORMER,
        /** The new one. */
        FRESH,
        /** A table of somebody else, or none. */
        UNKNOWN
    }

    Where where(State state) throws SQLException {
        Optional<State.Tables> tables = state.copy().orElseThrow().tables();
        if (tables.isEmpty()) {
            return Where.FORMER;
        }
        Optional<TableIdentity> now = identity(column.table());
        if (now.equals(Optional.of(tables.get().former()))) {
            return Where.FORMER;
        }
        // the new one may have been rebuilt since
        boolean isExchanged = state.copy().orElseThrow().isExchanging()
                && identity(ShadowNames.former(column.table()))
                        .equals(Optional.of(tables.get().former()));
        return isExchanged || now.equals(Optional.of(tables.get().fresh())) ? Where.FRESH : Where.UNKNOWN;
    }

    /** @throws ReencodeException if the exchange has begun, and it cannot be seen whether it has happened */
    void requireKnown(State state, Where where) throws SQLException {
        State.Copy copy = state.copy().orElseThrow();
        boolean isUnknown = where == Where.UNKNOWN
                && copy.isExchanging()
                && !identity(ShadowNames.fresh(column.table()))
                        .equals(copy.tables().map(State.Tables::fresh)); // otherwise nothing was exchanged
        if (isUnknown) {
            throw new ReencodeException(
                    column.name(),
                    "the exchange of the tables had begun, and neither the table nor "
                            + ShadowNames.former(column.table())
                            + " is one of those that were exchanged; others have made them again, or this is another server",
                    "compare the tables yourself, and rename them if that is right; nothing was done");
        }
    }

    Optional<TableIdentity> identity(String table) throws SQLException {
        return TableIdentity.read(asking, column.schema(), table);
    }

    CopyEndedException isAnother() {
        return new CopyEndedException(
                column.name(),
                "the table is another one than when the copy began: it was truncated, rebuilt, or exchanged by others");
    }

    /** The triggers are those that were made, and there are no others. */
    void requireTriggers(State state) throws SQLException {
        List<String> made = state.copy().orElseThrow().tables().orElseThrow().triggers();
        if (!TriggerFeed.triggers(asking, column).equals(made)) {
            throw new CopyEndedException(
                    column.name(),
                    "others have removed, changed or added triggers of the table, by which changes are found");
        }
    }

    /** Others wait for the lock too, so it is not waited for long at once. */
    void lock(Connection locking, String table) throws SQLException, InterruptedException {
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        for (int attempt = 1; ; attempt++) {
            try {
                Sql.execute(locking, "LOCK TABLES " + table);
                return;
            } catch (SQLException e) {
                if (!TableLock.isRepeated(e)) {
                    throw e;
                }
                if (attempt == TableLock.ATTEMPTS) {
                    throw TableLock.held(column.name());
                }
                TableLock.pause(attempt);
            }
        }
    }

    /**
     * Removes what a former process may have made before it could write so: an empty table of the definition that the
     * new one has, or had at first.
     *
     * @param ddl of the former table when the copy began
     */
    void removeUnknown(String ddl) throws SQLException, InterruptedException {
        TriggerFeed.drop(asking, column);
        String fresh = ShadowNames.fresh(column.table());
        if (!exists(fresh)) {
            return;
        }
        Optional<TableIdentity> found = identity(fresh);
        boolean isAlike = found.isPresent() && Definition.isBegun(asking, column, ddl, fresh);
        lockAndDrop(
                fresh,
                () -> isAlike
                        && identity(fresh).equals(found)
                        && Sql.strings(asking, "SELECT 1 FROM " + ShadowTable.fresh(column) + " LIMIT 1")
                                .isEmpty());
    }

    /** Whether a table is the one that is to be dropped, asked over the connection that has locked it. */
    interface Question {
        boolean isOurs() throws SQLException;
    }

    /** Drops a table if it is ours under a lock that keeps others from exchanging it. */
    void lockAndDrop(String table, Question question) throws SQLException, InterruptedException {
        String name = Names.quoted(column.schema(), table);
        lock(asking, name + " WRITE");
        try {
            if (!question.isOurs()) {
                throw new ReencodeException(
                        column.schema() + "." + table,
                        "it is not the table that the change made or exchanged",
                        "it was left as it is; drop or rename it, if that is right for you");
            }
            Sql.execute(asking, "DROP TABLE " + name);
        } finally {
            Sql.execute(asking, "UNLOCK TABLES");
        }
    }

    /**
     * Whether triggers were made, or may have been by a process that was lost; with the log, such names are others'.
     */
    static boolean isByTriggers(State.Copy copy) {
        return copy.tables().map(tables -> !tables.triggers().isEmpty()).orElse(true);
    }

    boolean exists(String table) throws SQLException {
        return !Sql.row(
                        asking,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        table)
                .isEmpty();
    }
}
