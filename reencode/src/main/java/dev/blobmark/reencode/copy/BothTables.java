package dev.blobmark.reencode.copy;

import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.row.RowSource;
import dev.blobmark.reencode.row.Sum;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Both tables of a copy as they are at one moment. */
public interface BothTables extends AutoCloseable {

    /** Shows both as they are now. */
    void renew() throws SQLException;

    /** Begins a step, after which others may alter the tables. */
    void begin() throws SQLException;

    void end() throws SQLException;

    RowSource former();

    RowSource fresh();

    /** The sum over a range of the new table. */
    Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException;

    /** The sum over a range of the former table, without the values. */
    Sum othersOfFormer(Optional<List<Object>> after, List<Object> last) throws SQLException;

    /** In which column one of these rows differs, other than in the value; empty if that is not seen. */
    Optional<CopyEndedException> difference(List<List<Object>> keys) throws SQLException;

    @Override
    void close() throws SQLException;
}
