package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The schema that a run wants to have its tables in.
 *
 * @param isNamed whether the user has named it
 * @param isSharedCluster whether the server is an SQL node of a cluster that others use too
 * @param notes receives what the user should know of, a line each
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
     * Removes what an ended run has left.
     *
     * @return the mark that the schema had, which is empty now unless it holds what is not Blobmark's
     */
    Optional<Marker> removeDead() throws SQLException {
        Optional<Marker> dead = Marker.read(connection, schema);
        if (dead.isPresent()) {
            dead.get().clear(connection);
            notes.accept("removed what run " + dead.get().run() + " had left in the schema " + schema);
        }
        return dead;
    }

    /**
     * Makes the schema, or takes it over, and marks it.
     *
     * @param version of Blobmark
     * @param run the name of the run
     * @param dead see {@link #removeDead}
     * @param sparesBinlog whether the connection writes nothing to the binary log
     * @throws AdmissionException if it is not Blobmark's
     */
    Marker claim(String version, String run, Optional<Marker> dead, boolean sparesBinlog) throws SQLException {
        boolean exists = Marker.exists(connection, schema);
        boolean isEmpty = Marker.contents(connection, schema).isEmpty();
        if (exists && !(isEmpty && dead.isPresent()) && !mayUse(isEmpty)) {
            throw notOurs();
        }
        if (!sparesBinlog && new BinaryLog(connection).isSentOn(true)) {
            // replicas need the schema, also one that was made here without the log; this is logged even where it
            // exists
            if (wasThere("CREATE DATABASE IF NOT EXISTS " + Marker.quoted(schema)) && !exists) {
                throw notOurs();
            }
        } else if (!exists) {
            Sql.execute(connection, "CREATE DATABASE " + Marker.quoted(schema));
        }
        // a schema that replicas have too must not be dropped without the log
        boolean isTakenWhole =
                dead.isPresent() && dead.get().isSchemaMade() && !(dead.get().isLogged() && sparesBinlog);
        Marker made = Marker.of(connection, schema, version, run, !exists || isTakenWhole, !sparesBinlog);
        made.write(connection);
        return made;
    }

    /** Whether the server says that the schema had been there before. */
    private boolean wasThere(String create) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(create);
            SQLWarning warning = statement.getWarnings();
            return warning != null && warning.getErrorCode() == DATABASE_EXISTS;
        }
    }

    /**
     * Whether a schema without a mark may be used: an empty one holds nothing that could be taken for Blobmark's. In a cluster it may
     * be that of a run that entered by another SQL node and has made no table yet, so there it has to be named.
     */
    boolean mayUse(boolean isEmpty) {
        return isEmpty && (isNamed || !isSharedCluster);
    }

    AdmissionException notOurs() {
        return new AdmissionException("the schema " + schema + " of " + endpoint
                + " is not Blobmark's, and nothing in it was touched; choose another with --schema NAME"
                + (isSharedCluster
                        ? ". Or it is of a run that entered the cluster by another SQL node, where alone its mark and"
                                + " its lock are: name that one, or wait for the run's end"
                        : ""));
    }
}
