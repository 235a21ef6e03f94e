package dev.blobmark.reencode.change;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Keys of rows that others insert, change or delete. A key says that its row must be looked at again; what happened to
 * it is not of interest. Confined to one thread.
 */
public interface ChangeFeed extends AutoCloseable {

    /**
     * Keys in the order of the changes; a key may occur again.
     *
     * @param writing the session in whose transaction they will be dealt with
     * @param most number of keys at most
     * @return empty if there is none now
     */
    List<List<Object>> poll(FeedSession writing, int most) throws SQLException;

    /** Where a later process continues, once all that was polled is committed; empty if it needs no place. */
    Optional<LogPlace> position();

    /** The place behind all changes that are committed now. */
    String end(FeedSession asking) throws SQLException;

    /**
     * Makes sure that what was read is what the server has now.
     *
     * @throws dev.blobmark.reencode.binlog.IncompleteLogException if it is not, so that changes may be missing
     */
    void requireCurrent(FeedSession asking) throws SQLException;

    /** Whether all changes before a place were polled. */
    boolean hasReached(String end) throws SQLException;

    /** Ends without removing what a later process needs. */
    @Override
    void close() throws SQLException;
}
