package dev.blobmark.reencode.row;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.table.Groups;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Reads rows by SQL, without locks but for {@link #findAll}. Confined to one thread. */
public final class RowReader implements RowSource {

    /** More rows in a statement would only make it longer. */
    static final int MAX_ROWS = 10_000;

    private static final double WEIGHT = 0.02;
    private static final int ROW_OVERHEAD = 16;

    /** A row that is longer than this, and by this factor than expected, is read by a statement of its own. */
    private static final long MUCH = 16 << 10;

    private static final int LONGER = 8;

    /** After a long row, another one is expected. */
    private static final int NEXT = 4;

    private final Connection connection;
    private final TableColumn column;
    private final TableKey key;
    private final String columns;
    private final String name;
    private final String table;
    private final long maxLength;

    /** Moving average of a row's stored bytes. */
    private double rowBytes = 1_000;

    private long lastBytes;

    /** @param maxLength longer values are not read */
    public RowReader(Connection connection, TableColumn column, TableKey key, long maxLength) {
        this(connection, column, key, maxLength, Names.quoted(column.column()));
    }

    /**
     * @param maxLength longer values are not read
     * @param bytes expression for the stored bytes
     */
    public RowReader(Connection connection, TableColumn column, TableKey key, long maxLength, String bytes) {
        this.connection = connection;
        this.key = key;
        this.maxLength = maxLength;
        name = bytes;
        this.column = column;
        columns = "SELECT " + key.selected() + ", LENGTH(" + name + "), " + Names.quoted(column.column())
                + " IS NULL, IF(LENGTH(" + name + ") > ";
        table = Names.quoted(column.schema(), column.table());
    }

    private String select(long longest) {
        return columns + longest + ", NULL, " + name + ")";
    }

    @Override
    public List<Row> next(Optional<List<Object>> after, Optional<List<Object>> until, long bytes) throws SQLException {
        TableKey.Range range = until.map(last -> key.between(after, last))
                .orElseGet(() -> after.map(key::after).orElseGet(key::all));
        while (true) {
            List<Row> found = new ArrayList<>();
            Optional<Row> unsent = next(range, bytes, found);
            if (!found.isEmpty() || unsent.isEmpty()) {
                return found;
            }
            Optional<Row> read = find(unsent.get().key());
            if (read.isPresent()) {
                count(read.get());
                return List.of(read.get());
            } // otherwise it was deleted meanwhile
        }
    }

    /**
     * Rows of about the same length. The LIMIT follows from the length of those before; a row that is much longer is
     * not sent, and ends the rows.
     *
     * @return the row that was not sent
     */
    private Optional<Row> next(TableKey.Range range, long bytes, List<Row> found) throws SQLException {
        double expected = Math.max(rowBytes, (double) lastBytes / NEXT);
        int rows = (int) Math.max(1, Math.min(MAX_ROWS, bytes / Math.max(1, expected)));
        long longest = Math.min(maxLength, Math.max(MUCH, Math.round(LONGER * expected)));
        long taken = 0;
        try (PreparedStatement statement =
                connection.prepareStatement(select(longest) + range.sql() + " LIMIT " + rows)) {
            // rows as they arrive: those of other sizes than expected do not fill the memory
            statement.setFetchSize(JdbcDriver.MARIADB.streamingFetchSize());
            range.bind(statement);
            try (ResultSet row = statement.executeQuery()) {
                while (taken < bytes && row.next()) {
                    Row read = row(row);
                    if (read.stored().isEmpty() && read.length() > longest && read.length() <= maxLength) {
                        return Optional.of(read);
                    }
                    found.add(read);
                    taken += read.length();
                    count(read);
                }
            }
        }
        return Optional.empty();
    }

    private void count(Row read) {
        lastBytes = Math.min(read.length(), maxLength) + ROW_OVERHEAD;
        rowBytes += WEIGHT * (lastBytes - rowBytes);
    }

    @Override
    public List<Row> between(Optional<List<Object>> after, List<Object> last) throws SQLException {
        TableKey.Range range = key.between(after, last);
        List<Row> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(select(maxLength) + range.sql())) {
            range.bind(statement);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(row(row));
                }
            }
        }
        return found;
    }

    @Override
    public Optional<Row> find(List<Object> of) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(select(maxLength) + " FROM " + table + " WHERE " + key.condition())) {
            key.bind(statement, 1, of);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(row(row)) : Optional.empty();
            }
        }
    }

    @Override
    public List<Row> findAll(List<List<Object>> keys) throws SQLException {
        List<Row> found = new ArrayList<>();
        Groups.forEach(keys, (some, size) -> {
            String any = String.join(" OR ", Collections.nCopies(size, "(" + key.condition() + ")"));
            try (PreparedStatement statement = connection.prepareStatement(
                    select(maxLength) + " FROM " + table + key.hint() + " WHERE " + any + " LOCK IN SHARE MODE")) {
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
        long length = row.getLong(read.size() + 1);
        if (row.wasNull() && !row.getBoolean(read.size() + 2)) { // its text is not given
            throw RowDigest.unseen(column, RowDigest.place(key, read));
        }
        return new Row(read, length, Optional.ofNullable(row.getBytes(read.size() + 3)));
    }
}
