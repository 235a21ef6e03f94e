package dev.blobmark.lab.admission.postgres;

import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.postgres.PostgresConnections;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.postgres.PostgresTable;
import dev.blobmark.lab.store.postgres.Toast;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A run's session on a PostgreSQL. Its tables are in a separate schema. No setting is changed. Confined to the run's
 * thread.
 */
public final class PostgresSession implements StoreSession {

    private final PostgresServer server;
    private final Connection connection;
    private final PostgresSchema schema;
    private final ServerIdentity identity;

    private PostgresSession(
            PostgresServer server, Connection connection, PostgresSchema schema, ServerIdentity identity) {
        this.server = server;
        this.connection = connection;
        this.schema = schema;
        this.identity = identity;
    }

    /**
     * Checks the server, and creates the run's schema.
     *
     * @param run the name of the run
     * @throws AdmissionException if the run is not admitted; then nothing has been written
     */
    public static PostgresSession begin(PostgresServer server, String run) {
        try {
            Connection connection = PostgresConnections.connect(server.endpoint(), server.database());
            try {
                return new PostgresSession(
                        server,
                        connection,
                        PostgresSchema.claim(connection, run),
                        PostgresConnections.identity(connection));
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new AdmissionException(
                    "the PostgreSQL " + server.endpoint().authority() + " refused the run: " + e.getMessage(), e);
        }
    }

    @Override
    public ServerIdentity identity() {
        return identity;
    }

    @Override
    public Store store(String name, Design design, EncodedValues values) throws SQLException {
        return PostgresTable.of(connection, name, design.get(Toast.FACTOR), schema.comment(), values);
    }

    /** The place has the database instead of the schema, which always has the same name. */
    @Override
    public ForkPlan.LoadedTable place(String name, Design design, DiskSpace disk) {
        return new ForkPlan.LoadedTable(server.endpoint(), server.database(), name, disk);
    }

    @Override
    public DiskSpace disk(Store store) throws SQLException {
        return store.disk(Optional.empty());
    }

    @Override
    public void drop(String name) throws SQLException {
        PostgresTable.drop(connection, name, schema.comment());
    }

    /** None, because each connection has its own process; the first process uses hardly any CPU time. */
    @Override
    public List<Long> serverPids() {
        return List.of();
    }

    @Override
    public boolean isAlive() {
        try {
            return connection.isValid(10);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Without its connection the run has no lock, and another run may remove the schema. */
    @Override
    public void requireServer(String doing, Exception failure) {
        if (!isAlive()) {
            throw new ServerException(
                    "the PostgreSQL " + server.endpoint().authority() + " was lost (" + doing + "): "
                            + failure.getMessage(),
                    failure);
        }
    }

    /** What a run has left in a database, or has there while it is at work; empty if there is no schema of a run. */
    public static Optional<StoreServers.Leftover> leftover(PostgresServer server) throws SQLException {
        try (Connection connection = PostgresConnections.connect(server.endpoint(), server.database())) {
            Optional<PostgresSchema> left = PostgresSchema.read(connection);
            if (left.isEmpty()) {
                return Optional.empty();
            }
            PostgresSchema schema = left.get();
            return Optional.of(new StoreServers.Leftover(
                    schema.run(),
                    "schema blobmark with " + schema.tables(connection).size() + " tables",
                    schema.isAlive(connection),
                    () -> remove(server, schema)));
        }
    }

    /** Drops the schema of a run and its tables, if the schema still belongs to the run. */
    private static String remove(PostgresServer server, PostgresSchema schema) throws SQLException {
        try (Connection connection = PostgresConnections.connect(server.endpoint(), server.database())) {
            return schema.drop(connection) + " tables";
        }
    }

    /** Drops what the run made. If the server is gone, 'blobmark cleanup' can remove it later. */
    @Override
    public void close() {
        try (Connection last = connection) {
            schema.release(last);
        } catch (SQLException e) {
            if (!server.isOwn() && isAlive()) {
                throw new ServerException(
                        "the schema of the run on PostgreSQL cannot be dropped: " + e.getMessage()
                                + ". Drop what is in it, then run 'blobmark cleanup --server postgresql=…'.",
                        e);
            }
        }
    }
}
