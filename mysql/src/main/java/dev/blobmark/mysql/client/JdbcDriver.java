package dev.blobmark.mysql.client;

import dev.blobmark.mysql.server.Authentication;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.mariadb.jdbc.util.VersionFactory;

/**
 * A JDBC driver of MySQL and MariaDB, and connections that are not measured. No option that matters is left to a
 * default. The password is passed as a property, so that no URL contains it.
 */
public enum JdbcDriver {
    CONNECTOR_J("connector-j", "mysql", Map.of()) {
        @Override
        Properties login(Endpoint endpoint, SslMode mode) {
            Properties login = new Properties();
            login.setProperty("user", endpoint.user());
            login.setProperty("password", endpoint.password());
            login.setProperty("sslMode", mode.name());
            Authentication authentication = endpoint.authentication();
            login.setProperty("allowPublicKeyRetrieval", Boolean.toString(authentication.keyRetrieval()));
            authentication.serverKey().ifPresent(file -> login.setProperty("serverRSAPublicKeyFile", file));
            authentication.plugin().ifPresent(plugin -> login.setProperty("defaultAuthenticationPlugin", plugin));
            authentication
                    .disabled(mode.isVerifying())
                    .ifPresent(plugins -> login.setProperty("disabledAuthenticationPlugins", plugins));
            TlsMaterial tls = endpoint.tls();
            tls.trustStore().ifPresent(store -> {
                login.setProperty("trustCertificateKeyStoreUrl", "file:" + store);
                login.setProperty("trustCertificateKeyStoreType", TlsMaterial.STORE_TYPE);
                login.setProperty("trustCertificateKeyStorePassword", tls.password());
                login.setProperty("fallbackToSystemTrustStore", "false");
            });
            tls.keyStore().ifPresent(store -> {
                login.setProperty("clientCertificateKeyStoreUrl", "file:" + store);
                login.setProperty("clientCertificateKeyStoreType", TlsMaterial.STORE_TYPE);
                login.setProperty("clientCertificateKeyStorePassword", tls.password());
            });
            return login;
        }

        /** Connector/J's value for streaming; it ignores any other size unless cursors are enabled. */
        @Override
        public int streamingFetchSize() {
            return Integer.MIN_VALUE;
        }

        @Override
        java.sql.Driver jdbc() {
            try {
                return new com.mysql.cj.jdbc.Driver();
            } catch (SQLException e) {
                throw new IllegalStateException("MySQL Connector/J cannot be initialized", e);
            }
        }
    },
    /** By default, version 4 limits a received packet to a quarter of the heap. */
    MARIADB("mariadb", "mariadb", Map.of("maxAllowedPacket", "1073741824")) {
        @Override
        Properties login(Endpoint endpoint, SslMode mode) {
            return endpoint.mariaDbLogin(mode);
        }

        @Override
        java.sql.Driver jdbc() {
            return new org.mariadb.jdbc.Driver();
        }

        @Override
        public String version() {
            return VersionFactory.getInstance().getVersion();
        }
    };

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** The load is read once a second, and each read takes milliseconds. */
    private static final Duration WATCH_SILENCE = Duration.ofSeconds(5);

    private static final Duration ASK_SILENCE = Duration.ofSeconds(10);

    /**
     * FLUSH TABLES … FOR EXPORT sends nothing until the pages of a table are written: 2 GB take 100 s on storage of 20
     * MB/s. DDL waits 60 s for locks of other sessions (lock_wait_timeout).
     */
    private static final Duration LOADING_SILENCE = Duration.ofMinutes(5);

    private final String id;
    private final String scheme;
    private final Map<String, String> options;

    JdbcDriver(String id, String scheme, Map<String, String> options) {
        this.id = id;
        this.scheme = scheme;
        this.options = options;
    }

    /** Account, encryption and certificates as properties of the driver. */
    abstract Properties login(Endpoint endpoint, SslMode mode);

    /** The fetch size with which the driver reads rows as they arrive, rather than all into memory first. */
    public int streamingFetchSize() {
        return 1;
    }

    abstract java.sql.Driver jdbc();

    /** The driver's own version. */
    public String version() {
        return Objects.requireNonNullElse(jdbc().getClass().getPackage().getImplementationVersion(), "unknown");
    }

    /** The JDBC URL of a schema, without options and credentials. */
    public String url(Endpoint endpoint, String schema) {
        return "jdbc:" + scheme + "://" + endpoint.authority() + "/" + schema;
    }

