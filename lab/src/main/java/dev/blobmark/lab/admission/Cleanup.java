package dev.blobmark.lab.admission;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Privileges;
import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.admission.ServerFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds and removes the tables and schemas of earlier runs, by their {@link Marker}. */
public final class Cleanup {

    private Cleanup() {}

    /**
     * A schema with a marker.
     *
     * @param tables the run's tables
     * @param whyItStays why the schema would not be dropped; empty if it would be
     * @param isAlive whether the run is still at work, or may be, on another server
     * @param foreign why it cannot be removed here, if it was made on another server
     */
    public record LeftoverSchema(
            Marker marker,
            List<String> tables,
            Optional<String> whyItStays,
            boolean isAlive,
            Optional<String> foreign) {}

    /** All that the account may see, ordered by schema. */
    public static List<LeftoverSchema> find(Connection connection) throws SQLException {
        List<LeftoverSchema> found = new ArrayList<>();
        for (Marker marker : Marker.all(connection)) {
            found.add(new LeftoverSchema(
                    marker,
                    marker.tables(connection),
                    marker.reasonToStay(connection),
                    marker.isAlive(connection),
                    marker.isOfThisServer(connection) ? Optional.empty() : Optional.of(marker.foreign(connection))));
        }
        return found;
    }

    /** A schema's name as the server stores it. */
    public static String schema(Connection connection, String name) throws SQLException {
        return RunLimits.folded(name, new Privileges(connection).variable("lower_case_table_names"));
    }

    /** Why nothing may be removed from this server: it is a replica, or may be one. */
    public static Optional<String> refusal(Connection connection) throws SQLException {
        return new Replication(connection).refusal();
    }

    /**
     * Drops the run's tables one by one, and the schema if the run made it and it contains nothing else. The lock
     * prevents another run from starting in the schema meanwhile.
     *
     * @return why the schema was not dropped; empty if it was
     * @throws AdmissionException if it may not be removed here; then nothing has been dropped
     */
    public static Optional<String> remove(Connection connection, LeftoverSchema leftover) throws SQLException {
        Marker marker = leftover.marker();
        Optional<String> refusal = refusal(connection);
        if (refusal.isPresent()) {
            throw new AdmissionException("nothing is removed from this server: " + refusal.get());
        }
        boolean locked = Marker.lock(connection, marker.schema());
        try {
            if (!locked && !leftover.isAlive() || !marker.isStillOurs(connection)) {
                throw new AdmissionException("a run has just started in the schema " + marker.schema()
                        + ", so it is not removed: wait for the run's end");
            }
            return marker.remove(connection);
        } catch (SQLException e) {
            Optional<AdmissionException> readOnly = ServerFailure.readOnly(marker.schema(), e);
            if (readOnly.isPresent()) {
                throw readOnly.get();
            }
            throw e;
        } finally {
            if (locked) {
                Marker.unlock(connection, marker.schema());
            }
        }
    }
}
