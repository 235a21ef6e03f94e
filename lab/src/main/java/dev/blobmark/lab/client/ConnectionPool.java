package dev.blobmark.lab.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.server.Endpoint;
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
 * HikariCP over counted connections: what goes over one that is borrowed is counted for whoever has it. Of a fixed size, as HikariCP's
 * documentation advises, with all connections open before anything is measured; all other settings are its defaults, among them a
 * ping where a connection has been idle for 500 ms.
 */
public final class ConnectionPool implements AutoCloseable {

    private static final long POLL_NANOS = 1_000_000;

    private final HikariDataSource pool;
    private final Map<Connection, Traffic> traffic = Collections.synchronizedMap(new IdentityHashMap<>());

    /**
     * Opens all its connections.
     *
     * @param endpoints of the servers that its connections are dealt out over: one, or the SQL nodes of a cluster
     * @throws SQLException if one cannot be opened
     */
    public ConnectionPool(List<Endpoint> endpoints, Connector connector, SharedLink link, int size)
            throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new Counted(endpoints, connector, link));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        // what is wrong is told by a connection of our own: the pool would try for its whole time-out
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
     * Borrows a connection, until {@link #giveBack}. The wait for it is booked for the pool.
     *
     * @param borrower for whom it counts meanwhile
     */
    public Connection borrow(Traffic borrower) throws SQLException {
        borrower.time().book(TimeAccount.Part.CLIENT);
        Connection connection = pool.getConnection();
        traffic.get(connection.unwrap(Connection.class)).countsFor(borrower);
        borrower.time().book(TimeAccount.Part.POOL);
        return connection;
    }

    /** What the pool does with it from now on counts for nobody. */
    public void giveBack(Connection connection) throws SQLException {
        Traffic ofConnection = traffic.get(connection.unwrap(Connection.class));
        ofConnection.countsFor(ofConnection);
        connection.close();
    }

    /** The settings that it works by, as it tells them itself, in milliseconds; and how many connections it has open. */
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

    private final class Counted implements DataSource {

        private final List<Endpoint> endpoints;
        private final AtomicInteger opened = new AtomicInteger();
        private final Connector connector;
        private final SharedLink link;
        private int loginTimeout;

        Counted(List<Endpoint> endpoints, Connector connector, SharedLink link) {
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
            // the pool has none
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
            throw new SQLException("this is no " + type.getName());
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
