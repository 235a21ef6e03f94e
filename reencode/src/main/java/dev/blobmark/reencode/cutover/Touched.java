package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.KeyReader;
import dev.blobmark.reencode.binlog.TableName;
import dev.blobmark.reencode.change.FeedSession;
import dev.blobmark.reencode.change.KeyColumns;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rows that were changed since the exchange began, by the log. */
final class Touched implements AutoCloseable {

    private static final int ROWS_AT_ONCE = 1_000;

    /** Without a log; the bytes of the row say whether it was changed. */
    static final Touched UNKNOWN = new Touched(Optional.empty());

    private final Optional<LogFeed> feed;
    private final Set<List<Object>> keys = new HashSet<>();
    private boolean isIncomplete;

    private Touched(Optional<LogFeed> feed) {
        this.feed = feed;
    }

    static Touched since(ComparedTables tables, LogPlace place) throws SQLException {
        TableColumn column = tables.column();
        TableName name = CopyChecks.name(tables.asking(), column);
        KeyReader reader = KeyColumns.reader(tables.asking(), column, tables.key());
        try {
            return new Touched(Optional.of(LogFeed.open(
                    tables.endpoint(), name, reader, place, Optional.of(SqlTableExchange.renaming(column)))));
        } catch (IncompleteLogException e) {
            Touched touched = new Touched(Optional.empty());
            touched.isIncomplete = true;
            return touched;
        }
    }

    /** Whether a row that is locked was changed; also if that is not known. */
    boolean has(FeedSession asking, List<Object> key) throws SQLException, InterruptedException {
        if (feed.isPresent() && !isIncomplete) {
            try {
                String end = feed.get().end(asking);
                while (!feed.get().hasReached(end)) {
                    if (!keys.addAll(feed.get().poll(asking, ROWS_AT_ONCE))) {
                        Thread.sleep(1);
                    }
                }
            } catch (IncompleteLogException e) {
                isIncomplete = true;
            }
        }
        return isIncomplete || keys.contains(key);
    }

    @Override
    public void close() throws SQLException {
        if (feed.isPresent()) {
            feed.get().close();
        }
    }
}
