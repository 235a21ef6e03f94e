package dev.blobmark.mysql.admission;

import dev.blobmark.mysql.client.Session;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The identity of a connection's server, and whether that server is a replica. */
public record Replication(Connection connection) {

    /** Whether a server is a replica. */
    public enum Replica {
        YES,
        NO,
        UNKNOWN
    }

    /** ER_PARSE_ERROR: the version does not have the statement. */
    private static final int SYNTAX = 1064;

    /**
     * An identity that differs from those of replicas and of other members of a cluster. For MySQL it is
     * {@code server_uuid}. MariaDB 11.4.5 has none; there it is a hash of variables that differ between servers,
     * without the version, which changes.
     */
    public String server() throws SQLException {
        Map<String, String> variables = new TreeMap<>(new Privileges(connection)
                .variables("server_uuid", "server_uid", "server_id", "hostname", "port", "datadir"));
        String uuid = variables.get("server_uuid");
        return uuid != null && !uuid.isEmpty() ? uuid : digest(variables.toString());
    }

    /** 32 hexadecimal digits of the SHA-256 of a text. */
    public static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    public Replica replica() throws SQLException {
        // ALL: a replica of MariaDB may have several sources
        for (String sql : new Privileges(connection).isMariaDb()
                ? new String[] {"SHOW ALL SLAVES STATUS"}
                : new String[] {"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                return hasSource(rows) ? Replica.YES : Replica.NO;
            } catch (SQLException e) {
                if (!connection.isValid(5)) {
                    throw e;
                } else if (e.getErrorCode() != SYNTAX) {
                    break;
                }
            }
        }
        return hasThreads() ? Replica.YES : Replica.UNKNOWN;
    }

    /** Channels of group replication belong to a member, which is not a replica. */
    private static boolean hasSource(ResultSet rows) throws SQLException {
        boolean hasChannels = false;
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            hasChannels |= rows.getMetaData().getColumnLabel(i).equalsIgnoreCase("Channel_Name");
        }
        while (rows.next()) {
            if (!hasChannels || !String.valueOf(rows.getString("Channel_Name")).startsWith("group_replication_")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the process list shows threads that apply changes of a source. MariaDB 11.4.5 has special commands for
     * them. In MySQL 9.7.4 their command is Connect. The binlog injector of NDB has another (Daemon), but the applier
     * of group replication may have the same.
     */
    private boolean hasThreads() throws SQLException {
        Privileges privileges = new Privileges(connection);
        if (!privileges.variable("group_replication_group_name").isEmpty()) {
            return false;
        }
        Set<String> commands =
                privileges.isMariaDb() ? Set.of("Slave_IO", "Slave_SQL", "Slave_worker") : Set.of("Connect");
        return Session.list(connection).stream()
                .anyMatch(session -> session.user().equals("system user") && commands.contains(session.command()));
    }

    /** The GRANT of the privilege without which {@link #replica} is {@link Replica#UNKNOWN}. */
    public String grantToKnow() throws SQLException {
        Privileges privileges = new Privileges(connection);
        if (!privileges.isMariaDb()) {
            return privileges.grant("REPLICATION CLIENT");
        }
        String version = privileges.variable("version");
        return privileges.grant(
                version.matches("10\\.[0-4]\\..*")
                        ? "REPLICATION CLIENT"
                        : version.matches("10\\.5\\.[0-8]\\b.*") ? "SLAVE MONITOR" : "REPLICA MONITOR");
    }

    /** Why nothing may be written to this server's binary log; empty if it is certainly not a replica. */
    public Optional<String> refusal() throws SQLException {
        return switch (replica()) {
            case NO -> Optional.empty();
            case YES ->
                Optional.of(
                        "it is a replica, whose source would not have what is written to it. Name the source; or, if"
                                + " it no longer has one, remove its old configuration with RESET REPLICA ALL");
            case UNKNOWN -> Optional.of("the account may not see whether it is a replica: " + grantToKnow());
        };
    }
}
