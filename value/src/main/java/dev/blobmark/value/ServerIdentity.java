package dev.blobmark.value;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The server, and when it was started, in seconds of its clock: a transaction that is prepared outlives a restart, and
 * looks like one that has just begun.
 */
record ServerIdentity(String server, long startedAt) {

    /** The two figures that it is computed from are read one after the other. */
    boolean isSame(ServerIdentity other) {
        return server.equals(other.server) && Math.abs(startedAt - other.startedAt) <= 2;
    }

    static ServerIdentity of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            StringBuilder server = new StringBuilder();
            try (ResultSet rows = statement.executeQuery("SHOW GLOBAL VARIABLES WHERE Variable_name IN"
                    + " ('server_uuid', 'server_uid', 'hostname', 'port', 'datadir', 'server_id')")) {
                while (rows.next()) {
                    server.append(rows.getString(1))
                            .append('=')
                            .append(rows.getString(2))
                            .append(' ');
                }
            }
            long uptime;
            try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Uptime'")) {
                row.next();
                uptime = row.getLong(2);
            }
            try (ResultSet row = statement.executeQuery("SELECT UNIX_TIMESTAMP() LIMIT 1")) {
                row.next();
                return new ServerIdentity(server.toString(), row.getLong(1) - uptime);
            }
        }
    }
}
