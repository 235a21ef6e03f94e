package dev.blobmark.lab.server.running;

import dev.blobmark.lab.server.ServerVersion;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;

/**
 * What stands between client and server, as far as a client can tell. Not to be told: a Router that passes TLS through, a
 * MaxScale whose {@code version_string} is set to that of a server, and balancers that know nothing of the protocol.
 */
final class Proxies {

    private Proxies() {}

    /** The proxy's name, or what makes one likely; empty if nothing does. Servers take the questions for errors of syntax. */
    static Optional<String> recognise(Connection connection) throws SQLException {
        if (answers(connection, "PROXYSQL INTERNAL SESSION")) {
            return Optional.of("ProxySQL");
        }
        if (answers(connection, "ROUTER SET trace = 0") || hasRoutersAttributes(connection)) {
            return Optional.of("MySQL Router");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            return byGreeting(connection.getMetaData().getDatabaseProductVersion(), row.getString(1));
        }
    }

    /**
     * What the greeting tells, which a proxy writes itself.
     *
     * @param greeting the version in the first packet of a connection
     * @param version as the server answers
     */
    static Optional<String> byGreeting(String greeting, String version) {
        if (greeting.toLowerCase(Locale.ROOT).contains("maxscale")) {
            return Optional.of("MaxScale");
        }
        // servers add words such as -log in one place and not in the other
        return ServerVersion.parse(greeting).equals(ServerVersion.parse(version))
                ? Optional.empty()
                : Optional.of("unknown, greets as " + greeting);
    }

    /** ProxySQL and Router answer statements of their own; a server finds an error of syntax in them. */
    private static boolean answers(Connection connection, String statementOfAProxy) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statementOfAProxy);
            return true;
        } catch (SQLException aServer) {
            return false;
        }
    }

    /** A Router that does not share connections passes on its client's address as an attribute. */
    private static boolean hasRoutersAttributes(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM"
                        + " performance_schema.session_account_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID()"
                        + " AND ATTR_NAME IN ('_client_ip', '_client_socket')")) {
            return row.next() && row.getInt(1) > 0;
        } catch (SQLException notTold) {
            return false;
        }
    }
}
