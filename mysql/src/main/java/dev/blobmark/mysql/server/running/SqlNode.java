package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.ClusterFacts;
import dev.blobmark.mysql.server.ServerException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An SQL node's view of its NDB Cluster. Two SQL nodes belong to one cluster if they see the same data nodes and each
 * other. The information comes from the data nodes, so nothing is written to find out. Seen with MySQL Cluster 9.7.4.
 *
 * @param at host and port, for messages
 * @param id number of the node
 * @param self its own process
 * @param dataNodes running data nodes
 * @param others SQL nodes and other programs of the cluster
 */
record SqlNode(String at, String id, Optional<NodeProcess> self, Set<NodeProcess> dataNodes, Set<NodeProcess> others) {

    /** A process. Clusters may have equal numbers of nodes and processes, above all in containers; places differ. */
    record NodeProcess(String node, String process, String place) {}

    /** @throws ServerException if the server is not an SQL node, or its tables in {@code ndbinfo} cannot be read */
    static SqlNode read(Connection connection, String at) throws SQLException {
        if (ClusterFacts.isNotUsed(connection)) {
            throw new ServerException(at + " is not an SQL node of an NDB Cluster. Several hosts can be measured as one"
                    + " server only if all are SQL nodes of the same cluster: name only that host, or remove it.");
        }
        Set<NodeProcess> dataNodes = new HashSet<>();
        Set<NodeProcess> others = new HashSet<>();
        try (Statement statement = connection.createStatement()) {
            String id;
            try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_cluster_node_id'")) {
                id = row.next() ? row.getString(2) : "0";
            }
            try (ResultSet rows = statement.executeQuery("SELECT node_type, node_id, process_id, service_URI"
                    + " FROM ndbinfo.processes WHERE node_type IN ('NDB', 'API')")) {
                while (rows.next()) {
                    (rows.getString(1).equals("NDB") ? dataNodes : others)
                            .add(new NodeProcess(
                                    rows.getString(2), rows.getString(3), String.valueOf(rows.getString(4))));
                }
            }
            if (dataNodes.isEmpty()) {
                throw new ServerException(at + " is an SQL node of a cluster without running data nodes: start them.");
            }
            return new SqlNode(
                    at,
                    id,
                    others.stream().filter(entry -> entry.node().equals(id)).findFirst(),
                    dataNodes,
                    others);
        } catch (SQLException e) {
            throw ClusterFacts.unreadable(connection, at, e);
        }
    }

    /** @throws ServerException if a node belongs to another cluster than those before it, or is one of them */
    static void requireOneCluster(List<SqlNode> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            SqlNode node = nodes.get(i);
            for (SqlNode before : nodes.subList(0, i)) {
                if (!node.isOfOneClusterWith(before)) {
                    throw new ServerException(node.at + " is an SQL node of another cluster than " + before.at
                            + ": name SQL nodes of one cluster only. If it is the same one, a node is starting or"
                            + " stopping: wait and try again.");
                }
                if (node.id.equals(before.id)) {
                    throw new ServerException(node.at + " and " + before.at + " lead to the same SQL node, number "
                            + node.id + ": name each node once, and not a proxy or load balancer in front of them.");
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
