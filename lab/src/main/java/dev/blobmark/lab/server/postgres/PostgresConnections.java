package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.postgresql.Driver;

/** Connections to a PostgreSQL. The password goes in as a property, so that no URL ever holds it. */
public final class PostgresConnections {

    /** How long a server may send nothing while an answer is awaited: a checkpoint or VACUUM of a large table takes its time. */
    private static final int SILENCE_SECONDS = 300;

    private static final int CONNECT_SECONDS = 10;

    /** Settings that may hold a password, or name the files of a stranger's machine that do. */
    private static final Set<String> SECRET = Set.of("primary_conninfo", "ssl_passphrase_command");

    private PostgresConnections() {}

    /** The URL of a database, without options and credentials. */
    public static String url(Endpoint endpoint, String database) {
        return "jdbc:postgresql://" + endpoint.authority() + "/" + database;
    }

    /** Account and encryption, in the words of the driver. */
    public static Properties login(Endpoint endpoint) {
        Properties login = new Properties();
        login.setProperty("user", endpoint.user());
        login.setProperty("password", endpoint.password());
        login.setProperty(
                "sslmode",
                switch (endpoint.sslMode()) {
                    case DISABLED -> "disable";
                    case PREFERRED -> "prefer";
                    case REQUIRED -> "require";
                    case VERIFY_CA -> "verify-ca";
                    case VERIFY_IDENTITY -> "verify-full";
                });
        login.setProperty("gssEncMode", "disable");
        login.setProperty("ApplicationName", "blobmark");
        return login;
    }

    /** Opens a connection that is not measured. Fails after 10 s without a connection, or 5 minutes without an answer. */
    public static Connection connect(Endpoint endpoint, String database) throws SQLException {
        Properties properties = login(endpoint);
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("loginTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("socketTimeout", Integer.toString(SILENCE_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        // the driver is named, not looked up: a class path may hold others that accept the same URLs
        Connection connection = new Driver().connect(url(endpoint, database), properties);
        if (connection == null) {
            throw new SQLException("the driver does not accept " + url(endpoint, database));
        }
        return connection;
    }

    /** Which server it is, as it says itself; its settings without those that hold a secret, and those of this connection alone. */
    public static ServerIdentity identity(Connection connection) throws SQLException {
        SortedMap<String, String> settings = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows =
                    statement.executeQuery("SELECT name, current_setting(name, true) FROM pg_catalog.pg_settings"
                            + " WHERE source NOT IN ('client', 'session')")) {
                while (rows.next()) {
                    if (!SECRET.contains(rows.getString(1)) && !ServerIdentity.isSecret(rows.getString(1))) {
                        settings.put(rows.getString(1), rows.getString(2) == null ? "" : rows.getString(2));
                    }
                }
            }
            try (ResultSet row = statement.executeQuery("SELECT pg_catalog.version()")) {
                row.next();
                return new ServerIdentity("PostgreSQL", settings.get("server_version"), row.getString(1), settings);
            }
        }
    }

    /** {@link #identity(Connection)} by a connection of its own. */
    public static ServerIdentity identity(PostgresServer server) {
        try (Connection connection = connect(server.endpoint(), server.database())) {
            return identity(connection);
        } catch (SQLException e) {
            throw refused(server.endpoint(), e);
        }
    }

    static ServerException refused(Endpoint endpoint, SQLException e) {
        return new ServerException(
                "the PostgreSQL " + endpoint.authority() + " refused '" + endpoint.user() + "': " + e.getMessage(), e);
    }
}
