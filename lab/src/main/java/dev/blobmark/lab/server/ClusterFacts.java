package dev.blobmark.lab.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** What an SQL node knows of the NDB Cluster that it belongs to. */
final class ClusterFacts {

    /** Those that figures depend on; the cluster tells several hundred. */
    private static final String PARAMETERS = "'NoOfReplicas', 'DataMemory', 'MaxNoOfExecutionThreads', 'ThreadConfig',"
            + " 'AutomaticThreadConfig', 'NumCPUs', 'NoOfFragmentLogParts', 'NoOfFragmentLogFiles', 'FragmentLogFileSize',"
            + " 'RedoBuffer', 'SharedGlobalMemory', 'TransactionMemory', 'TotalSendBufferMemory', 'ODirect', 'Diskless',"
            + " 'EncryptedFileSystem', 'CompressedLCP'";

    private ClusterFacts() {}

    /** None where the engine is not in use. */
    static SortedMap<String, String> read(Connection connection) throws SQLException {
        SortedMap<String, String> facts = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            if (!isUsed(statement)) {
                return Collections.emptySortedMap();
            }
            try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM ndbinfo.nodes")) {
                row.next();
                facts.put("data_nodes", row.getString(1));
            }
            // the values of all data nodes, one after another where they differ
            try (ResultSet row = statement.executeQuery("SELECT p.param_name, GROUP_CONCAT(DISTINCT v.config_value"
                    + " ORDER BY v.config_value SEPARATOR ', ') FROM ndbinfo.config_values v"
                    + " JOIN ndbinfo.config_params p ON p.param_number = v.config_param"
                    + " WHERE p.param_name IN (" + PARAMETERS + ") GROUP BY p.param_name")) {
                while (row.next()) {
                    facts.put(row.getString(1), row.getString(2));
                }
            }
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
            throw new ServerException(
                    "the server is an SQL node of an NDB Cluster, but does not tell of it (" + e.getMessage()
                            + "): GRANT SELECT ON ndbinfo.* to the account, and see that ndbinfo is not OFF and the data"
                            + " nodes are started",
                    e);
        }
        return facts;
    }

    private static boolean isUsed(Statement statement) throws SQLException {
        try (ResultSet engines = statement.executeQuery("SHOW ENGINES")) {
            while (engines.next()) {
                if (engines.getString(1).equalsIgnoreCase("ndbcluster")) {
                    return engines.getString(2).matches("YES|DEFAULT");
                }
            }
        }
        return false;
    }
}
