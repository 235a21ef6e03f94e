package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The lock that shows that a run is alive. A connection holds it, and it is lost with that connection. Another run may then have begun in
 * the schema, and taken what this one made for leftovers. Confined to one thread.
 */
final class RunLock {

    private final Endpoint endpoint;
    private final String schema;
    private final Supplier<Optional<Marker>> mark;

    /** Session that held the lock last. */
    private long holder;

    /** @param mark of the run, once it has one */
    RunLock(Endpoint endpoint, String schema, Supplier<Optional<Marker>> mark) {
        this.endpoint = endpoint;
        this.schema = schema;
        this.mark = mark;
    }

    /**
     * A new connection that holds the lock.
     *
     * @throws AdmissionException if another run holds it when this one begins
     * @throws WatchLostException if another run has taken it since
     * @throws SQLException if the server cannot be reached, or has not given it up yet
     */
    Connection connect() throws SQLException {
        Connection locked = Driver.connectToWatch(endpoint);
        try {
            ServerSession.prepare(locked);
            if (!Marker.lock(locked, schema)) {
                throw notLocked(locked);
            }
            Optional<Marker> own = mark.get();
            if (own.isPresent() && !own.get().isStillOurs(locked)) {
                throw new WatchLostException("the marker of this run is no longer in the schema " + schema);
            }
            holder = ServerSession.id(locked);
            return locked;
        } catch (SQLException | RuntimeException e) {
            locked.close();
            throw e;
        }
    }

    private SQLException notLocked(Connection open) throws SQLException {
        if (mark.get().isEmpty()) {
            throw taken(endpoint, schema);
        }
        OptionalLong now = Marker.lockHolder(open, schema);
        // a server that hung, or behind a network that lost the connection, notices the end of a session late
        if (now.isEmpty() || now.getAsLong() == holder) {
            return new SQLException("the server has not ended session " + holder
                    + " yet, which held the lock of this run: KILL " + holder + " ends it");
        }
        throw new WatchLostException(
                "session " + now.getAsLong() + " has taken the lock of this run on the schema " + schema);
    }

    static AdmissionException taken(Endpoint endpoint, String schema) {
        return new AdmissionException("another run is at work in the schema " + schema + " of " + endpoint
                + ", and two would measure each other: wait for its end, or name another schema with --schema");
    }
}
