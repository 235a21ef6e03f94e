package dev.blobmark.reencode.copy;

import dev.blobmark.reencode.change.FeedSession;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.RowSource;
import java.sql.SQLException;

/** A session of the server in which a copy works, in transactions that {@link #commit} or {@link #rollback} ends. */
public interface CopySession extends FeedSession, AutoCloseable {

    /** The new table. */
    CopiedRows fresh();

    /**
     * The rows that are copied, as they are in the transactions of this session. Another session may be asked for them
     * as well, so that its locks on rows are not kept.
     */
    RowSource former();

    /**
     * Writes how far the copy has come.
     *
     * @throws dev.blobmark.reencode.failure.ReencodeException if another process has taken over
     */
    void write(State state) throws SQLException;

    void add(StateTable.Range range) throws SQLException;

    void commit() throws SQLException;

    void rollback() throws SQLException;

    /** Prepared transactions, to be added to the reason why something waits; empty if there are none. */
    String alsoSeen() throws SQLException;

    @Override
    void close() throws SQLException;
}
