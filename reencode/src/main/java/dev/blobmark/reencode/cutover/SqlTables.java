package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.table.TableLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The tables of a copy on a server, and their removal.
 *
 * @param asking a connection for short questions and DDL
 */
record SqlTables(Connection asking, TableColumn column) implements CopyTables.Identities {

    @Override
    public Optional<TableIdentity> identity(String table) throws SQLException {
        return TableIdentity.read(asking, column.schema(), table);
    }

    /** The definition of the table without the counter of its numbers. */
    static String definition(Connection connection, TableColumn column) throws SQLException {
        return Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(column.schema(), column.table()))
                .values()
                .iterator()
                .next()
                .replaceFirst("(?m)^(\\).*?) AUTO_INCREMENT=\\d+", "$1");
    }

    /** @param table with the kind of the lock */
    void lock(Connection locking, String table) throws SQLException, InterruptedException {
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        TableLock.take(column.name(), Clock.SYSTEM, () -> Sql.execute(locking, "LOCK TABLES " + table));
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

    boolean exists(String table) throws SQLException {
        return !Sql.row(
                        asking,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        table)
                .isEmpty();
    }
}
