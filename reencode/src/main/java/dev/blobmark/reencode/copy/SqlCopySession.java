package dev.blobmark.reencode.copy;

import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.change.SqlFeedSession;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.RowSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A connection without autocommit, whose owner closes it. */
public final class SqlCopySession implements CopySession {

    private final SqlFeedSession feed;
    private final Connection connection;
    private final StateTable states;
    private final RowSource former;
    private final ShadowTable fresh;

    /**
     * @param value expression for the stored bytes of the former table
     * @param maxLength longer values are not read
     */
    public SqlCopySession(SqlFeedSession feed, StateTable states, String value, long maxLength) throws SQLException {
        this.feed = feed;
        this.states = states;
        connection = feed.connection();
        former = new RowReader(connection, feed.column(), feed.key(), maxLength, value);
        fresh = new ShadowTable(connection, feed.column(), feed.key(), value);
    }

    @Override
    public RowSource former() {
        return former;
    }

    @Override
    public CopiedRows fresh() {
        return fresh;
    }

    @Override
    public List<ChangedKey> changedKeys(int most) throws SQLException {
        return feed.changedKeys(most);
    }

    @Override
    public void remove(List<ChangedKey> keys) throws SQLException {
        feed.remove(keys);
    }

    @Override
    public long lastChangedKey() throws SQLException {
        return feed.lastChangedKey();
    }

    @Override
    public LogPosition logEnd() throws SQLException {
        return feed.logEnd();
    }

    @Override
    public LogPlace logNow() throws SQLException {
        return feed.logNow();
    }

    @Override
    public void write(State state) throws SQLException {
        states.write(connection, state);
    }

    @Override
    public void add(StateTable.Range range) throws SQLException {
        states.add(connection, range);
    }

    @Override
    public void commit() throws SQLException {
        connection.commit();
    }

    @Override
    public void rollback() throws SQLException {
        connection.rollback();
    }

    @Override
    public String alsoSeen() throws SQLException {
        return PreparedTransactions.alsoSeen(connection);
    }

    @Override
    public void close() throws SQLException {
        fresh.close();
    }
}