    /**
     * Every option of a connection without compression and timeouts. Includes credentials: do not print them.
     *
     * @param isPrepared whether statements are prepared on the server
     */
    public Properties properties(Endpoint endpoint, SslMode mode, boolean isPrepared) {
        Properties properties = login(endpoint, mode);
        properties.putAll(options);
        properties.setProperty("useServerPrepStmts", Boolean.toString(isPrepared));
        properties.setProperty("useCompression", "false");
        return properties;
    }

    /**
     * Adds timeouts, for a server that hangs or is unreachable.
     *
     * @param silence the longest wait for data from the server
     */
    private static Properties limited(Properties properties, Duration silence) {
        properties.setProperty("connectTimeout", Long.toString(CONNECT_TIMEOUT.toMillis()));
        properties.setProperty("socketTimeout", Long.toString(silence.toMillis()));
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }

    /** Opens an unmeasured connection that reads figures of the server. Fails after 10 s without an answer. */
    public Connection connectToAsk(Endpoint endpoint) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(properties(endpoint, mode, false), ASK_SILENCE);
        return connectToWork(endpoint, "", mode, properties);
    }

    /** Opens a connection that watches the server's load. Fails after 5 s without an answer. */
    public static Connection connectToWatch(Endpoint endpoint) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, false), WATCH_SILENCE);
        return MARIADB.connectToWork(endpoint, "", mode, properties);
    }

    /**
     * Opens a connection for loading. The MariaDB driver sends a batch as one binary bulk command to servers that
     * support it, which loads 8 to 14 times as fast as Connector/J's rewriting of batches (seen with MariaDB 11.4.5,
     * values of 64 KB and 1 MB). Fails after 5 minutes without an answer.
     */
    public static Connection connectForLoading(Endpoint endpoint, String schema) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, true), LOADING_SILENCE);
        properties.setProperty("useBulkStmts", "true");
        // MariaDB 11.4.5 fails with error 0 and no message if the table was created again after the bulk was prepared
        properties.setProperty("cachePrepStmts", "false");
        return MARIADB.connectToWork(endpoint, schema, mode, properties);
    }

    /**
     * The options of a connection by which another process reads rows of a user. It fails after 5 minutes without an
     * answer. Includes credentials: do not print them.
     */
    public Properties propertiesForReading(Endpoint endpoint) {
        Properties properties = limited(properties(endpoint, endpoint.sslMode(), false), LOADING_SILENCE);
        properties.setProperty("sessionVariables", SessionSettings.forReading());
        return properties;
    }

    /**
     * Opens a connection that changes rows of a user. Batches are sent without waiting for answers, and say how many
     * rows each statement has changed. Fails after 5 minutes without an answer.
     */
    public static Connection connectForChanging(Endpoint endpoint) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, true), LOADING_SILENCE);
        properties.setProperty("useBulkStmts", "false");
        properties.setProperty("useBulkStmtsForInserts", "false");
        return MARIADB.connectToWork(endpoint, "", mode, properties);
    }

    /** Opens a connection with the settings of {@link SessionSettings}. */
    private Connection connectToWork(Endpoint endpoint, String schema, SslMode mode, Properties properties)
            throws SQLException {
        Connection connection = open(endpoint, schema, properties);
        try {
            SessionSettings.apply(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return verified(connection, mode);
    }

    /** Opens a connection, and verifies nothing. */
    public Connection open(Endpoint endpoint, String schema, Properties properties) throws SQLException {
        // not through DriverManager: other drivers on the class path may accept the same URLs
        return jdbc().connect(url(endpoint, schema), properties);
    }

    /** Returns the connection if its encryption is as requested; otherwise closes it and throws. */
    public static Connection verified(Connection connection, SslMode mode) throws SQLException {
        try {
            String cipher = status(connection, "Ssl_cipher");
            if (cipher.isEmpty() != (mode == SslMode.DISABLED)) {
                throw new SQLException(
                        "the requested encryption is " + mode + ", but the connection's cipher is '" + cipher + "'");
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** A status variable of this session; empty if it has no value. */
    public static String status(Connection connection, String name) throws SQLException {
        return shown(connection, "SHOW SESSION STATUS LIKE '" + name + "'");
    }

    /** A system variable of this session; empty if the server does not have it, or it has no value. */
    public static String variable(Connection connection, String name) throws SQLException {
        return shown(connection, "SHOW SESSION VARIABLES LIKE '" + name + "'");
    }

    private static String shown(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() && row.getString(2) != null ? row.getString(2) : "";
        }
    }

    @Override
    public String toString() {
        return id;
    }
}
