package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.Traffic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** How an operation comes by its connection, and by statements that are prepared on it. Confined to the worker's thread. */
abstract class Lease implements AutoCloseable {

    /** The connection to use until {@link #end}. */
    abstract Connection connection() throws SQLException;

    /** A statement of that connection, to be used until then. */
    abstract PreparedStatement prepare(String sql) throws SQLException;

    /** The operation is done. */
    abstract void end() throws SQLException;

    @Override
    public abstract void close();

    /** One that the thread keeps, and whose statements are prepared once. */
    static Lease own(Connection connection) {
        return new Own(connection);
    }

    /** One of a pool for each operation, on which statements are prepared each time. */
    static Lease borrowed(ConnectionPool pool, Traffic traffic) {
        return new Borrowed(pool, traffic);
    }

    private static final class Own extends Lease {

        private final Connection connection;
        private final Map<String, PreparedStatement> prepared = new HashMap<>();

        Own(Connection connection) {
            this.connection = connection;
        }

        @Override
        Connection connection() {
            return connection;
        }

        @Override
        PreparedStatement prepare(String sql) throws SQLException {
            PreparedStatement statement = prepared.get(sql);
            if (statement == null) {
                statement = connection.prepareStatement(sql);
                prepared.put(sql, statement);
            }
            return statement;
        }

        @Override
        void end() {
            // it is kept for the next operation
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                // the server has ended it then; every answer has been had and checked
            }
        }
    }

    private static final class Borrowed extends Lease {

        private final ConnectionPool pool;
        private final Traffic traffic;
        private Connection connection;

        Borrowed(ConnectionPool pool, Traffic traffic) {
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

        /** The pool closes it with the connection. */
        @Override
        PreparedStatement prepare(String sql) throws SQLException {
            return connection().prepareStatement(sql);
        }

        @Override
        void end() throws SQLException {
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
}
