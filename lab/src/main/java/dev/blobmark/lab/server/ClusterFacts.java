package dev.blobmark.lab.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** What an SQL node knows of the NDB Cluster that it belongs to. */
public final class ClusterFacts {

    /** Those that figures depend on; the cluster tells several hundred. */
    private static final String PARAMETERS = "'NoOfReplicas', 'DataMemory', 'MaxNoOfExecutionThreads', 'ThreadConfig',"
            + " 'AutomaticThreadConfig', 'NumCPUs', 'NoOfFragmentLogParts', 'NoOfFragmentLogFiles', 'FragmentLogFileSize',"
            + " 'RedoBuffer', 'SharedGlobalMemory', 'TransactionMemory', 'TotalSendBufferMemory', 'ODirect', 'Diskless',"
            + " 'EncryptedFileSystem', 'CompressedLCP'";

    /** ER_TABLEACCESS_DENIED_ERROR. */
    private static final int SELECT_DENIED = 1142;

    private ClusterFacts() {}

    /** None where the engine is not in use. */
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
            throw silent(connection, "the server", e);
        }
        return facts;
    }

    /**
     * Of an SQL node that was asked in vain.
     *
     * @param which server it is, in words
     */
    public static ServerException silent(Connection connection, String which, SQLException e) {
        String mend = e.getErrorCode() == SELECT_DENIED
                ? "GRANT SELECT ON ndbinfo.* TO " + account(connection)
                : "see that ndbinfo_offline is OFF and the data nodes are started";
        return new ServerException(
                which + " is an SQL node of an NDB Cluster, but does not tell of it (" + e.getMessage() + "): " + mend
                        + ".",
                e);
    }

    /** As a GRANT names it. */
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

    /** Whether the server is of no cluster. */
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
