package dev.blobmark.reencode.binlog;

import java.io.IOException;
import java.sql.SQLException;

/** The events of a binary log from a place on. */
public interface LogEvents extends AutoCloseable {

    /**
     * Waits for the next event.
     *
     * @return its bytes, from the header to the checksum
     * @throws IncompleteLogException if the server has no log at the place
     */
    byte[] next() throws IOException;

    /** Ends a call of {@link #next} that waits. */
    @Override
    void close() throws SQLException;
}
