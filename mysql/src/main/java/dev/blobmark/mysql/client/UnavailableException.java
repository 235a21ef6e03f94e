package dev.blobmark.mysql.client;

import java.sql.SQLException;

/** The server lacks what a method needs. This is not a failure of the method. */
public final class UnavailableException extends SQLException {

    private static final long serialVersionUID = 1;

    /** @param reason what is missing, in the server's terms, and how to make it available */
    public UnavailableException(String reason) {
        super(reason);
    }
}
