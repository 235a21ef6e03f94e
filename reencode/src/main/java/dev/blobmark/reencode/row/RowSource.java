package dev.blobmark.reencode.row;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The rows of a table in the order of its key, over one session of the server. */
public interface RowSource {

    /**
     * The rows after a key.
     *
     * @param after empty for the first rows
     * @param until key of the last row at most; empty for no end
     * @param bytes no more rows are taken after these; the last row may exceed it
     * @return empty after the last row
     */
    List<Row> next(Optional<List<Object>> after, Optional<List<Object>> until, long bytes) throws SQLException;

    /**
     * The rows after a key up to another one.
     *
     * @param after empty from the first row on
     */
    List<Row> between(Optional<List<Object>> after, List<Object> last) throws SQLException;

    /** A row as it is now; empty if it is gone. */
    Optional<Row> find(List<Object> of) throws SQLException;

    /**
     * Rows as they are now, in no particular order; those that are gone are left out. Waits for transactions that are
     * about to be committed: the binary log has them a moment before others see their rows.
     */
    List<Row> findAll(List<List<Object>> keys) throws SQLException;
}
