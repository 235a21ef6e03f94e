package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.reencode.Rewriter.Change;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The new table of a shadow copy. Rows are copied by the server, with the encoded values from here. Confined to one
 * thread.
 */
final class ShadowTable implements AutoCloseable {

    /** Longer values are copied by statements of their own. */
    private static final int MAX_SHARED = 16 << 10;

    private final Connection connection;
    private final TableKey key;
    private final String table;
    private final String fresh;
    private final String name;
    private final String value;
    private final List<String> others;
    private final Map<Integer, PreparedStatement> bySize = new HashMap<>();
    private final Map<Integer, PreparedStatement> deletes = new HashMap<>();

    /**
     * @param connection whose transactions change the table
     * @param value expression for the stored bytes of the former table
     */
    ShadowTable(Connection connection, TableColumn column, TableKey key, String value) throws SQLException {
        this.connection = connection;
        this.key = key;
        this.value = value;
        table = Names.quoted(column.schema(), column.table());
        fresh = fresh(column);
        name = Names.quoted(column.column());
        others = copied(connection, column).stream()
                .filter(each -> !each.equalsIgnoreCase(column.column()))
                .map(Names::quoted)
                .toList();
    }

    static String fresh(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.fresh(column.table()));
    }

    /** Columns that are not computed. */
    private static List<String> copied(Connection connection, TableColumn column) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT column_name, extra FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY"
                        + " ordinal_position")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String extra = String.valueOf(row.getString(2)).toUpperCase(Locale.ROOT);
                    // DEFAULT_GENERATED is a default that is an expression
                    if (!extra.contains("VIRTUAL GENERATED")
                            && !extra.contains("STORED GENERATED")
                            && !extra.contains("PERSISTENT")) {
                        names.add(row.getString(1));
                    }
                }
            }
        }
        return names;
    }

    /** Tables that exist and have names that a copy needs, with the remedy. */
    static List<String> inTheWay(Connection connection, TableColumn column) throws SQLException {
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

    /** Makes the table empty, with a column of bytes. */
    static void create(Connection connection, TableColumn column) throws SQLException {
        String table = Names.quoted(column.schema(), column.table());
        Sql.execute(connection, "CREATE TABLE " + fresh(column) + " LIKE " + table);
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT data_type, is_nullable, column_comment FROM information_schema.columns WHERE table_schema = ? AND"
                        + " table_name = ? AND column_name = ?",
                column.schema(),
                column.table(),
                column.column());
        Optional<String> type = bytesFor(facts.get("data_type"));
        if (type.isPresent()) {
            Sql.execute(
                    connection,
                    "ALTER TABLE " + fresh(column) + " MODIFY COLUMN " + Names.quoted(column.column()) + " "
                            + type.get()
                            + (facts.get("is_nullable").equals("NO") ? " NOT NULL" : " NULL") + " COMMENT '"
                            + facts.get("column_comment").replace("\\", "\\\\").replace("'", "''") + "'");
        }
        Map<String, String> counter = Sql.row(
                connection,
                "SELECT auto_increment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                column.schema(),
                column.table());
        String next = counter.getOrDefault("auto_increment", "null");
        if (!next.equals("null")) {
            Sql.execute(connection, "ALTER TABLE " + fresh(column) + " AUTO_INCREMENT = " + next);
        }
    }

    /** The type of bytes for one of text; empty if it is one of bytes already. */
    static Optional<String> bytesFor(String type) {
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "tinytext", "text", "char", "varchar" -> Optional.of("MEDIUMBLOB");
            case "mediumtext" -> Optional.of("MEDIUMBLOB");
            case "longtext", "json" -> Optional.of("LONGBLOB");
            default -> Optional.empty();
        };
    }

    /** The longest value of the type of bytes for one of text; empty if it is one of bytes already. */
    static Optional<Long> maxBytes(String type) {
        return bytesFor(type).map(bytes -> bytes.equals("MEDIUMBLOB") ? (1L << 24) - 1 : (1L << 32) - 1);
    }

    /** The expression for the stored bytes: text in its character set, JSON as its text. */
    static String value(TableColumn column, String type) {
        String name = Names.quoted(column.column());
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "json" -> "CAST(CAST(" + name + " AS CHAR) AS BINARY)";
            case "tinytext", "text", "mediumtext", "longtext", "char", "varchar" -> "CAST(" + name + " AS BINARY)";
            default -> name;
        };
    }

    /** Copies rows that are not there yet. */
    void copy(List<Change> rows) throws SQLException {
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
            String first = Names.quoted(key.names().get(0));
            known = connection.prepareStatement("INSERT INTO " + fresh + " (" + columns + name + ") SELECT " + columns
                    + "CASE " + encoded + "ELSE " + value + " END FROM " + table + key.hint() + " WHERE "
                    + String.join(" OR ", Collections.nCopies(rows, some))
                    + " ON DUPLICATE KEY UPDATE " + fresh + "." + first + " = " + fresh + "." + first);
            bySize.put(rows, known);
        }
        return known;
    }

    /**
     * Replaces rows that were changed.
     *
     * @param rows those of the keys that are there now
     */
    void replace(List<List<Object>> keys, List<Change> rows) throws SQLException {
        Groups.forEach(keys, this::delete);
        copy(rows);
    }

    private void delete(List<List<Object>> keys, int size) throws SQLException {
        PreparedStatement delete = deletes.get(size);
        if (delete == null) {
            delete = connection.prepareStatement("DELETE FROM " + fresh + " WHERE "
                    + String.join(" OR ", Collections.nCopies(size, "(" + key.condition() + ")")));
            deletes.put(size, delete);
        }
        for (int from = 0; from < keys.size(); from += size) {
            int next = 1;
            for (List<Object> changed : keys.subList(from, from + size)) {
                next = key.bind(delete, next, changed);
            }
            delete.addBatch();
        }
        delete.executeBatch();
    }

    /** A digest of the columns that are copied as they are, and the number of rows, of a range of either table. */
    String digest(String of, TableKey.Range range) throws SQLException {
        String from = range.sql().replace(" FROM " + table + key.hint(), " FROM " + of + key.hint());
        String row = others.stream()
                .map(each -> "IFNULL(CAST(" + each + " AS BINARY), 'NULL'), ISNULL(" + each + ")")
                .collect(Collectors.joining(", "));
        try (PreparedStatement select = connection.prepareStatement("SELECT COUNT(*), BIT_XOR(CRC32(CONCAT_WS('#', "
                + row + ")))" + from.replaceAll(" ORDER BY .*$", ""))) {
            range.bind(select);
            try (ResultSet digest = select.executeQuery()) {
                digest.next();
                return digest.getString(1) + " " + digest.getString(2);
            }
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
