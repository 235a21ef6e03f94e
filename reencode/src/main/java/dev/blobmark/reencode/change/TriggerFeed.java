package dev.blobmark.reencode.change;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.KeyColumn;
import dev.blobmark.mysql.table.KeyColumn.Kind;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.OwnTable;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Changes that triggers write into a table next to the data, for servers without a binary log. They are deleted in the
 * transaction that deals with them.
 */
public final class TriggerFeed implements ChangeFeed {

    /** The column with the numbers of changes, in the table of keys. */
    public static final String NUMBER = "blobmark_number";

    /** Number of a row that is no change. */
    private static final int FIRST = 0;

    private static final List<String> EVENTS = List.of("INSERT", "UPDATE", "DELETE");

    /** Number of the last change that was polled; the largest if there was none. */
    private long last;

    /** The table that triggers write into. */
    public static String changes(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.changes(column.table()));
    }

    private static List<String> triggers(TableColumn column) {
        return ShadowNames.triggers(column.table()).stream()
                .map(name -> Names.quoted(column.schema(), name))
                .toList();
    }

    /** Makes the table and the triggers where they are missing. */
    public static void create(Connection connection, TableColumn column, TableKey key)
            throws SQLException, InterruptedException {
        String table = Names.quoted(column.schema(), column.table());
        String changes = changes(column);
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + changes
                        + " (" + NUMBER
                        + " BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB COMMENT='"
                        + OwnTable.MARKER + "' SELECT "
                        + key.parts().stream()
                                .map(part -> stored(part, "") + " AS " + Names.quoted(part.name()))
                                .collect(Collectors.joining(", "))
                        + " FROM " + table + " LIMIT 0");
        addFirst(connection, changes);
        List<String> triggers = triggers(column);
        List<String> bodies = bodies(changes, key);
        for (int i = 0; i < triggers.size(); i++) {
            execute(connection, triggers.get(i), EVENTS.get(i), table, bodies.get(i));
        }
    }

    /**
     * A row that stays, so that the table is never empty. Where a session has neither {@code unique_checks} nor
     * {@code foreign_key_checks}, MariaDB 11.4.5 inserts into an empty table in bulk, and a duplicate key in the same
     * statement then takes the whole transaction back, and the session does not learn of it: its COMMIT succeeds.
     */
    private static void addFirst(Connection connection, String changes) throws SQLException {
        // IGNORE: the columns of the key have no defaults
        Sql.execute(connection, "INSERT IGNORE INTO " + changes + " (" + NUMBER + ") VALUES (" + FIRST + ")");
        String numbers = "SELECT 1 FROM " + changes + " WHERE " + NUMBER + " = " + FIRST;
        if (Sql.strings(connection, numbers).isEmpty()) {
            throw new IllegalStateException(
                    "the table of changes has no first row; sql_mode lacks NO_AUTO_VALUE_ON_ZERO");
        }
    }

    private static List<String> bodies(String changes, TableKey key) {
        return List.of(
                insert(changes, key, "NEW."),
                "BEGIN " + insert(changes, key, "OLD.") + "; " + insert(changes, key, "NEW.") + "; END",
                insert(changes, key, "OLD."));
    }

    /**
     * What distinguishes the triggers of a table from others: name, time of creation, account, and what they do. MySQL
     * 9.7.4 does not show quoted names in their statements as they were written.
     */
    public static List<String> triggers(Connection connection, TableColumn column) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT trigger_name, event_manipulation, action_timing, created, definer, sql_mode, action_statement FROM"
                        + " information_schema.triggers WHERE event_object_schema = ? AND event_object_table = ? ORDER BY 2, 3,"
                        + " action_order")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    List<String> values = new ArrayList<>();
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        values.add(String.valueOf(row.getString(i)));
                    }
                    found.add(String.join(" ", values));
                }
            }
        }
        return found;
    }

    /**
     * MariaDB prepares a statement again for a trigger only if the trigger's time is after that of its preparation; the
     * time is rounded down to 10 ms, and taken before CREATE TRIGGER waits for the table. Statements that were prepared
     * in between fail with error 1146 for good. So the triggers are dated after the longest wait.
     */
    private static void execute(Connection connection, String trigger, String event, String table, String body)
            throws SQLException, InterruptedException {
        drop(connection, table, trigger);
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        onTable(connection, table, () -> {
            if (isMariaDb && JdbcDriver.variable(connection, "secure_timestamp").equals("NO")) {
                Sql.execute(connection, "SET SESSION timestamp = UNIX_TIMESTAMP() + " + 2 * TableLock.LOCK_SECONDS);
            }
            Sql.execute(
                    connection,
                    "CREATE TRIGGER " + trigger + " AFTER " + event + " ON " + table + " FOR EACH ROW " + body);
        });
        if (isMariaDb) {
            Sql.execute(connection, "SET SESSION timestamp = DEFAULT");
        }
    }

    /** Without SUPER, a server with a binary log may refuse to drop a trigger, even if it does not exist. */
    private static void drop(Connection connection, String table, String trigger)
            throws SQLException, InterruptedException {
        Map<String, String> found = Sql.row(
                connection,
                "SELECT action_statement FROM information_schema.triggers WHERE CONCAT('`', REPLACE(trigger_schema, '`',"
                        + " '``'), '`.`', REPLACE(trigger_name, '`', '``'), '`') = ?",
                trigger);
        if (found.isEmpty()) {
            return;
        }
        if (!found.get("action_statement").matches("(?s)(BEGIN )?INSERT INTO .*_blobmark_keys.*")) {
            throw new ReencodeException(
                    trigger,
                    "it is not a trigger that Blobmark made",
                    "it was left as it is; drop or rename it, if that is right for you");
        }
        onTable(connection, table, () -> Sql.execute(connection, "DROP TRIGGER IF EXISTS " + trigger));
    }

    /** Others wait as long as a change of the table does, so it does not wait for long at once. */
    private static void onTable(Connection connection, String table, TableLock.LockingStatement change)
            throws SQLException, InterruptedException {
        Sql.execute(connection, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        TableLock.take(table, Clock.SYSTEM, change);
    }

    private static String insert(String changes, TableKey key, String row) {
        return "INSERT INTO " + changes + " (" + key.columns() + ") VALUES ("
                + key.parts().stream().map(part -> stored(part, row)).collect(Collectors.joining(", ")) + ")";
    }

    /**
     * What a trigger writes. A TIMESTAMP is written as its seconds: MySQL 9.7.4 assigns NEW.t to another TIMESTAMP by
     * way of the time zone of the application's session, in which two times of an hour may be the same.
     */
    private static String stored(KeyColumn part, String row) {
        String name = row + Names.quoted(part.name());
        return part.kind() == Kind.TIMESTAMP
                ? "CAST(COALESCE(UNIX_TIMESTAMP(" + name + "), 0) AS DECIMAL(20, 6))"
                : name;
    }

    /** What was written, as the key is read. */
    private static String selected(KeyColumn part) {
        if (part.kind() != Kind.TIMESTAMP) {
            return part.selected();
        }
        String name = Names.quoted(part.name());
        int digits = part.fractionDigits();
        return "IF(" + name + " = 0, '0000-00-00 00:00:00" + (digits == 0 ? "" : "." + "0".repeat(digits))
                + "', CAST(CAST(FROM_UNIXTIME(" + name + ") AS DATETIME(" + digits + ")) AS CHAR))";
    }

    public static void dropTriggers(Connection connection, TableColumn column)
            throws SQLException, InterruptedException {
        for (String trigger : triggers(column)) {
            drop(connection, Names.quoted(column.schema(), column.table()), trigger);
        }
    }

    public static void drop(Connection connection, TableColumn column) throws SQLException, InterruptedException {
        dropTriggers(connection, column);
        OwnTable.drop(connection, column.schema(), ShadowNames.changes(column.table()));
    }

    /** The rows of the table of keys, see {@link FeedSession}. */
    static List<FeedSession.ChangedKey> changedKeys(Connection connection, TableColumn column, TableKey key, int most)
            throws SQLException {
        List<FeedSession.ChangedKey> found = new ArrayList<>();
        String selected = key.parts().stream().map(TriggerFeed::selected).collect(Collectors.joining(", "));
        try (PreparedStatement select = connection.prepareStatement("SELECT " + selected + ", " + NUMBER + " FROM "
                        + changes(column) + " WHERE " + NUMBER + " > " + FIRST + " ORDER BY " + NUMBER + " LIMIT "
                        + most);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                List<Object> read = key.read(row, 1);
                found.add(new FeedSession.ChangedKey(row.getLong(read.size() + 1), read));
            }
        }
        return found;
    }

    static void remove(Connection connection, TableColumn column, List<FeedSession.ChangedKey> keys)
            throws SQLException {
        Sql.execute(
                connection,
                "DELETE FROM " + changes(column) + " WHERE " + NUMBER + " IN ("
                        + keys.stream()
                                .map(each -> String.valueOf(each.number()))
                                .collect(Collectors.joining(", "))
                        + ")");
    }

    static long lastChangedKey(Connection connection, TableColumn column) throws SQLException {
        return Long.parseLong(Sql.strings(connection, "SELECT COALESCE(MAX(" + NUMBER + "), 0) FROM " + changes(column))
                .get(0));
    }

    @Override
    public List<List<Object>> poll(FeedSession writing, int most) throws SQLException {
        List<FeedSession.ChangedKey> found = writing.changedKeys(most);
        if (!found.isEmpty()) {
            writing.remove(found);
        }
        last = found.isEmpty() ? Long.MAX_VALUE : found.get(found.size() - 1).number();
        return found.stream().map(FeedSession.ChangedKey::key).toList();
    }

    @Override
    public Optional<LogPlace> position() {
        return Optional.empty();
    }

    @Override
    public void requireCurrent(FeedSession asking) {
        // the table is read by its name, under the lock
    }

    /** Numbers are in the order of the changes of a row. Changes that are not committed yet may have smaller ones. */
    @Override
    public String end(FeedSession asking) throws SQLException {
        last = 0;
        return Long.toString(asking.lastChangedKey());
    }

    @Override
    public boolean hasReached(String end) {
        return last >= Long.parseLong(end);
    }

    @Override
    public void close() {
        // the triggers stay for a later process
    }
}
