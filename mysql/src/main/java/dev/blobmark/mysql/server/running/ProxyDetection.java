package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.ServerVersion;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;

/**
 * Recognises proxies between client and server. These cannot be recognised: a MySQL Router that passes TLS through, a
 * MaxScale with the {@code version_string} of a server, and load balancers that do not parse the protocol.
 */
final class ProxyDetection {

    private ProxyDetection() {}

    /** The proxy's name, or evidence of an unknown one. A server answers the test statements with syntax errors. */
    static Optional<String> recognise(Connection connection) throws SQLException {
        if (answers(connection, "PROXYSQL INTERNAL SESSION")) {
            return Optional.of("ProxySQL");
        }
        if (answers(connection, "ROUTER SET trace = 0") || hasRouterAttributes(connection)) {
            return Optional.of("MySQL Router");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            return byGreeting(connection.getMetaData().getDatabaseProductVersion(), row.getString(1));
        }
    }

    /**
     * Compares the version of the greeting, which a proxy sends itself, with that of the server.
     *
     * @param greeting the version in the first packet of a connection
     * @param version the result of {@code SELECT VERSION()}
     */
    static Optional<String> byGreeting(String greeting, String version) {
        if (greeting.toLowerCase(Locale.ROOT).contains("maxscale")) {
            return Optional.of("MaxScale");
        }
        // servers append words such as -log in only one of the two places
        return ServerVersion.parse(greeting).equals(ServerVersion.parse(version))
                ? Optional.empty()
                : Optional.of("unknown, greets as " + greeting);
    }

    private static boolean answers(Connection connection, String proxyStatement) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(proxyStatement);
            return true;
        } catch (SQLException syntaxError) {
            return false;
        }
    }

    /** A Router that does not share connections sends its client's address as an attribute. */
    private static boolean hasRouterAttributes(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM"
                        + " performance_schema.session_account_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID()"
                        + " AND ATTR_NAME IN ('_client_ip', '_client_socket')")) {
            return row.next() && row.getInt(1) > 0;
        } catch (SQLException notAvailable) {
            return false;
        }
    }
}
