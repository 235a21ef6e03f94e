package dev.blobmark.reencode.copy;

import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.reencode.row.Sum;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rows of the new table, in the transaction of a session. */
public interface CopiedRows {

    /**
     * Copies rows that are not there yet, as they are in the former table now, with the bytes that were converted. One
     * that has the value of a UNIQUE column of another row is left out.
     */
    void copy(List<Change> rows) throws SQLException;

    /**
     * Replaces rows that were changed.
     *
     * @param rows those of the keys that are there now
     */
    void replace(List<List<Object>> keys, List<Change> rows) throws SQLException;

    /**
     * The sum over a range.
     *
     * @param after empty from the first row on
     */
    Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException;

    /** The sums of rows, by their keys; those that are not there are left out. */
    Map<List<Object>, Sum> sums(List<List<Object>> keys) throws SQLException;
}
