package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The tables of a copy: which one has which name. */
record CopyTables(Identities identities, TableColumn column) {

    /** By what the tables of a server are known. */
    interface Identities {

        /** Of a table of the column's schema now; empty if there is none, or it cannot be seen. */
        Optional<TableIdentity> identity(String table) throws SQLException;
    }

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
        return identities.identity(table);
    }

    CopyEndedException isAnother() {
        return new CopyEndedException(
                column.name(),
                "the table is another one than when the copy began: it was truncated, rebuilt, or exchanged by others");
    }

    /**
     * The triggers are those that were made, and there are no others.
     *
     * @param now those of the table
     */
    void requireTriggers(State state, List<String> now) {
        if (!now.equals(state.copy().orElseThrow().tables().orElseThrow().triggers())) {
            throw new CopyEndedException(
                    column.name(),
                    "others have removed, changed or added triggers of the table, by which changes are found");
        }
    }

    /**
     * Whether triggers were made, or may have been by a process that was lost; with the log, such names are others'.
     */
    static boolean isByTriggers(State.Copy copy) {
        return copy.tables().map(tables -> !tables.triggers().isEmpty()).orElse(true);
    }
}
