package dev.blobmark.reencode.copy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Groups;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableText;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The new table of a shadow copy. Rows are copied by the server, with the encoded values from here. Confined to one
 * thread.
 */
public final class ShadowTable implements CopiedRows, AutoCloseable {

    /** Longer values are copied by statements of their own. */
    private static final int MAX_SHARED = 16 << 10;

    private final Connection connection;
    private final TableKey key;
    private final TableKey freshKey;
    private final RowDigest digest;
    private final String table;
    private final String fresh;
    private final String name;
    private final String value;
    private final List<String> others;
    /** A column that a statement may set to what it is. */
    private final String unchanged;

    private final Map<Integer, PreparedStatement> bySize = new HashMap<>();
    private final Map<Integer, PreparedStatement> deletes = new HashMap<>();

    /**
     * @param connection whose transactions change the table
     * @param value expression for the stored bytes of the former table
     */
    public ShadowTable(Connection connection, TableColumn column, TableKey key, String value) throws SQLException {
        this(connection, column, key, value, column.table(), ShadowNames.fresh(column.table()));
    }

    /**
     * @param value expression for the stored bytes of the first table
     * @param from table from which rows are copied
     * @param to table to which they are copied
     */
    public ShadowTable(Connection connection, TableColumn column, TableKey key, String value, String from, String to)
            throws SQLException {
        this.connection = connection;
        this.key = key;
        this.value = value;
        table = Names.quoted(column.schema(), from);
        fresh = Names.quoted(column.schema(), to);
        freshKey = key.of(to);
        digest = RowDigest.of(connection, column, key);
        name = Names.quoted(column.column());
        List<String> written = RowDigest.stored(connection, column);
        unchanged = Names.quoted(
                key.names().stream().filter(written::contains).findFirst().orElse(column.column()));
        others = written.stream()
                .filter(each -> !each.equalsIgnoreCase(column.column()))
                .map(Names::quoted)
                .toList();
    }

