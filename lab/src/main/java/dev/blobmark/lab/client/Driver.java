package dev.blobmark.lab.client;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.study.Factor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.mariadb.jdbc.util.VersionFactory;

/**
 * A JDBC driver. Every option that changes what is measured is stated here, none is left to a default; the password goes
 * in as a property, so that no URL ever holds it.
 */
public enum Driver {
    CONNECTOR_J("connector-j", "mysql", Map.of("allowPublicKeyRetrieval", "true")) {
        @Override
        String tls(Tls tls) {
            return tls == Tls.ON ? "REQUIRED" : "DISABLED";
        }

        /** Its word for a stream; any other number is passed over unless cursors are asked for. */
        @Override
        public int streamingFetchSize() {
            return Integer.MIN_VALUE;
        }

        @Override
        java.sql.Driver jdbc() {
            try {
                return new com.mysql.cj.jdbc.Driver();
            } catch (SQLException e) {
                throw new IllegalStateException("MySQL Connector/J cannot be set up", e);
            }
        }
    },
    /** Version 4 caps what it receives at a quarter of the heap unless told otherwise. */
    MARIADB("mariadb", "mariadb", Map.of("allowPublicKeyRetrieval", "true", "maxAllowedPacket", "1073741824")) {
        @Override
        String tls(Tls tls) {
            return tls == Tls.ON ? "trust" : "disable";
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

    public static final Factor<Driver> FACTOR =
            Factor.ofWords("driver", Factor.Home.METHOD, "the JDBC driver", Arrays.asList(values()), d -> d.id);

    private final String id;
    private final String scheme;
    private final Map<String, String> options;

    Driver(String id, String scheme, Map<String, String> options) {
        this.id = id;
        this.scheme = scheme;
        this.options = options;
    }

    abstract String tls(Tls tls);

    /** The fetch size by which rows are read one after another, as they come, rather than all into memory first. */
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
        return "jdbc:" + scheme + "://" + endpoint.host() + ":" + endpoint.port() + "/" + schema;
    }

    /** Every option that a measured connection is opened with, credentials included: not for printing. */
    public Properties properties(Endpoint endpoint, Tls tls, StatementProtocol protocol) {
        Properties properties = new Properties();
        properties.putAll(options);
        properties.setProperty("user", endpoint.user());
        properties.setProperty("password", endpoint.password());
        properties.setProperty("sslMode", tls(tls));
        properties.setProperty("useServerPrepStmts", Boolean.toString(protocol == StatementProtocol.SERVER));
        return properties;
    }

    /**
     * Opens a connection and reads back whether it is encrypted as asked.
     *
     * @throws SQLException if the server cannot be reached, refuses, or encrypts otherwise than asked
     */
    public Connection connect(Endpoint endpoint, String schema, Tls tls, StatementProtocol protocol)
            throws SQLException {
        return connect(endpoint, schema, tls, properties(endpoint, tls, protocol));
    }

    /**
     * Opens a connection for loading. The MariaDB driver sends a batch in binary and in bulk to servers that know this, which
     * loads 8 to 14 times as fast as Connector/J's rewriting of batches (seen with MariaDB 11.4.5, values of 64 KB and 1 MB).
     */
    public static Connection connectForLoading(Endpoint endpoint, String schema) throws SQLException {
        Properties properties = MARIADB.properties(endpoint, Tls.OFF, StatementProtocol.SERVER);
        properties.setProperty("useBulkStmts", "true");
        // a bulk of a statement that was prepared for a table which has been made anew since ends in an error without
        // words
        properties.setProperty("cachePrepStmts", "false");
        return MARIADB.connect(endpoint, schema, Tls.OFF, properties);
    }

    private Connection connect(Endpoint endpoint, String schema, Tls tls, Properties properties) throws SQLException {
        // the driver is named, not looked up: a class path may hold others that claim the same URLs
        Connection connection = jdbc().connect(url(endpoint, schema), properties);
        try {
            String cipher = status(connection, "Ssl_cipher");
            if (cipher.isEmpty() == (tls == Tls.ON)) {
                throw new SQLException(
                        "tls is '" + tls + "' by the study, but the connection's cipher is '" + cipher + "'");
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** A status variable of this connection's session; empty where it has no value. */
    public static String status(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE '" + name + "'")) {
            return row.next() && row.getString(2) != null ? row.getString(2) : "";
        }
    }

    @Override
    public String toString() {
        return id;
    }
}
