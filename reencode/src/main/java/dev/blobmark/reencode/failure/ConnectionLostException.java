package dev.blobmark.reencode.failure;

import java.sql.SQLException;

/** A connection of the work was lost. The others are closed then, and all are opened again. */
public final class ConnectionLostException extends RuntimeException {

    public ConnectionLostException(String reason) {
        super(reason);
    }

    public ConnectionLostException(SQLException cause) {
        super(cause.getMessage(), cause);
    }
}
