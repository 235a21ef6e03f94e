package dev.blobmark.lab.client;

import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;

/** How the workers of a trial connect to a server that speaks SQL: all options of the trial's levels are in it. */
public interface Connector {

    /**
     * Opens a connection, and reads back whether it is as asked.
     *
     * @param traffic counts the bytes of the connection from now on
     * @throws UnavailableException if the server does not offer what the levels ask for
     * @throws SQLException if the server cannot be reached, refuses, or does otherwise than asked
     */
    Connection connect(Endpoint endpoint, Traffic traffic) throws SQLException;

    /** Opens one more connection like it, without reading anything back. */
    Connection connectUnasked(Endpoint endpoint, Traffic traffic) throws SQLException;

    /**
     * Verifies that the server prepared the statements of a connection, or did not, as asked: drivers fall back to text silently
     * where they cannot prepare. The connection has executed a statement.
     */
    void verifyStatements(Connection connection) throws SQLException;

    /** The fetch size by which rows are read as they arrive, rather than all into memory first. */
    int streamingFetchSize();
}
