package dev.blobmark.lab.client;

import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;

/** Connects the workers of a trial to an SQL server, with all options that the trial's levels set. */
public interface Connector {

    /**
     * Opens a connection, and verifies that its effective options are those of the levels.
     *
     * @param traffic counts the bytes of the connection from now on
     * @throws UnavailableException if the server does not support a level
     * @throws SQLException if the server cannot be reached, refuses the connection, or has other effective options
     */
    Connection connect(Endpoint endpoint, Traffic traffic) throws SQLException;

    /** Opens a connection with the same options, without verifying them. */
    Connection connectUnverified(Endpoint endpoint, Traffic traffic) throws SQLException;

    /**
     * Verifies that statements are prepared on the server if the trial asks for it, and otherwise not. Drivers silently
     * fall back to text if they cannot prepare. The connection must have executed a statement.
     */
    void verifyStatements(Connection connection) throws SQLException;

    /** The fetch size with which the driver reads rows as they arrive, rather than all into memory first. */
    int streamingFetchSize();
}
