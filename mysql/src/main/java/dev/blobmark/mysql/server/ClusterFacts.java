package dev.blobmark.mysql.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Facts about an NDB Cluster, read from one of its SQL nodes. */
public final class ClusterFacts {

    /** Parameters that affect figures, of the several hundred that a cluster has; and all numbers that were changed. */
    private static final String PARAMETERS = "'NoOfReplicas', 'DataMemory', 'MaxNoOfExecutionThreads', 'ThreadConfig',"
            + " 'AutomaticThreadConfig', 'NumCPUs', 'NoOfFragmentLogParts', 'NoOfFragmentLogFiles', 'FragmentLogFileSize',"
            + " 'RedoBuffer', 'SharedGlobalMemory', 'TransactionMemory', 'TotalSendBufferMemory', 'ODirect', 'Diskless',"
            + " 'EncryptedFileSystem', 'CompressedLCP'";

    /** ER_TABLEACCESS_DENIED_ERROR. */
    private static final int SELECT_DENIED = 1142;

    private ClusterFacts() {}

    /** Reads the facts; empty if the server does not use NDB. */
    static SortedMap<String, String> read(Connection connection) throws SQLException {
        if (isNotUsed(connection)) {
            return Collections.emptySortedMap();
        }
        SortedMap<String, String> facts = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM ndbinfo.nodes")) {
                row.next();
                facts.put("data_nodes", row.getString(1));
            }
            facts.putAll(parameters(
                    connection,
                    "p.param_name IN (" + PARAMETERS + ") OR p.param_type IN ('unsigned', 'bool')"
                            + " AND p.param_default <> '' AND v.config_value <> p.param_default"));
            facts.put("replicas", facts.remove("NoOfReplicas"));
            try (ResultSet row = statement.executeQuery(
                    "SELECT node_type, GROUP_CONCAT(DISTINCT node_version ORDER BY node_version SEPARATOR ', ')"
                            + " FROM ndbinfo.processes WHERE node_type IN ('NDB', 'API') GROUP BY node_type")) {
                while (row.next()) {
                    facts.put(
                            row.getString(1).equals("NDB") ? "data_node_version" : "sql_node_version",
                            row.getString(2));
                }
            }
        } catch (SQLException e) {
            throw unreadable(connection, "the server", e);
        }
        return facts;
    }

    /** All parameters of the data nodes by name, in any case. Values that differ between data nodes are listed. */
    public static SortedMap<String, String> parameters(Connection connection) throws SQLException {
        return parameters(connection, "TRUE");
    }

    private static SortedMap<String, String> parameters(Connection connection, String condition) throws SQLException {
        SortedMap<String, String> parameters = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT p.param_name, GROUP_CONCAT(DISTINCT v.config_value"
                        + " ORDER BY v.config_value SEPARATOR ', ') FROM ndbinfo.config_values v"
                        + " JOIN ndbinfo.config_params p ON p.param_number = v.config_param"
                        + " WHERE " + condition + " GROUP BY p.param_name")) {
            while (row.next()) {
                parameters.put(row.getString(1), row.getString(2));
            }
        }
        return parameters;
    }

    /**
     * The error for an SQL node whose tables in {@code ndbinfo} cannot be read.
     *
     * @param server names the server in the message
     */
    public static ServerException unreadable(Connection connection, String server, SQLException e) {
        String remedy = e.getErrorCode() == SELECT_DENIED
                ? "GRANT SELECT ON ndbinfo.* TO " + account(connection)
                : "check that ndbinfo_offline is OFF and that the data nodes have started";
        return new ServerException(
                server + " is an SQL node of an NDB Cluster, but its tables in ndbinfo cannot be read ("
                        + e.getMessage() + "): " + remedy + ".",
                e);
    }

    /** The account as a GRANT names it. */
    private static String account(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_USER()")) {
            row.next();
            String account = row.getString(1);
            int at = account.lastIndexOf('@');
            return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
        } catch (SQLException e) {
            return "the account";
        }
    }

    /** Whether the server is not an SQL node: it has no NDB engine, or does not use it. */
    public static boolean isNotUsed(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet engines = statement.executeQuery("SHOW ENGINES")) {
            while (engines.next()) {
                if (engines.getString(1).equalsIgnoreCase("ndbcluster")) {
                    return !engines.getString(2).matches("YES|DEFAULT");
                }
            }
        }
        return true;
    }
}
