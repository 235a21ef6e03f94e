package dev.blobmark.reencode.copy;

import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.Sum;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Compares rows of the former table with those of the new one, both as they are in one view. */
record EqualRows(BothTables tables, Work work) {

    /** The next rows of the former table. */
    List<Row> next(Optional<List<Object>> after) throws SQLException {
        return tables.former().next(after, Optional.empty(), Chunks.MAX_BYTES);
    }

    /**
     * Compares rows of the former table with the new one.
     *
     * @param after the key that they follow
     * @return the sum of the new table's rows
     * @throws CopyEndedException if they differ
     */
    Sum require(List<Row> rows, Optional<List<Object>> after) throws SQLException {
        List<Object> last = rows.get(rows.size() - 1).key();
        requireEqual(rows, tables.fresh().between(after, last), after, last);
        Sum ofFresh = tables.sum(after, last);
        if (!tables.othersOfFormer(after, last).others().equals(ofFresh.others())) {
            throw othersDiffer(rows, after, last);
        }
        return ofFresh;
    }

    /** @throws CopyEndedException if the new table has more rows */
    void requireEnd(Optional<List<Object>> after) throws SQLException {
        if (!tables.fresh().next(after, Optional.empty(), 1).isEmpty()) {
            throw new CopyEndedException(
                    work.column().name(), "the new table has rows that the former one does not have");
        }
    }

    private void requireEqual(List<Row> rows, List<Row> copies, Optional<List<Object>> after, List<Object> last) {
        if (rows.size() != copies.size()) {
            throw differs("numbers of rows", after, last);
        }
        for (int i = 0; i < rows.size(); i++) {
            Optional<byte[]> value = rows.get(i).stored().map(work.conversion()::value);
            Optional<byte[]> copy =
                    copies.get(i).stored().map(stored -> work.conversion().valueAfter(stored, false));
            boolean isEqual = value.isPresent() == copy.isPresent()
                    && (value.isEmpty() || Arrays.equals(value.get(), copy.get()));
            if (!isEqual) {
                throw differs("values", after, last);
            }
        }
    }

    private CopyEndedException othersDiffer(List<Row> rows, Optional<List<Object>> after, List<Object> last)
            throws SQLException {
        return tables.difference(rows.stream().map(Row::key).toList()).orElseGet(() -> differs("columns", after, last));
    }

    private CopyEndedException differs(String what, Optional<List<Object>> after, List<Object> last) {
        return new CopyEndedException(
                work.column().name(),
                "the two tables have different " + what + " in the rows after "
                        + after.map(work.key()::readable).orElse("the beginning") + " up to "
                        + work.key().readable(last) + ": a change of others was not seen");
    }
}