    public static String fresh(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.fresh(column.table()));
    }

    /** Tables that exist and have names that a copy needs, with the remedy. */
    public static List<String> inTheWay(Connection connection, TableColumn column) throws SQLException {
        List<String> problems = new ArrayList<>();
        for (String name : List.of(
                ShadowNames.fresh(column.table()),
                ShadowNames.former(column.table()),
                ShadowNames.changes(column.table()))) {
            if (!Sql.row(
                            connection,
                            "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                            column.schema(),
                            name)
                    .isEmpty()) {
                problems.add(
                        "the table " + name
                                + " is in the way: if a change has left it, --finish drops it while that change is known; otherwise drop or rename it");
            }
        }
        return problems;
    }

    /**
     * Makes the table empty, with a column of bytes.
     *
     * @throws ReencodeException if it would not be as the former one; then it is dropped
     */
    public static void create(Connection connection, TableColumn column) throws SQLException {
        BytesColumn.Planned planned = BytesColumn.plan(connection, column);
        if (!planned.problems().isEmpty()) {
            throw new ReencodeException(
                    column.name(), String.join("; ", planned.problems()), "nothing was made; the table is as it was");
        }
        String fresh = fresh(column);
        Sql.execute(connection, "CREATE TABLE " + fresh + " LIKE " + Names.quoted(column.schema(), column.table()));
        if (planned.column().isPresent()) {
            Sql.execute(
                    connection,
                    "ALTER TABLE " + fresh + " MODIFY COLUMN " + Names.quoted(column.column()) + " "
                            + planned.column().get().sql(Definition.isMariaDb(connection)));
        }
        String rowFormat = Definition.read(connection, column, column.table()).rowFormat();
        if (!rowFormat.equals(Definition.read(connection, column, ShadowNames.fresh(column.table()))
                .rowFormat())) { // that of the server's default now
            Sql.execute(connection, "ALTER TABLE " + fresh + " ROW_FORMAT = " + rowFormat.toUpperCase(Locale.ROOT));
        }
        List<String> differences =
                Definition.differences(connection, column, column.table(), ShadowNames.fresh(column.table()));
        if (!differences.isEmpty()) {
            Sql.execute(connection, "DROP TABLE " + fresh);
            throw new ReencodeException(
                    column.name(),
                    "a copy would not be as the table is: " + String.join("; ", differences),
                    "the copy was dropped, and the table is as it was: take the change back with --revert; then alter the"
                            + " table, or change it in place");
        }
        settleCounter(connection, column);
    }

    /**
     * Gives the new table the next number of AUTO_INCREMENT of the former one, if its own is smaller: numbers of rows
     * that were deleted are not given again. Both are read from SHOW CREATE TABLE, which asks InnoDB; figures of
     * information_schema may be old.
     *
     * @param connection that may change the new table, and if it is locked, holds the locks of both. An open
     *     transaction is committed
     */
    public static void settleCounter(Connection connection, TableColumn column) throws SQLException {
        Optional<BigInteger> former = TableText.read(connection, column).counter();
        Optional<BigInteger> copied = TableText.read(connection, column.schema(), ShadowNames.fresh(column.table()))
                .counter();
        if (former.isPresent() && copied.orElse(BigInteger.ONE).compareTo(former.get()) < 0) {
            Sql.execute(connection, "ALTER TABLE " + fresh(column) + " AUTO_INCREMENT = " + former.get());
            if (!TableText.read(connection, column.schema(), ShadowNames.fresh(column.table()))
                    .counter()
                    .equals(former)) {
                throw new ReencodeException(
                        column.name(),
                        "the next number of AUTO_INCREMENT of the new table could not be set to " + former.get(),
                        "nothing was exchanged; take the copy back with --revert, or change the table in place");
            }
        }
    }

    @Override
    public void copy(List<Change> rows) throws SQLException {
        List<Change> small = new ArrayList<>();
        List<Change> large = new ArrayList<>();
        rows.forEach(row -> (sent(row).map(bytes -> bytes.length).orElse(0) <= MAX_SHARED ? small : large).add(row));
        Groups.forEach(small, this::copy);
        copy(large, 1);
    }

    /** Bytes that differ from those of the former table. */
    private static Optional<byte[]> sent(Change row) {
        return row.isNeeded() ? Optional.of(row.result().stored()) : Optional.empty();
    }

    private void copy(List<Change> rows, int size) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        PreparedStatement insert = insert(size);
        for (int from = 0; from < rows.size(); from += size) {
            int next = 1;
            for (Change row : rows.subList(from, from + size)) {
                next = key.bind(insert, next, row.row().key());
                Optional<byte[]> bytes = sent(row);
                insert.setBoolean(next++, bytes.isPresent());
                insert.setBytes(next++, bytes.orElse(new byte[0]));
            }
            for (Change row : rows.subList(from, from + size)) {
                next = key.bind(insert, next, row.row().key());
            }
            insert.addBatch();
        }
        insert.executeBatch();
    }

    private PreparedStatement insert(int rows) throws SQLException {
        PreparedStatement known = bySize.get(rows);
        if (known == null) {
            String columns = others.isEmpty() ? "" : String.join(", ", others) + ", ";
            String encoded = ("WHEN " + key.condition() + " AND ? THEN ? ").repeat(rows);
            String some = "(" + key.condition() + ")";
            known = connection.prepareStatement("INSERT INTO " + fresh + " (" + columns + name + ") SELECT " + columns
                    + "CASE " + encoded + "ELSE " + value + " END FROM " + table + key.hint() + " WHERE "
                    + String.join(" OR ", Collections.nCopies(rows, some))
                    + " ON DUPLICATE KEY UPDATE " + fresh + "." + unchanged + " = " + fresh + "."
                    + unchanged);
            bySize.put(rows, known);
        }
        return known;
    }

    @Override
    public void replace(List<List<Object>> keys, List<Change> rows) throws SQLException {
        Groups.forEach(keys, this::delete);
        copy(rows);
    }

    private void delete(List<List<Object>> keys, int size) throws SQLException {
        PreparedStatement delete = deletes.get(size);
        if (delete == null) {
            delete = connection.prepareStatement("DELETE FROM " + fresh + " WHERE " + any(size));
            deletes.put(size, delete);
        }
        for (int from = 0; from < keys.size(); from += size) {
            bind(delete, keys.subList(from, from + size));
            delete.addBatch();
        }
        delete.executeBatch();
    }

    @Override
    public Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException {
        TableKey.Range range = freshKey.between(after, last);
        return digest.sum(connection, range.sql().replaceAll(" ORDER BY .*$", ""), range::bind);
    }

    /** The sum over the other columns of a range of the table from which rows are copied. */
    Sum othersOfFormer(Optional<List<Object>> after, List<Object> last) throws SQLException {
        TableKey.Range range = key.between(after, last);
        return digest.others(connection, range.sql().replaceAll(" ORDER BY .*$", ""), range::bind);
    }

    @Override
    public Map<List<Object>, Sum> sums(List<List<Object>> keys) throws SQLException {
        Map<List<Object>, Sum> sums = new HashMap<>();
        Groups.forEach(keys, (some, size) -> {
            String rows = " FROM " + fresh + " WHERE " + any(size);
            for (int from = 0; from < some.size(); from += size) {
                List<List<Object>> of = some.subList(from, from + size);
                digest.add(connection, key, rows, select -> bind(select, of), sums);
            }
        });
        return sums;
    }

    private String any(int size) {
        return String.join(" OR ", Collections.nCopies(size, "(" + key.condition() + ")"));
    }

    private void bind(PreparedStatement statement, List<List<Object>> keys) throws SQLException {
        int next = 1;
        for (List<Object> each : keys) {
            next = key.bind(statement, next, each);
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : bySize.values()) {
            statement.close();
        }
        for (PreparedStatement statement : deletes.values()) {
            statement.close();
        }
    }
}
