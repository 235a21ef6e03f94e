package dev.blobmark.lab.server.postgres;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.postgresql.Driver;

/** Connections to a PostgreSQL. The password is a property, so that no URL contains it. */
public final class PostgresConnections {

    /** Long enough for a checkpoint or VACUUM of a large table. */
    private static final int ANSWER_SECONDS = 300;

    private static final int CONNECT_SECONDS = 10;

    /** Settings that may contain a password or the command that prints one. */
    private static final Set<String> SECRET = Set.of("primary_conninfo", "ssl_passphrase_command");

    private PostgresConnections() {}

    /** The URL of a database, without options and credentials. */
    public static String url(Endpoint endpoint, String database) {
        return "jdbc:postgresql://" + endpoint.authority() + "/" + database;
    }

    /** Account and encryption, as properties of the driver. */
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

    /** Opens a connection that is not measured. It times out after 10 s when connecting, and 5 minutes when waiting. */
    public static Connection connect(Endpoint endpoint, String database) throws SQLException {
        Properties properties = login(endpoint);
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("loginTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("socketTimeout", Integer.toString(ANSWER_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        // not through DriverManager, because other drivers on the class path may accept the same URLs
        Connection connection = new Driver().connect(url(endpoint, database), properties);
        if (connection == null) {
            throw new SQLException("the driver does not accept " + url(endpoint, database));
        }
        return connection;
    }

    /** Reads the identity, without settings that contain a secret or belong only to this connection. */
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

    /**
     * The same over a new connection.
     *
     * @throws ServerException if the server refuses the login
     */
    public static ServerIdentity identity(PostgresServer server) {
        try (Connection connection = connect(server.endpoint(), server.database())) {
            return identity(connection);
        } catch (SQLException e) {
            throw refused(server.endpoint(), e);
        }
    }

    static ServerException refused(Endpoint endpoint, SQLException e) {
        return new ServerException(
                "the PostgreSQL " + endpoint.authority() + " refused '" + endpoint.user() + "': " + e.getMessage()
                        + ". Check its address, the user and the password (PGPASSWORD or ~/.pgpass).",
                e);
    }
}
