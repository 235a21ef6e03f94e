package dev.blobmark.lab.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.mysql.server.Endpoint;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A HikariCP pool of counted connections. The traffic of a borrowed connection counts for its borrower. The pool has a
 * fixed size, as HikariCP's documentation recommends, and all connections are open before anything is measured. All
 * other settings are HikariCP's defaults, including the ping of a connection that has been idle for 500 ms.
 */
public final class ConnectionPool implements AutoCloseable {

    private static final long POLL_NANOS = 1_000_000;

    private final HikariDataSource pool;
    private final Map<Connection, Traffic> traffic = Collections.synchronizedMap(new IdentityHashMap<>());

    /**
     * Opens the pool with all its connections.
     *
     * @param endpoints servers over which the connections are distributed in turn: one server, or the SQL nodes of a
     *     cluster
     * @throws SQLException if one cannot be opened
     */
    public ConnectionPool(List<Endpoint> endpoints, Connector connector, SharedLink link, int size)
            throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new CountedDataSource(endpoints, connector, link));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        // a direct connection fails at once with the server's error; the pool would retry until its timeout
        for (Endpoint endpoint : endpoints) {
            connector.connect(endpoint, new Traffic(link)).close();
        }
        pool = new HikariDataSource(config);
        awaitOpen(size);
    }

    private void awaitOpen(int size) throws SQLException {
        long deadline = System.nanoTime() + pool.getConnectionTimeout() * 1_000_000;
        while (traffic.size() < size) {
            if (System.nanoTime() > deadline) {
                pool.close();
                throw new SQLException("the pool opened " + traffic.size() + " of " + size + " connections in "
                        + pool.getConnectionTimeout() / 1_000 + " s; the server may not allow more (max_connections)");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * Borrows a connection until {@link #giveBack}. The time that this takes is charged to
     * {@link TimeAccount.TimedPart#POOL}.
     *
     * @param borrower counts the connection's traffic meanwhile
     */
    public Connection borrow(Traffic borrower) throws SQLException {
        borrower.time().charge(TimeAccount.TimedPart.CLIENT);
        Connection connection = pool.getConnection();
        traffic.get(connection.unwrap(Connection.class)).countsFor(borrower);
        borrower.time().charge(TimeAccount.TimedPart.POOL);
        return connection;
    }

    /** Returns a connection. Traffic of the pool itself, such as a ping, counts for no borrower. */
    public void giveBack(Connection connection) throws SQLException {
        Traffic own = traffic.get(connection.unwrap(Connection.class));
        own.countsFor(own);
        connection.close();
    }

    /** The effective settings as HikariCP reports them, times in milliseconds, and the number of open connections. */
    public SortedMap<String, String> effective() {
        HikariConfigMXBean config = pool.getHikariConfigMXBean();
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("connections", Integer.toString(pool.getHikariPoolMXBean().getTotalConnections()));
        settings.put("maximum_pool_size", Integer.toString(config.getMaximumPoolSize()));
        settings.put("minimum_idle", Integer.toString(config.getMinimumIdle()));
        settings.put("connection_timeout_ms", Long.toString(config.getConnectionTimeout()));
        settings.put("validation_timeout_ms", Long.toString(config.getValidationTimeout()));
        settings.put("idle_timeout_ms", Long.toString(config.getIdleTimeout()));
        settings.put("max_lifetime_ms", Long.toString(config.getMaxLifetime()));
        settings.put("leak_detection_threshold_ms", Long.toString(config.getLeakDetectionThreshold()));
        settings.put("keepalive_time_ms", Long.toString(pool.getKeepaliveTime()));
        settings.put("auto_commit", Boolean.toString(pool.isAutoCommit()));
        return settings;
    }

    @Override
    public void close() {
        pool.close();
    }

    private final class CountedDataSource implements DataSource {

        private final List<Endpoint> endpoints;
        private final AtomicInteger opened = new AtomicInteger();
        private final Connector connector;
        private final SharedLink link;
        private int loginTimeout;

        CountedDataSource(List<Endpoint> endpoints, Connector connector, SharedLink link) {
            this.endpoints = endpoints;
            this.connector = connector;
            this.link = link;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Traffic counted = new Traffic(link);
            Endpoint next = endpoints.get(Math.floorMod(opened.getAndIncrement(), endpoints.size()));
            Connection connection = connector.connect(next, counted);
            traffic.put(connection, counted);
            return connection;
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {
            // not used by the pool
        }

        @Override
        public void setLoginTimeout(int seconds) {
            loginTimeout = seconds;
        }

        @Override
        public int getLoginTimeout() {
            return loginTimeout;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("not a wrapper for " + type.getName());
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
