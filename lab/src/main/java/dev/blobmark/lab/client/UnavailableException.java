package dev.blobmark.lab.client;

import java.sql.SQLException;

/** This server does not offer what a method needs, which is no failure of the method. */
public final class UnavailableException extends SQLException {

    private static final long serialVersionUID = 1;

    /** @param reason in the server's terms, with what would make it available */
    public UnavailableException(String reason) {
        super(reason);
    }
}
