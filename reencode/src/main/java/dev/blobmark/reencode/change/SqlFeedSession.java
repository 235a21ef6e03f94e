package dev.blobmark.reencode.change;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.binlog.LogPosition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A connection to the server of a table. */
public record SqlFeedSession(Endpoint endpoint, Connection connection, TableColumn column, TableKey key)
        implements FeedSession {

    @Override
    public List<ChangedKey> changedKeys(int most) throws SQLException {
        return TriggerFeed.changedKeys(connection, column, key, most);
    }

    @Override
    public void remove(List<ChangedKey> keys) throws SQLException {
        TriggerFeed.remove(connection, column, keys);
    }

    @Override
    public long lastChangedKey() throws SQLException {
        return TriggerFeed.lastChangedKey(connection, column);
    }

    @Override
    public LogPosition logEnd() throws SQLException {
        return LogPosition.parse(LogPlace.position(connection));
    }

    @Override
    public LogPlace logNow() throws SQLException {
        return LogPlace.now(endpoint, connection);
    }
}
