package dev.blobmark.lab.admission;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The lock that shows that a run is alive. It belongs to a connection and is lost with it. Then another run may start
 * in the schema and remove this run's tables. Confined to one thread.
 */
final class RunLock {

    private final Endpoint endpoint;
    private final String schema;
    private final Supplier<Optional<Marker>> marker;

    /** Id of the session that held the lock last. */
    private long holder;

    /** @param marker the run's marker, when it has one */
    RunLock(Endpoint endpoint, String schema, Supplier<Optional<Marker>> marker) {
        this.endpoint = endpoint;
        this.schema = schema;
        this.marker = marker;
    }

    /**
     * Opens a connection that holds the lock.
     *
     * @throws AdmissionException if another run holds the lock when this one starts
     * @throws WatchLostException if another run has taken the lock since
     * @throws SQLException if the server cannot be reached, or has not released the lock yet
     */
    Connection connect() throws SQLException {
        Connection locked = JdbcDriver.connectToWatch(endpoint);
        try {
            ServerSession.prepare(locked);
            if (!Marker.lock(locked, schema)) {
                throw notLocked(locked);
            }
            Optional<Marker> own = marker.get();
            if (own.isPresent() && !own.get().isStillOurs(locked)) {
                throw new WatchLostException("the marker of this run is no longer in the schema " + schema);
            }
            holder = Sql.id(locked);
            return locked;
        } catch (SQLException | RuntimeException e) {
            locked.close();
            throw e;
        }
    }

    private SQLException notLocked(Connection open) throws SQLException {
        if (marker.get().isEmpty()) {
            throw taken(endpoint, schema);
        }
        OptionalLong now = Marker.lockHolder(open, schema);
        // after a hang or a network failure, a server notices the end of a session late
        if (now.isEmpty() || now.getAsLong() == holder) {
            return new SQLException("the server has not ended session " + holder
                    + " yet, which held the lock of this run: KILL " + holder + " ends it");
        }
        throw new WatchLostException(
                "session " + now.getAsLong() + " has taken the lock of this run on the schema " + schema);
    }

    static AdmissionException taken(Endpoint endpoint, String schema) {
        return new AdmissionException("another run is at work in the schema " + schema + " of " + endpoint
                + ", and two runs would disturb each other: wait for its end, or name another schema with --schema");
    }
}
