package dev.blobmark.reencode.change;

import dev.blobmark.reencode.binlog.LogPosition;
import java.sql.SQLException;
import java.util.List;

/** What a {@link ChangeFeed} asks of a session of the server. */
public interface FeedSession {

    /** A changed key, in the order of the changes of its row. */
    record ChangedKey(long number, List<Object> key) {}

    /** Keys that triggers have written and that were not removed, by number; at most as many. */
    List<ChangedKey> changedKeys(int most) throws SQLException;

    /** Removes them in the transaction of the session. */
    void remove(List<ChangedKey> keys) throws SQLException;

    /** The largest number of a changed key; 0 if there is none. */
    long lastChangedKey() throws SQLException;

    /** Where the binary log is written now. */
    LogPosition logEnd() throws SQLException;

    /** The same with what shows whether it is the same log. */
    LogPlace logNow() throws SQLException;
}
