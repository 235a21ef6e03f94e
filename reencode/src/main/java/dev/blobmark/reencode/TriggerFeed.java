package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Changes that triggers write into a table next to the data, for servers without a binary log. They are deleted in the
 * transaction that deals with them.
 */
final class TriggerFeed implements ChangeFeed {

    private final TableKey key;
    private final String changes;

    /** Number of the last change that was polled; the largest if there was none. */
    private long last;

    private TriggerFeed(TableKey key, String changes) {
        this.key = key;
        this.changes = changes;
    }

    /** The table that triggers write into. */
    static String changes(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.changes(column.table()));
    }

    private static List<String> triggers(TableColumn column) {
        return Stream.of("i", "u", "d")
                .map(event -> Names.quoted(column.schema(), ShadowNames.trigger(column.table(), event)))
                .toList();
    }

    /** Makes the table and the triggers where they are missing. */
    static void create(Connection connection, TableColumn column, TableKey key)
            throws SQLException, InterruptedException {
        String table = Names.quoted(column.schema(), column.table());
        String changes = changes(column);
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + changes
                        + " (blobmark_number BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB SELECT "
                        + key.columns() + " FROM " + table + " LIMIT 0");
        List<String> names = key.names().stream().map(Names::quoted).toList();
        List<String> triggers = triggers(column);
        execute(connection, triggers.get(0), "INSERT", table, insert(changes, names, "NEW"));
        execute(
                connection,
                triggers.get(1),
                "UPDATE",
                table,
                "BEGIN " + insert(changes, names, "OLD") + "; " + insert(changes, names, "NEW") + "; END");
        execute(connection, triggers.get(2), "DELETE", table, insert(changes, names, "OLD"));
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
            if (isMariaDb && Driver.variable(connection, "secure_timestamp").equals("NO")) {
                Sql.execute(connection, "SET SESSION timestamp = UNIX_TIMESTAMP() + " + 2 * Exchange.LOCK_SECONDS);
            }
            Sql.execute(
                    connection,
                    "CREATE TRIGGER " + trigger + " AFTER " + event + " ON " + table + " FOR EACH ROW " + body);
        });
        if (isMariaDb) {
            Sql.execute(connection, "SET SESSION timestamp = DEFAULT");
        }
    }

    private static void drop(Connection connection, String table, String trigger)
            throws SQLException, InterruptedException {
        onTable(connection, table, () -> Sql.execute(connection, "DROP TRIGGER IF EXISTS " + trigger));
    }

    private interface Change {
        void run() throws SQLException;
    }

    /** Others wait as long as a change of the table does, so it does not wait for long at once. */
    private static void onTable(Connection connection, String table, Change change)
            throws SQLException, InterruptedException {
        Sql.execute(connection, "SET SESSION lock_wait_timeout = " + Exchange.LOCK_SECONDS);
        for (int attempt = 1; ; attempt++) {
            try {
                change.run();
                return;
            } catch (SQLException e) {
                if (!InPlace.isRepeated(e)) {
                    throw e;
                }
                if (attempt == Exchange.ATTEMPTS) {
                    throw Exchange.held(table);
                }
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    private static String insert(String changes, List<String> names, String row) {
        return "INSERT INTO " + changes + " (" + String.join(", ", names) + ") VALUES ("
                + names.stream().map(name -> row + "." + name).collect(Collectors.joining(", ")) + ")";
    }

    static void dropTriggers(Connection connection, TableColumn column) throws SQLException, InterruptedException {
        for (String trigger : triggers(column)) {
            drop(connection, Names.quoted(column.schema(), column.table()), trigger);
        }
    }

    static void drop(Connection connection, TableColumn column) throws SQLException, InterruptedException {
        dropTriggers(connection, column);
        Sql.execute(connection, "DROP TABLE IF EXISTS " + changes(column));
    }

    static TriggerFeed open(TableColumn column, TableKey key) {
        return new TriggerFeed(key, changes(column));
    }

    @Override
    public List<List<Object>> poll(Connection writing, int most) throws SQLException {
        List<List<Object>> keys = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        try (PreparedStatement select = writing.prepareStatement("SELECT " + key.columns() + ", blobmark_number FROM "
                        + changes + " ORDER BY blobmark_number LIMIT " + most);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                List<Object> read = key.read(row, 1);
                keys.add(read);
                numbers.add(row.getLong(read.size() + 1));
            }
        }
        if (!numbers.isEmpty()) {
            Sql.execute(
                    writing,
                    "DELETE FROM " + changes + " WHERE blobmark_number IN ("
                            + numbers.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")");
        }
        last = numbers.isEmpty() ? Long.MAX_VALUE : numbers.get(numbers.size() - 1);
        return keys;
    }

    @Override
    public Optional<String> position() {
        return Optional.empty();
    }

    /** Numbers are in the order of the changes of a row. Changes that are not committed yet may have smaller ones. */
    @Override
    public String end(Connection asking) throws SQLException {
        last = 0;
        return Sql.strings(asking, "SELECT COALESCE(MAX(blobmark_number), 0) FROM " + changes)
                .get(0);
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
