package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/**
 * What the change of a row adds to the binary log.
 *
 * @param kind {@code FULL}, {@code MINIMAL} or {@code NOBLOB}; {@code STATEMENT} if statements are logged; {@code NONE}
 *     without a log
 * @param otherBytes of the other columns of a row, on average
 */
record RowImage(String kind, long otherBytes) {

    /**
     * Bytes of an image in addition to its columns: the bits for NULL, lengths, and its share of what is written once
     * for a statement and a transaction. Seen with MySQL 9.7.4 with statements of 64 rows.
     */
    private static final int IMAGE_BYTES = 8;

    /** Text of a statement for a row, without the values. */
    private static final int STATEMENT_BYTES = 80;

    /** Of numbers and times; decimals have fewer than digits. */
    private static final Map<String, Integer> FIXED_BYTES = Map.ofEntries(
            Map.entry("tinyint", 1),
            Map.entry("smallint", 2),
            Map.entry("mediumint", 3),
            Map.entry("int", 4),
            Map.entry("float", 4),
            Map.entry("year", 1),
            Map.entry("date", 3),
            Map.entry("time", 3),
            Map.entry("datetime", 5),
            Map.entry("timestamp", 4));

    /** Of the others: BIGINT, DOUBLE. */
    private static final int MOST_FIXED_BYTES = 8;

    /** The mean length of the other columns is that of the first rows. */
    private static final int ROWS = 50;

    /** @param hasRows whether rows may be read for the length of the other columns; otherwise it is 0 */
    static RowImage read(Connection connection, TableColumn column, boolean hasRows) throws SQLException {
        Map<String, String> variables = Sql.pairs(
                connection,
                "SHOW SESSION VARIABLES WHERE Variable_name IN ('log_bin', 'sql_log_bin', 'binlog_format',"
                        + " 'binlog_row_image')");
        boolean isLogged = isOn(variables.get("log_bin")) && isOn(variables.getOrDefault("sql_log_bin", "ON"));
        String format = variables.getOrDefault("binlog_format", "ROW").toUpperCase(Locale.ROOT);
        return new RowImage(
                !isLogged
                        ? "NONE"
                        // an UPDATE by a unique key is safe, so MIXED logs the statement
                        : format.equals("ROW")
                                ? variables
                                        .getOrDefault("binlog_row_image", "FULL")
                                        .toUpperCase(Locale.ROOT)
                                : "STATEMENT",
                hasRows ? otherBytes(connection, column) : 0);
    }

    private static long otherBytes(Connection connection, TableColumn column) throws SQLException {
        StringBuilder sum = new StringBuilder("0");
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT column_name, data_type, character_octet_length, numeric_precision,"
                        + " COALESCE(datetime_precision, 0) FROM"
                        + " information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name <> ?")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            select.setString(3, column.column());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    boolean isVariable = row.getObject(3) != null;
                    String type = row.getString(2).toLowerCase(Locale.ROOT);
                    int fixed = type.equals("decimal")
                            ? row.getInt(4) / 2 + 1
                            : FIXED_BYTES.getOrDefault(type, MOST_FIXED_BYTES) + (row.getInt(5) + 1) / 2;
                    sum.append(" + ")
                            .append(isVariable ? "COALESCE(LENGTH(" + Names.quoted(row.getString(1)) + "), 0)" : fixed);
                }
            }
        }
        String mean = Sql.strings(
                        connection,
                        "SELECT AVG(bytes) FROM (SELECT " + sum + " AS bytes FROM "
                                + Names.quoted(column.schema(), column.table()) + " LIMIT " + ROWS + ") AS first_rows")
                .get(0);
        return mean == null ? 0 : Math.round(Double.parseDouble(mean));
    }

    private static boolean isOn(String value) {
        return value != null && (value.equalsIgnoreCase("ON") || value.equals("1"));
    }

    /** Bytes of the log for a row whose value has these lengths before and after. */
    long bytes(long before, long after) {
        return switch (kind) {
            case "NONE" -> 0;
            // the image before has only the key, the one after only what was changed
            case "MINIMAL" -> after + 2 * IMAGE_BYTES;
            // the image before leaves out BLOBs
            case "NOBLOB" -> after + 2 * otherBytes + 2 * IMAGE_BYTES;
            case "STATEMENT" -> before + after + STATEMENT_BYTES;
            default -> before + after + 2 * otherBytes + 2 * IMAGE_BYTES;
        };
    }

    /** Bytes of the log for a new row whose value has this length; MIXED logs rows, too. */
    long bytesOfInsert(long after) {
        return kind.equals("NONE") ? 0 : after + otherBytes + IMAGE_BYTES;
    }
}
