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

/** How an operation comes by its connection, and by a statement that is prepared on it. Confined to the worker's thread. */
abstract class Lease implements AutoCloseable {

    private final Map<String, PreparedStatement> kept = new HashMap<>();
    private final boolean keepsStatements;
    private PreparedStatement used;

    private Lease(boolean keepsStatements) {
        this.keepsStatements = keepsStatements;
    }

    /** The connection to use until {@link #end}. */
    abstract Connection connection() throws SQLException;

    /** The connection is not used any more. */
    abstract void giveBack() throws SQLException;

    @Override
    public abstract void close();

    /** A statement of the connection, to be used until {@link #end}; one at a time. */
    final PreparedStatement prepare(String sql) throws SQLException {
        if (!keepsStatements) {
            used = connection().prepareStatement(sql);
            return used;
        }
        PreparedStatement statement = kept.get(sql);
        if (statement == null) {
            statement = connection().prepareStatement(sql);
            kept.put(sql, statement);
        }
        return statement;
    }

    /** The operation is done. */
    final void end() throws SQLException {
        try {
            if (used != null) {
                used.close();
            }
        } finally {
            used = null;
            giveBack();
        }
    }

    /** As the trial's levels have it. */
    static Lease of(Setup setup, Traffic traffic) throws SQLException {
        if (setup.pool().isPresent()) {
            return new Borrowed(setup.pool().get(), traffic);
        }
        boolean keepsStatements = setup.design().get(Preparation.FACTOR) == Preparation.ONCE;
        Connector connector = setup.connector();
        Connection first = connector.connect(setup.endpoint(), traffic);
        return setup.handling().isKept()
                ? new Own(first, keepsStatements)
                : new Opened(first, () -> connector.connectUnasked(setup.endpoint(), traffic), traffic);
    }

    /** A connection that is there, and is kept with its statements. */
    static Lease own(Connection connection) {
        return new Own(connection, true);
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // the server has ended it then; every answer has been had and checked
        }
    }

    /** One that the thread keeps. */
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
        void giveBack() {
            // it is kept for the next operation
        }

        @Override
        public void close() {
            closeQuietly(connection);
        }
    }

    /** One of a pool. */
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
        void giveBack() throws SQLException {
            if (connection != null) {
                Connection borrowed = connection;
                connection = null;
                pool.giveBack(borrowed);
            }
        }

        @Override
        public void close() {
            // the pool is not the worker's
        }
    }

    /** Opens one more connection. */
    private interface Opening {
        Connection open() throws SQLException;
    }

    /** One that is opened when it is first used, and closed then. */
    private static final class Opened extends Lease {

        private final Opening opening;
        private final Traffic traffic;
        private Connection connection;

        /** @param first has been opened and looked at: the others are taken to be like it */
        Opened(Connection first, Opening opening, Traffic traffic) {
            super(false);
            connection = first;
            this.opening = opening;
            this.traffic = traffic;
        }

        @Override
        Connection connection() throws SQLException {
            if (connection == null) {
                traffic.time().bookAllFor(TimeAccount.Part.POOL);
                connection = opening.open();
                traffic.time().bookEachForItself();
            }
            return connection;
        }

        @Override
        void giveBack() throws SQLException {
            if (connection != null) {
                Connection done = connection;
                connection = null;
                traffic.time().bookAllFor(TimeAccount.Part.POOL);
                done.close();
                traffic.time().bookEachForItself();
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
