package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * All by which an UPDATE of a row could do something else than before: which table it is, its columns, indexes,
 * constraints and triggers, without the counter of AUTO_INCREMENT; and what the account was granted, because without a
 * privilege triggers cannot be seen. Confined to one thread.
 *
 * <p>InnoDB's number of the table is asked for in a twentieth of the time at most: the server looks through all of its
 * tables for it, 14 ms among 1,500 (MySQL 9.7.4). Between, tables of the same definition differ by the second at which
 * they were made or altered.
 */
public final class TableInForce {

    private static final int MOST_SHARE = 20;

    private final TableColumn column;
    private final Optional<TableIdentity> identity;
    private final String text;
    private long dueNanos;

    /** The table as it is. */
    public TableInForce(Connection connection, TableColumn column) throws SQLException {
        this.column = column;
        identity = identity(connection);
        text = text(connection);
    }

    /**
     * Whether it is the same. In a transaction that has read from the table, it stays so until the end.
     *
     * @param isCertain whether the number is asked for in any case
     */
    public boolean isSame(Connection connection, boolean isCertain) throws SQLException {
        return text.equals(text(connection))
                && (!isCertain && System.nanoTime() - dueNanos < 0 || identity.equals(identity(connection)));
    }

    private Optional<TableIdentity> identity(Connection connection) throws SQLException {
        long begin = System.nanoTime();
        Optional<TableIdentity> found = TableIdentity.read(connection, column.schema(), column.table());
        long end = System.nanoTime();
        dueNanos = end + (MOST_SHARE - 1) * (end - begin);
        return found;
    }

    private String text(Connection connection) throws SQLException {
        String ddl = Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(column.schema(), column.table()))
                .values()
                .iterator()
                .next();
        String triggers = String.join(
                "\n",
                Definition.lines(
                        connection,
                        "SELECT trigger_name, action_timing, event_manipulation, action_statement FROM"
                                + " information_schema.triggers WHERE event_object_schema = ? AND event_object_table = ?"
                                + " ORDER BY 1",
                        column.schema(),
                        column.table()));
        String made = Definition.lines(
                        connection,
                        "SELECT create_time FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        column.table())
                .toString();
        return String.join(
                "\n",
                made,
                ddl.replaceAll(" AUTO_INCREMENT=\\d+", ""),
                triggers,
                String.join("\n", Grants.read(connection).all()));
    }
}
