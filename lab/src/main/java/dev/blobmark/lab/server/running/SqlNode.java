package dev.blobmark.lab.server.running;

import dev.blobmark.lab.server.ClusterFacts;
import dev.blobmark.lab.server.ServerException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What an SQL node knows of its place in an NDB Cluster. Two of one cluster see the same data nodes and each other, as the data
 * nodes tell it; so that nothing has to be written to find out. Seen so with MySQL Cluster 9.7.4.
 *
 * @param at where it listens, for messages
 * @param id of the node
 * @param self its own process
 * @param dataNodes those that run
 * @param others of the cluster: SQL nodes and other programs
 */
record SqlNode(String at, String id, Optional<Entry> self, Set<Entry> dataNodes, Set<Entry> others) {

    /** Numbers of nodes and processes are the same in many clusters, in containers above all; with their places they are not. */
    record Entry(String node, String process, String place) {}

    /** @throws ServerException if it is of no cluster, or does not tell of it */
    static SqlNode read(Connection connection, String at) throws SQLException {
        if (ClusterFacts.isNotUsed(connection)) {
            throw new ServerException(at + " is no SQL node of an NDB Cluster, and several hosts can be measured as one"
                    + " server only where all are SQL nodes of the same cluster: name that one host alone, or leave it"
                    + " out.");
        }
        Set<Entry> dataNodes = new HashSet<>();
        Set<Entry> others = new HashSet<>();
        try (Statement statement = connection.createStatement()) {
            String id;
            try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_cluster_node_id'")) {
                id = row.next() ? row.getString(2) : "0";
            }
            try (ResultSet rows = statement.executeQuery("SELECT node_type, node_id, process_id, service_URI"
                    + " FROM ndbinfo.processes WHERE node_type IN ('NDB', 'API')")) {
                while (rows.next()) {
                    (rows.getString(1).equals("NDB") ? dataNodes : others)
                            .add(new Entry(rows.getString(2), rows.getString(3), String.valueOf(rows.getString(4))));
                }
            }
            if (dataNodes.isEmpty()) {
                throw new ServerException(at + " is an SQL node whose cluster has no data node that runs: start them.");
            }
            return new SqlNode(
                    at,
                    id,
                    others.stream().filter(entry -> entry.node().equals(id)).findFirst(),
                    dataNodes,
                    others);
        } catch (SQLException e) {
            throw ClusterFacts.silent(connection, at, e);
        }
    }

    /** @throws ServerException naming the first that is not of the cluster of those before it, or was among them */
    static void requireOneCluster(List<SqlNode> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            SqlNode node = nodes.get(i);
            for (SqlNode before : nodes.subList(0, i)) {
                if (!node.isOfOneClusterWith(before)) {
                    throw new ServerException(node.at + " is an SQL node of another cluster than " + before.at
                            + ": name SQL nodes of one cluster only. If it is the same one, a node of it is just starting"
                            + " or ending: wait, and begin again.");
                }
                if (node.id.equals(before.id)) {
                    throw new ServerException(node.at + " and " + before.at + " lead to the same SQL node, number "
                            + node.id + ": name each once, and no proxy or balancer in front of them.");
                }
            }
        }
    }

    private boolean isOfOneClusterWith(SqlNode other) {
        return dataNodes.equals(other.dataNodes)
                && self.filter(other.others::contains).isPresent()
                && other.self.filter(others::contains).isPresent();
    }
}
