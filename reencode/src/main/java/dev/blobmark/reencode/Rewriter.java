package dev.blobmark.reencode;

import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes new bytes of rows if the old ones are still there, so that what others wrote meanwhile stays. Columns that
 * follow the time of an UPDATE keep their value. Confined to one thread.
 */
final class Rewriter implements AutoCloseable {

    /** Longer old bytes are compared by their SHA-256, so that they are not sent. */
    private static final int MAX_SENT = 256 << 10;

    private final TableKey key;
    private final PreparedStatement byBytes;
    private final PreparedStatement byDigest;

    /**
     * A row with its new bytes.
     *
     * @param result null if nothing was read: NULL, or a value that is too long
     */
    record Change(Row row, Conversion.Result result) {

        boolean isNeeded() {
            return result != null
                    && !Arrays.equals(result.stored(), row.stored().orElseThrow());
        }

        /** The same with other new bytes. */
        Change with(byte[] stored) {
            return new Change(row, new Conversion.Result(stored, result.value(), false));
        }

        /** The same without a change. */
        Change left() {
            return result == null ? this : with(row.stored().orElseThrow());
        }
    }

    Rewriter(Connection connection, TableColumn column, TableKey key, List<String> updatedColumns) throws SQLException {
        this.key = key;
        String name = Names.quoted(column.column());
        String kept = updatedColumns.stream()
                .map(each -> ", " + Names.quoted(each) + " = " + Names.quoted(each))
                .collect(Collectors.joining());
        String update = "UPDATE " + Names.quoted(column.schema(), column.table()) + " SET " + name + " = ?" + kept
                + " WHERE " + key.condition() + " AND ";
        byBytes = connection.prepareStatement(update + name + " = ?");
        byDigest = connection.prepareStatement(update + "LENGTH(" + name + ") = ? AND SHA2(" + name + ", 256) = ?");
    }

    /** Updates rows in the transaction of the connection; returns those whose old bytes were no longer there. */
    List<Change> update(List<Change> changes) throws SQLException {
        List<Change> sent = new ArrayList<>();
        List<Change> digested = new ArrayList<>();
        for (Change change : changes) {
            byte[] old = change.row().stored().orElseThrow();
            boolean isSent = old.length <= MAX_SENT;
            PreparedStatement update = isSent ? byBytes : byDigest;
            update.setBytes(1, change.result().stored());
            int next = key.bind(update, 2, change.row().key());
            if (isSent) {
                update.setBytes(next, old);
            } else {
                update.setLong(next, old.length);
                update.setString(next + 1, HexFormat.of().formatHex(Names.sha256(old)));
            }
            update.addBatch();
            (isSent ? sent : digested).add(change);
        }
        List<Change> overtaken = new ArrayList<>();
        collect(byBytes, sent, overtaken);
        collect(byDigest, digested, overtaken);
        return overtaken;
    }

    private static void collect(PreparedStatement update, List<Change> changes, List<Change> overtaken)
            throws SQLException {
        if (changes.isEmpty()) {
            return;
        }
        int[] counts = update.executeBatch();
        for (int i = 0; i < counts.length; i++) {
            switch (counts[i]) {
                case 0 -> overtaken.add(changes.get(i));
                case 1 -> {}
                default -> throw new IllegalStateException("an UPDATE by key changed " + counts[i] + " rows");
            }
        }
    }

    @Override
    public void close() throws SQLException {
        byBytes.close();
        byDigest.close();
    }
}
