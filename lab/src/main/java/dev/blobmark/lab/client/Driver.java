package dev.blobmark.lab.client;

import dev.blobmark.lab.server.Authentication;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.server.TlsMaterial;
import dev.blobmark.lab.study.Factor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.mariadb.jdbc.util.VersionFactory;

/**
 * A JDBC driver. Every option that changes what is measured is set here; none is left to a default. The password is
 * passed as a property, so that no URL contains it.
 */
public enum Driver {
    CONNECTOR_J("connector-j", "mysql", CountedSocket.ForConnectorJ.class, Map.of()) {
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
    MARIADB("mariadb", "mariadb", CountedSocket.ForMariaDb.class, Map.of("maxAllowedPacket", "1073741824")) {
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

    public static final Factor<Driver> FACTOR = Factor.ofWords(
            "driver",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SQL, Factor.Use.MYSQL, Factor.Use.BLOCKING),
            "the JDBC driver",
            Arrays.asList(values()),
            d -> d.id);

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
    private final Class<?> socketFactory;
    private final Map<String, String> options;

    Driver(String id, String scheme, Class<?> socketFactory, Map<String, String> options) {
        this.id = id;
        this.scheme = scheme;
        this.socketFactory = socketFactory;
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
     * Every option of a measured connection except the socket factory, so that the cost of counting can be measured.
     * Includes credentials: do not print them.
     */
    public Properties properties(Endpoint endpoint, Tls tls, StatementProtocol protocol) {
        return properties(endpoint, tls.mode(), protocol);
    }

    private Properties properties(Endpoint endpoint, SslMode mode, StatementProtocol protocol) {
        Properties properties = login(endpoint, mode);
        properties.putAll(options);
        properties.setProperty("useServerPrepStmts", Boolean.toString(protocol == StatementProtocol.SERVER));
        properties.setProperty("useCompression", "false");
        return properties;
    }

    /**
     * Opens a connection without compression, and verifies its encryption.
     *
     * @throws SQLException if the server cannot be reached, refuses the connection, or its encryption differs from
     *     {@code tls}
     */
    public Connection connect(Endpoint endpoint, String schema, Tls tls, StatementProtocol protocol)
            throws SQLException {
        return connect(endpoint, schema, tls.mode(), properties(endpoint, tls, protocol), new Traffic());
    }

    /**
     * Adds timeouts, for a server that hangs or is unreachable. Measured connections have none: their options are those
     * of the study.
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
        Properties properties = limited(properties(endpoint, mode, StatementProtocol.TEXT), ASK_SILENCE);
        return connectToWork(endpoint, "", mode, properties);
    }

    /** Opens a connection that watches the server's load. Fails after 5 s without an answer. */
    public static Connection connectToWatch(Endpoint endpoint) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, StatementProtocol.TEXT), WATCH_SILENCE);
        return MARIADB.connectToWork(endpoint, "", mode, properties);
    }

    /**
     * Opens a connection for loading. The MariaDB driver sends a batch as one binary bulk command to servers that
     * support it, which loads 8 to 14 times as fast as Connector/J's rewriting of batches (seen with MariaDB 11.4.5,
     * values of 64 KB and 1 MB). Fails after 5 minutes without an answer.
     */
    public static Connection connectForLoading(Endpoint endpoint, String schema) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, StatementProtocol.SERVER), LOADING_SILENCE);
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
        Properties properties =
                limited(properties(endpoint, endpoint.sslMode(), StatementProtocol.TEXT), LOADING_SILENCE);
        properties.setProperty("sessionVariables", SessionSettings.forReading());
        return properties;
    }

    /**
     * Opens a connection that changes rows of a user. Batches are sent without waiting for answers, and say how many
     * rows each statement has changed. Fails after 5 minutes without an answer.
     */
    public static Connection connectForChanging(Endpoint endpoint) throws SQLException {
        SslMode mode = endpoint.sslMode();
        Properties properties = limited(MARIADB.properties(endpoint, mode, StatementProtocol.SERVER), LOADING_SILENCE);
        properties.setProperty("useBulkStmts", "false");
        properties.setProperty("useBulkStmtsForInserts", "false");
        return MARIADB.connectToWork(endpoint, "", mode, properties);
    }

    /** Opens a connection with the settings of {@link SessionSettings}. */
    private Connection connectToWork(Endpoint endpoint, String schema, SslMode mode, Properties properties)
            throws SQLException {
        Connection connection = open(endpoint, schema, properties, new Traffic());
        try {
            SessionSettings.apply(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return verified(connection, mode);
    }

    private Connection connect(Endpoint endpoint, String schema, SslMode mode, Properties properties, Traffic traffic)
            throws SQLException {
        return verified(open(endpoint, schema, properties, traffic), mode);
    }

    Connection open(Endpoint endpoint, String schema, Properties properties, Traffic traffic) throws SQLException {
        properties.setProperty("socketFactory", socketFactory.getName());
        // not through DriverManager: other drivers on the class path may accept the same URLs
        return traffic.count(() -> jdbc().connect(url(endpoint, schema), properties));
    }

    /** Returns the connection if its encryption is as requested; otherwise closes it and throws. */
    static Connection verified(Connection connection, SslMode mode) throws SQLException {
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
