package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Reads the rows of a table in the order of its key, without locks. Confined to one thread. */
final class RowReader {

    /** More rows in a statement would only make it longer. */
    static final int MAX_ROWS = 10_000;

    private static final double WEIGHT = 0.02;
    private static final int ROW_OVERHEAD = 16;

    private final Connection connection;
    private final TableKey key;
    private final String select;
    private final String table;

    /** Moving average of a row's stored bytes. */
    private double rowBytes = 1_000;

    RowReader(Connection connection, TableColumn column, TableKey key) {
        this(connection, column, key, Names.quoted(column.column()));
    }

    /** @param bytes expression for the stored bytes */
    RowReader(Connection connection, TableColumn column, TableKey key, String bytes) {
        this.connection = connection;
        this.key = key;
        String value =
                "LENGTH(" + bytes + "), IF(LENGTH(" + bytes + ") > " + Conversion.MAX_LENGTH + ", NULL, " + bytes + ")";
        select = "SELECT " + key.columns() + ", " + value;
        table = Names.quoted(column.schema(), column.table());
    }

    /**
     * The rows after a key.
     *
     * @param after empty for the first rows
     * @param bytes after so many, no more rows are taken; the last one may exceed it
     * @return empty after the last row
     */
    List<Row> next(Optional<List<Object>> after, long bytes) throws SQLException {
        int rows = (int) Math.max(1, Math.min(MAX_ROWS, bytes / Math.max(1, rowBytes)));
        TableKey.Range range = after.map(key::after).orElseGet(key::all);
        List<Row> found = new ArrayList<>();
        long taken = 0;
        try (PreparedStatement statement = connection.prepareStatement(select + range.sql() + " LIMIT " + rows)) {
            // rows as they arrive: those of other sizes than expected do not fill the memory
            statement.setFetchSize(Driver.MARIADB.streamingFetchSize());
            range.bind(statement);
            try (ResultSet row = statement.executeQuery()) {
                while (taken < bytes && row.next()) {
                    found.add(row(row));
                    long length = found.get(found.size() - 1).length();
                    taken += length;
                    rowBytes += WEIGHT * (length + ROW_OVERHEAD - rowBytes);
                }
            }
        }
        return found;
    }

    /**
     * The rows after a key up to another one.
     *
     * @param after empty from the first row on
     */
    List<Row> between(Optional<List<Object>> after, List<Object> last) throws SQLException {
        TableKey.Range range = key.between(after, last);
        List<Row> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(select + range.sql())) {
            range.bind(statement);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(row(row));
                }
            }
        }
        return found;
    }

    /** A row as it is now; empty if it is gone. */
    Optional<Row> find(List<Object> of) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(select + " FROM " + table + " WHERE " + key.condition())) {
            key.bind(statement, 1, of);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(row(row)) : Optional.empty();
            }
        }
    }

    /**
     * Rows as they are now, in no particular order; those that are gone are left out. Waits for transactions that are
     * about to be committed: the binary log has them a moment before others see their rows.
     */
    List<Row> findAll(List<List<Object>> keys) throws SQLException {
        List<Row> found = new ArrayList<>();
        Groups.forEach(keys, (some, size) -> {
            String any = String.join(" OR ", Collections.nCopies(size, "(" + key.condition() + ")"));
            try (PreparedStatement statement = connection.prepareStatement(
                    select + " FROM " + table + key.hint() + " WHERE " + any + " LOCK IN SHARE MODE")) {
                for (int from = 0; from < some.size(); from += size) {
                    int next = 1;
                    for (List<Object> of : some.subList(from, from + size)) {
                        next = key.bind(statement, next, of);
                    }
                    try (ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            found.add(row(row));
                        }
                    }
                }
            }
        });
        return found;
    }

    private Row row(ResultSet row) throws SQLException {
        List<Object> read = key.read(row, 1);
        return new Row(read, row.getLong(read.size() + 1), Optional.ofNullable(row.getBytes(read.size() + 2)));
    }
}
