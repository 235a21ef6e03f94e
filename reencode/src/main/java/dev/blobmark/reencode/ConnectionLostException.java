package dev.blobmark.reencode;

import java.sql.SQLException;

/** A connection of the work was lost. The others are closed then, and all are opened again. */
final class ConnectionLostException extends RuntimeException {

    ConnectionLostException(String reason) {
        super(reason);
    }

    ConnectionLostException(SQLException cause) {
        super(cause.getMessage(), cause);
    }
}
