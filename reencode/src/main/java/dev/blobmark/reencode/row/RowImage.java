package dev.blobmark.reencode.row;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the change of a row adds to the binary log.
 *
 * @param kind {@code FULL}, {@code FULL_NODUP}, {@code MINIMAL} or {@code NOBLOB}; {@code STATEMENT} if statements are
 *     logged; {@code NONE} without a log
 * @param hasStatements whether the text of each statement is logged as well
 * @param isBlob whether the column is a BLOB, and no VARBINARY
 * @param textBytes of a statement besides the values and the key, for a row
 * @param keyBytes of a row's key, on average
 * @param otherBytes of the other columns of a row that are no BLOB or TEXT, on average
 * @param otherBlobBytes of those that are, on average
 */
public record RowImage(
        String kind,
        boolean hasStatements,
        boolean isBlob,
        long textBytes,
        long keyBytes,
        long otherBytes,
        long otherBlobBytes) {

    public static final RowImage NONE = new RowImage("NONE", false, true, 0, 0, 0, 0);

    /** Bitmaps of the columns, and a length for each image. */
    private static final int ROW_BYTES = 12;

    /** Words and quotes for a row, with its part of what a statement for eight rows begins with. */
    private static final int STATEMENT_BYTES = 60;

    /** In a statement, a backslash precedes the sixteenth part of the bytes: between compressed bytes and JSON. */
    private static final int ESCAPED = 16;

    /** GTID, BEGIN, three descriptions of tables, headers of events, COMMIT; the other columns of the state's row. */
    private static final int TRANSACTION_BYTES = 800;

    /** The state is a row of JSON; its range has two keys as JSON. */
    private static final int STATE_BYTES = 760;

    private static final int SAMPLED_ROWS = 100;
    private static final int NUMBER_BYTES = 6;
    private static final Set<String> BLOBS = Set.of(
            "tinyblob",
            "blob",
            "mediumblob",
            "longblob",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
            "json",
            "geometry",
            "vector");
    private static final Set<String> STRINGS = Set.of("char", "varchar", "binary", "varbinary");

    /** Variables of MariaDB (ON by default) and of MySQL that log the text of statements before their rows. */
    private static final List<String> ANNOTATIONS =
            List.of("binlog_annotate_row_events", "binlog_rows_query_log_events");

    private static final int ANSWER_SECONDS = 5;

    /**
     * Leaves out what the session would log of statements besides the rows, if the account may. The text has the old
     * and the new values: with MariaDB 11.4.5, the log was twice as long.
     */
    public static void leaveOutStatements(Connection connection) throws SQLException {
        for (String name : ANNOTATIONS) {
            if (isOn(JdbcDriver.variable(connection, name))) {
                try {
                    Sql.execute(connection, "SET SESSION " + name + " = OFF");
                } catch (SQLException e) {
                    if (!connection.isValid(ANSWER_SECONDS)) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Of the session, with a sample of the first rows. No transaction is left open. */
    public static RowImage read(Connection connection, TableColumn column, TableKey key) throws SQLException {
        String kind = kind(connection);
        if (kind.equals(NONE.kind)) {
            return NONE;
        }
        List<String> keys = new ArrayList<>();
        List<String> others = new ArrayList<>();
        List<String> blobs = new ArrayList<>();
        boolean isBlob = false;
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = ? AND table_name = ?"
                        + " AND extra NOT LIKE '%VIRTUAL%'")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String type = row.getString(2).toLowerCase(Locale.ROOT);
                    String name = row.getString(1);
                    boolean isLong = BLOBS.contains(type);
                    String length = isLong || STRINGS.contains(type)
                            ? "COALESCE(LENGTH(" + Names.quoted(name) + "), 0) + 1"
                            : Integer.toString(NUMBER_BYTES);
                    if (name.equals(column.column())) {
                        isBlob = isLong;
                        continue;
                    }
                    (isLong ? blobs : others).add(length);
                    if (key.names().contains(name)) {
                        keys.add(length);
                    }
                }
            }
        }
        Map<String, String> means = Sql.row(
                connection,
                "SELECT ROUND(AVG(k)) AS k, ROUND(AVG(o)) AS o, ROUND(AVG(b)) AS b FROM (SELECT " + sum(keys)
                        + " AS k, "
                        + sum(others) + " AS o, " + sum(blobs) + " AS b"
                        + key.all().sql() + " LIMIT " + SAMPLED_ROWS
                        + ") AS first_rows");
        if (!connection.getAutoCommit()) {
            connection.rollback(); // otherwise DDL on the table would wait
        }
        boolean hasStatements = false;
        for (String annotation : ANNOTATIONS) {
            hasStatements |= isOn(JdbcDriver.variable(connection, annotation));
        }
        // each row is named twice: for its new value, and to be found
        long textBytes = STATEMENT_BYTES
                + 2L * key.condition().length()
                + Names.quoted(column.column()).length();
        return new RowImage(
                kind, hasStatements, isBlob, textBytes, mean(means, "k"), mean(means, "o"), mean(means, "b"));
    }

    private static String sum(List<String> lengths) {
        return lengths.isEmpty() ? "0" : String.join(" + ", lengths);
    }

    private static long mean(Map<String, String> means, String name) {
        String mean = means.get(name);
        return mean == null || mean.equals("null") ? 0 : Long.parseLong(mean);
    }

    /** Whether the server has a binary log, and what this session writes is not in it. */
    public static boolean isUnlogged(Connection connection) throws SQLException {
        return isOn(JdbcDriver.variable(connection, "log_bin"))
                && isOff(JdbcDriver.variable(connection, "sql_log_bin"));
    }

    private static String kind(Connection connection) throws SQLException {
        if (!isOn(JdbcDriver.variable(connection, "log_bin")) || isUnlogged(connection)) {
            return NONE.kind;
        }
        // MIXED logs rows too: the work is READ COMMITTED, for which statements are unsafe
        if (JdbcDriver.variable(connection, "binlog_format").equalsIgnoreCase("STATEMENT")) {
            return "STATEMENT";
        }
        return JdbcDriver.variable(connection, "binlog_row_image").toUpperCase(Locale.ROOT);
    }

    private static boolean isOn(String value) {
        return value.equalsIgnoreCase("ON") || value.equals("1");
    }

    private static boolean isOff(String value) {
        return value.equalsIgnoreCase("OFF") || value.equals("0");
    }

    /** Bytes of the log for a row whose value has these lengths before and after. */
    public long bytes(long before, long after) {
        long statement = before + after + (before + after) / ESCAPED + 2 * keyBytes + textBytes;
        long row = switch (kind) {
            case "NONE" -> 0;
            case "STATEMENT" -> statement;
            case "MINIMAL" -> keyBytes + after + ROW_BYTES;
            // BLOBs that did not change are left out, and all of the image before
            case "NOBLOB" -> (isBlob ? 0 : before) + after + 2 * otherBytes + ROW_BYTES;
            case "FULL_NODUP" -> before + after + otherBytes + otherBlobBytes + ROW_BYTES;
            default -> before + after + 2 * (otherBytes + otherBlobBytes) + ROW_BYTES;
        };
        return row + (hasStatements && !kind.equals("STATEMENT") ? statement : 0);
    }

    /** Bytes of the log for a new row whose value has this length. */
    public long bytesOfInsert(long after) {
        if (kind.equals("NONE")) {
            return 0;
        }
        long text = hasStatements ? after + after / ESCAPED + 2 * keyBytes + textBytes : 0;
        return after + otherBytes + otherBlobBytes + ROW_BYTES / 2 + text;
    }

    /**
     * Bytes of the log for what each transaction writes besides its rows.
     *
     * @param originalBytes that it kept
     */
    public long transactionBytes(long originalBytes) {
        return switch (kind) {
            case "NONE" -> 0;
            case "MINIMAL", "NOBLOB" -> TRANSACTION_BYTES + STATE_BYTES + originalBytes;
            default -> TRANSACTION_BYTES + 2 * STATE_BYTES + originalBytes;
        };
    }
}
