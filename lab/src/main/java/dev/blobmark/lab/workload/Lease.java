package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.Preparation;
import dev.blobmark.lab.client.TimeAccount;
import dev.blobmark.lab.client.Traffic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Gives operations a connection and statements that are prepared on it. Confined to the worker's thread. */
abstract class Lease implements AutoCloseable {

    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private final boolean keepsStatements;
    private PreparedStatement current;

    private Lease(boolean keepsStatements) {
        this.keepsStatements = keepsStatements;
    }

    /** The connection to use until {@link #end}. */
    abstract Connection connection() throws SQLException;

    /** Ends the use of the connection. */
    abstract void release() throws SQLException;

    @Override
    public abstract void close();

    /** A statement on the connection, to use until {@link #end}; one at a time. */
    final PreparedStatement prepare(String sql) throws SQLException {
        if (!keepsStatements) {
            current = connection().prepareStatement(sql);
            return current;
        }
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection().prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    /** Ends the operation. */
    final void end() throws SQLException {
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            current = null;
            release();
        }
    }

    /** The lease that the trial's levels ask for. */
    static Lease of(Setup setup, Traffic traffic) throws SQLException {
        if (setup.pool().isPresent()) {
            return new Borrowed(setup.pool().get(), traffic);
        }
        boolean keepsStatements = setup.design().get(Preparation.FACTOR) == Preparation.ONCE;
        Connector connector = setup.connector();
        Connection first = connector.connect(setup.endpoint(), traffic);
        return setup.handling().isKept()
                ? new Own(first, keepsStatements)
                : new PerOperation(first, () -> connector.connectUnverified(setup.endpoint(), traffic), traffic);
    }

    /** An open connection, which is kept with its statements. */
    static Lease own(Connection connection) {
        return new Own(connection, true);
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // the server has closed it; all answers have been received and checked
        }
    }

    /** A connection that the thread keeps. */
    private static final class Own extends Lease {

        private final Connection connection;

        Own(Connection connection, boolean keepsStatements) {
            super(keepsStatements);
            this.connection = connection;
        }

        @Override
        Connection connection() {
            return connection;
        }

        @Override
        void release() {
            // kept for the next operation
        }

        @Override
        public void close() {
            closeQuietly(connection);
        }
    }

    /** A connection of a pool. */
    private static final class Borrowed extends Lease {

        private final ConnectionPool pool;
        private final Traffic traffic;
        private Connection connection;

        Borrowed(ConnectionPool pool, Traffic traffic) {
            super(false);
            this.pool = pool;
            this.traffic = traffic;
        }

        @Override
        Connection connection() throws SQLException {
            if (connection == null) {
                connection = pool.borrow(traffic);
            }
            return connection;
        }

        @Override
        void release() throws SQLException {
            if (connection != null) {
                Connection borrowed = connection;
                connection = null;
                pool.giveBack(borrowed);
            }
        }

        @Override
        public void close() {
            // the pool outlives the worker
        }
    }

    /** Opens a connection. */
    private interface ConnectionOpening {
        Connection open() throws SQLException;
    }

    /** A connection per operation, opened at its first use. */
    private static final class PerOperation extends Lease {

        private final ConnectionOpening opening;
        private final Traffic traffic;
        private Connection connection;

        /** @param first is open and verified; the others are opened with the same options, and not verified */
        PerOperation(Connection first, ConnectionOpening opening, Traffic traffic) {
            super(false);
            connection = first;
            this.opening = opening;
            this.traffic = traffic;
        }

        @Override
        Connection connection() throws SQLException {
            if (connection == null) {
                traffic.time().chargeAllTo(TimeAccount.TimedPart.POOL);
                connection = opening.open();
                traffic.time().chargeEachToItsPart();
            }
            return connection;
        }

        @Override
        void release() throws SQLException {
            if (connection != null) {
                Connection used = connection;
                connection = null;
                traffic.time().chargeAllTo(TimeAccount.TimedPart.POOL);
                used.close();
                traffic.time().chargeEachToItsPart();
            }
        }

        @Override
        public void close() {
            if (connection != null) {
                closeQuietly(connection);
            }
        }
    }
}
