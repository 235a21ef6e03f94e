package dev.blobmark.lab.admission;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds and removes what runs have left on a server: the tables and the schema that carry a {@link Marker}. */
public final class Cleanup {

    private Cleanup() {}

    /**
     * A schema with a mark.
     *
     * @param tables of the run that are there
     * @param whyItStays why the schema would stay; empty where it would be dropped
     * @param isAlive whether the run is still at work, or may be: on another server
     * @param foreign why it cannot be removed from here: it was made on another server
     */
    public record Leftover(
            Marker mark, List<String> tables, Optional<String> whyItStays, boolean isAlive, Optional<String> foreign) {}

    /** All that the account may see, by name of schema. */
    public static List<Leftover> find(Connection connection) throws SQLException {
        List<Leftover> found = new ArrayList<>();
        for (Marker mark : Marker.all(connection)) {
            found.add(new Leftover(
                    mark,
                    mark.tables(connection),
                    mark.reasonToStay(connection),
                    mark.isAlive(connection),
                    mark.isOfThisServer(connection) ? Optional.empty() : Optional.of(mark.foreign(connection))));
        }
        return found;
    }

    /** The name by which the server knows a schema. */
    public static String schema(Connection connection, String name) throws SQLException {
        return RunLimits.folded(name, new Privileges(connection).variable("lower_case_table_names"));
    }

    /** Why nothing may be removed on a server, whatever it is: it is a replica, or that cannot be told. */
    public static Optional<String> refusal(Connection connection) throws SQLException {
        return new Replication(connection).refusal();
    }

    /**
     * Drops the run's tables one by one, and the schema if the run had made it and it can be seen to hold nothing else. A run that
     * begins meanwhile is kept out by the lock.
     *
     * @return why the schema stays; empty where it was dropped
     * @throws AdmissionException if it may not be removed from here; nothing has been dropped then
     */
    public static Optional<String> remove(Connection connection, Leftover leftover) throws SQLException {
        Marker mark = leftover.mark();
        Optional<String> refusal = refusal(connection);
        if (refusal.isPresent()) {
            throw new AdmissionException("nothing is removed from this server: " + refusal.get());
        }
        boolean locked = Marker.lock(connection, mark.schema());
        try {
            if (!locked && !leftover.isAlive() || !mark.isStillOurs(connection)) {
                throw new AdmissionException("a run has just begun in the schema " + mark.schema() + "; it stays");
            }
            return mark.remove(connection);
        } catch (SQLException e) {
            Optional<AdmissionException> readOnly = ServerFailure.readOnly(mark.schema(), e);
            if (readOnly.isPresent()) {
                throw readOnly.get();
            }
            throw e;
        } finally {
            if (locked) {
                Marker.unlock(connection, mark.schema());
            }
        }
    }
}
