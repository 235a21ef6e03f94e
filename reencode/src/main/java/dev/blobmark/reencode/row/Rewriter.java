package dev.blobmark.reencode.row;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.table.Groups;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes new bytes of rows if the old ones are still there, so that what others wrote meanwhile stays. Columns that
 * follow the time of an UPDATE keep their value. Confined to one thread.
 *
 * <p>A statement changes up to 64 rows. With MySQL 9.7, statements of one row cost the server eight times as much
 * processor time for rows of 1 KB.
 */
public final class Rewriter implements AutoCloseable {

    /** Longer old bytes are compared by their SHA-256, so that they are not sent. */
    private static final int MAX_SENT = 256 << 10;

    /** Longer values are changed by statements of their own. */
    private static final int MAX_SHARED = 16 << 10;

    /** More than a row has in a statement besides its old and its new bytes. */
    public static final int ROW_OVERHEAD = 8 << 10;

    private final Connection connection;
    private final String table;
    private final String name;
    private final String kept;
    private final TableKey key;
    private final RowReader reader;
    private final long packetBytes;
    private final Map<Integer, PreparedStatement> bySize = new HashMap<>();
    private final PreparedStatement byDigest;

    /**
     * A row with its new bytes.
     *
     * @param result null if nothing was read: NULL, or a value that is too long
     */
    public record Change(Row row, Conversion.Result result) {

        public boolean isNeeded() {
            return result != null
                    && !Arrays.equals(result.stored(), row.stored().orElseThrow());
        }

        /** The same with other new bytes. */
        public Change with(byte[] stored) {
            return new Change(row, new Conversion.Result(stored, result.value(), false));
        }

        /** The same without a change. */
        public Change left() {
            return result == null ? this : with(row.stored().orElseThrow());
        }
    }

    /**
     * @param reader on the same connection
     * @param packetBytes the longest statement that the server takes
     */
    public Rewriter(
            Connection connection,
            TableColumn column,
            TableKey key,
            List<String> updatedColumns,
            RowReader reader,
            long packetBytes)
            throws SQLException {
        this.packetBytes = packetBytes;
        this.connection = connection;
        this.key = key;
        this.reader = reader;
        table = Names.quoted(column.schema(), column.table());
        name = Names.quoted(column.column());
        kept = updatedColumns.stream()
                .map(each -> ", " + Names.quoted(each) + " = " + Names.quoted(each))
                .collect(Collectors.joining());
        byDigest = connection.prepareStatement("UPDATE " + table + " SET " + name + " = ?" + kept + " WHERE "
                + key.condition() + " AND LENGTH(" + name + ") = ? AND SHA2(" + name + ", 256) = ?");
    }

    private PreparedStatement update(int rows) throws SQLException {
        PreparedStatement known = bySize.get(rows);
        if (known == null) {
            String value = rows == 1 ? "?" : "CASE" + (" WHEN " + key.condition() + " THEN ?").repeat(rows) + " END";
            String old = "(" + key.condition() + " AND " + name + " = ?)";
            known = connection.prepareStatement("UPDATE " + table + key.hint() + " SET " + name + " = " + value + kept
                    + " WHERE " + String.join(" OR ", Collections.nCopies(rows, old)));
            bySize.put(rows, known);
        }
        return known;
    }

    /** Updates rows in the transaction of the connection; returns those whose old bytes were no longer there. */
    public List<Change> update(List<Change> changes) throws SQLException {
        List<Change> overtaken = new ArrayList<>();
        List<Change> small = new ArrayList<>();
        List<Change> large = new ArrayList<>();
        List<Change> digested = new ArrayList<>();
        for (Change change : changes) {
            int length = change.row().stored().orElseThrow().length;
            boolean isSent = length <= MAX_SENT && bytes(change) <= packetBytes;
            (!isSent ? digested : length > MAX_SHARED ? large : small).add(change);
        }
        Groups.forEach(small, Rewriter::bytes, packetBytes, (rows, size) -> update(rows, size, overtaken));
        update(large, 1, overtaken);
        updateByDigest(digested, overtaken);
        return overtaken;
    }

    /** Of a statement. */
    private static long bytes(Change change) {
        return change.row().length() + change.result().stored().length + ROW_OVERHEAD;
    }

    private void update(List<Change> changes, int size, List<Change> overtaken) throws SQLException {
        if (changes.isEmpty()) {
            return;
        }
        PreparedStatement update = update(size);
        for (int from = 0; from < changes.size(); from += size) {
            List<Change> rows = changes.subList(from, from + size);
            int next = 1;
            for (Change change : rows) {
                next = size == 1 ? next : key.bind(update, next, change.row().key());
                update.setBytes(next++, change.result().stored());
            }
            for (Change change : rows) {
                next = key.bind(update, next, change.row().key());
                update.setBytes(next++, change.row().stored().orElseThrow());
            }
            update.addBatch();
        }
        collect(update.executeBatch(), changes, size, overtaken);
    }

    private void updateByDigest(List<Change> changes, List<Change> overtaken) throws SQLException {
        if (changes.isEmpty()) {
            return;
        }
        for (Change change : changes) {
            byte[] old = change.row().stored().orElseThrow();
            byDigest.setBytes(1, change.result().stored());
            int next = key.bind(byDigest, 2, change.row().key());
            byDigest.setLong(next, old.length);
            byDigest.setString(next + 1, HexFormat.of().formatHex(Names.sha256(old)));
            byDigest.addBatch();
        }
        collect(byDigest.executeBatch(), changes, 1, overtaken);
    }

    private void collect(int[] counts, List<Change> changes, int size, List<Change> overtaken) throws SQLException {
        for (int i = 0; i < counts.length; i++) {
            List<Change> rows = changes.subList(i * size, (i + 1) * size);
            if (counts[i] > size) {
                throw new IllegalStateException("an UPDATE of " + size + " rows by key changed " + counts[i]);
            }
            if (counts[i] < size) {
                for (Change change : rows) {
                    if (size == 1 || !isWritten(change)) {
                        overtaken.add(change);
                    }
                }
            }
        }
    }

    /** Whether a row has its new bytes now. Others wait for the end of this transaction to change it. */
    private boolean isWritten(Change change) throws SQLException {
        Optional<byte[]> now = reader.find(change.row().key()).flatMap(Row::stored);
        return now.isPresent() && Arrays.equals(now.get(), change.result().stored());
    }

    @Override
    public void close() throws SQLException {
        byDigest.close();
        for (PreparedStatement statement : bySize.values()) {
            statement.close();
        }
    }
}
