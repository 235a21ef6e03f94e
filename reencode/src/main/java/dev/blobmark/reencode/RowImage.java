package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
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

    /** Event header, table id, flags, bitmaps of the columns; a length and the key for each image. */
    private static final int ROW_BYTES = 24;

    /** @param valueBytes of a row's value, on average */
    static RowImage read(Connection connection, TableColumn column, double valueBytes) throws SQLException {
        Map<String, String> variables = Sql.pairs(
                connection,
                "SHOW SESSION VARIABLES WHERE Variable_name IN ('log_bin', 'sql_log_bin', 'binlog_format',"
                        + " 'binlog_row_image')");
        String rowBytes = Sql.row(
                        connection,
                        "SELECT avg_row_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        column.table())
                .getOrDefault("avg_row_length", "0");
        long others = Math.max(0, Math.round(Double.parseDouble(rowBytes) - valueBytes));
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
                others);
    }

    private static boolean isOn(String value) {
        return value != null && (value.equalsIgnoreCase("ON") || value.equals("1"));
    }

    /** Bytes of the log for a row whose value has these lengths before and after. */
    long bytes(long before, long after) {
        return switch (kind) {
            case "NONE" -> 0;
            case "MINIMAL" -> after + 2L * ROW_BYTES;
            // the image before leaves out BLOBs, the one after those that did not change
            case "NOBLOB" -> after + 2L * ROW_BYTES;
            case "STATEMENT" -> before + after + 200;
            default -> before + after + 2L * otherBytes + ROW_BYTES;
        };
    }

    /** Bytes of the log for a new row whose value has this length. */
    long bytesOfInsert(long after) {
        return switch (kind) {
            case "NONE" -> 0;
            // INSERT ... SELECT is not safe, so MIXED logs rows too
            default -> after + otherBytes + ROW_BYTES;
        };
    }
}
