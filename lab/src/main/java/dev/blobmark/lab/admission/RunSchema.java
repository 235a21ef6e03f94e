package dev.blobmark.lab.admission;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The schema of a run's tables.
 *
 * @param isNamed whether the user named it
 * @param isSharedCluster whether the server is an SQL node of a cluster that others use too
 * @param notes receives facts for the user, a line each
 */
record RunSchema(
        Connection connection,
        Endpoint endpoint,
        String schema,
        boolean isNamed,
        boolean isSharedCluster,
        Consumer<String> notes) {

    /** ER_DB_CREATE_EXISTS */
    private static final int DATABASE_EXISTS = 1007;

    /**
     * Removes the tables and the marker of an earlier run that has ended.
     *
     * @return the marker; the schema is empty now unless it contains what is not Blobmark's
     */
    Optional<Marker> removeLeftovers() throws SQLException {
        Optional<Marker> previous = Marker.read(connection, schema);
        if (previous.isPresent()) {
            previous.get().clear(connection);
            notes.accept("removed what run " + previous.get().run() + " had left in the schema " + schema);
        }
        return previous;
    }

    /**
     * Makes the schema, or takes an existing one over, and creates the marker.
     *
     * @param version of Blobmark
     * @param run the name of the run
     * @param previous the marker that {@link #removeLeftovers} returned
     * @param skipsBinlog whether the connection writes nothing to the binary log
     * @throws AdmissionException if the schema is not Blobmark's
     */
    Marker claim(String version, String run, Optional<Marker> previous, boolean skipsBinlog) throws SQLException {
        boolean exists = Marker.exists(connection, schema);
        boolean isEmpty = Marker.contents(connection, schema).isEmpty();
        if (exists && !(isEmpty && previous.isPresent()) && !mayUse(isEmpty)) {
            throw notOwned();
        }
        if (!skipsBinlog && new BinaryLog(connection).isReplicated(true)) {
            // logged even if the schema exists, because replicas may not have a schema that was made without the log
            if (existed("CREATE DATABASE IF NOT EXISTS " + Sql.quoted(schema)) && !exists) {
                throw notOwned();
            }
        } else if (!exists) {
            Sql.execute(connection, "CREATE DATABASE " + Sql.quoted(schema));
        }
        // a schema that replicas have too must not be dropped without the log
        boolean mayDropExisting = previous.isPresent()
                && previous.get().isSchemaMade()
                && !(previous.get().isLogged() && skipsBinlog);
        Marker made = Marker.of(connection, schema, version, run, !exists || mayDropExisting, !skipsBinlog);
        made.write(connection);
        return made;
    }

    /** Creates the schema. Returns whether it existed, which the account may not have been able to see. */
    private boolean existed(String create) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(create);
            SQLWarning warning = statement.getWarnings();
            return warning != null && warning.getErrorCode() == DATABASE_EXISTS;
        }
    }

    /**
     * Whether a schema without a marker may be used: only if it is empty. In a cluster an empty schema may belong to a
     * run that uses another SQL node and has made no table yet. Therefore the user must name it there.
     */
    boolean mayUse(boolean isEmpty) {
        return isEmpty && (isNamed || !isSharedCluster);
    }

    AdmissionException notOwned() {
        return new AdmissionException("the schema " + schema + " of " + endpoint
                + " is not Blobmark's, and nothing in it was touched; choose another with --schema NAME"
                + (isSharedCluster
                        ? ". It may also belong to a run that uses another SQL node of the cluster, which alone has its"
                                + " marker and lock: name that node, or wait for the run's end"
                        : ""));
    }
}
