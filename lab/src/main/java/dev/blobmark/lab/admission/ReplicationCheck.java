package dev.blobmark.lab.admission;

import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks to where the writes of a run would be replicated: a binary log, replicas, members of a cluster. */
final class ReplicationCheck {

    private final Connection connection;
    private final Endpoint endpoint;
    private final GlobalVariables variables;
    private final RunLimits limits;
    private final LoadVolume volume;
    private final ReplicationFindings findings;
    private final BinaryLog binaryLog;
    private final Replication replication;

    /**
     * Findings, to which the check adds.
     *
     * @param problems reasons not to admit the run
     * @param remarks facts for the user
     */
    record ReplicationFindings(List<String> problems, List<String> remarks) {}

    ReplicationCheck(
            Connection connection,
            Endpoint endpoint,
            GlobalVariables variables,
            RunLimits limits,
            LoadVolume volume,
            ReplicationFindings findings) {
        this.connection = connection;
        this.endpoint = endpoint;
        this.variables = variables;
        this.limits = limits;
        this.volume = volume;
        this.findings = findings;
        binaryLog = new BinaryLog(connection);
        replication = new Replication(connection);
    }

    /**
     * Checks the server.
     *
     * @param hasProcessPrivilege whether the account has PROCESS
     * @param ndbLogs other SQL nodes used by the run whose binary logs contain the rows of NDB
     * @return whether the loading session must turn the binary log off
     */
    boolean mustSkipLog(boolean hasProcessPrivilege, List<String> ndbLogs) throws SQLException {
        Optional<Marker> marker = Marker.read(connection, limits.schema());
        if (marker.isPresent() && !marker.get().isOfThisServer(connection)) {
            findings.problems().add(marker.get().foreign(connection));
        }
        switch (replication.replica()) {
            case NO -> {}
            case YES ->
                findings.remarks()
                        .add("this server is a replica, which also applies its source's changes while it is measured");
            case UNKNOWN ->
                findings.remarks()
                        .add("the account may not see whether this server is a replica, which also applies its"
                                + " source's changes: " + replication.grantToKnow());
        }
        Optional<String> cluster = variables.isOn("wsrep_on")
                ? Optional.of("a Galera cluster")
                : variables.get("group_replication_group_name").isEmpty()
                        ? Optional.empty()
                        : Optional.of("group replication");
        if (cluster.isPresent()) {
            checkTransaction("group_replication_transaction_size_limit");
            checkTransaction("wsrep_max_ws_size");
            allowReplicated(
                    "is a member of " + cluster.get() + ": loading writes " + estimatedVolume() + " to every member",
                    Optional.empty());
            return false;
        }
        if (isSqlNode()) {
            return checkClusterLogs(hasProcessPrivilege, ndbLogs);
        }
        if (!variables.isOn("log_bin")) {
            return false;
        }
        if (volume.isWrittenTo()) {
            // loading must be in the log too: changes of tables that a replica does not have would stop it
            allowReplicated(
                    "writes a binary log: loading writes " + estimatedVolume()
                            + " to it, trials that write add more, and it goes to "
                            + replicas(hasProcessPrivilege),
                    Optional.empty());
            return false;
        }
        if (binaryLog.maySet()) {
            findings.remarks()
                    .add("loading writes " + estimatedVolume() + " to the server, and nothing to its binary log");
            return true;
        }
        allowReplicated(
                "writes a binary log: loading writes " + estimatedVolume() + " to it, which goes to "
                        + replicas(hasProcessPrivilege),
                Optional.of(grantToSkipLog()));
        return false;
    }

    private String grantToSkipLog() throws SQLException {
        return binaryLog.grantToSet() + ", with which loading skips the log";
    }

    /**
     * An SQL node whose log_bin and ndb_log_bin are ON logs the changes of NDB rows by all SQL nodes. Nodes that the
     * run does not use are unknown. No node logs the changes of a session with sql_log_bin = 0, neither rows of NDB nor
     * DDL. Seen with MySQL Cluster 9.7.4.
     */
    private boolean checkClusterLogs(boolean hasProcessPrivilege, List<String> others) throws SQLException {
        List<String> ndbLogs = new ArrayList<>(others);
        if (variables.isLoggingNdb()) {
            ndbLogs.add(0, endpoint.authority());
        }
        boolean logs = variables.isOn("log_bin") || !ndbLogs.isEmpty();
        String where = ndbLogs.isEmpty()
                ? "writes a binary log"
                : "is an SQL node of a cluster whose rows are in the binary log of " + String.join(" and ", ndbLogs)
                        + ", whichever SQL node they are written by (ndb_log_bin=ON)";
        if (volume.isWrittenTo()) {
            if (logs) {
                allowReplicated(
                        where + ": loading writes " + estimatedVolume()
                                + " to it, trials that write add more, and it goes to "
                                + replicas(hasProcessPrivilege),
                        Optional.empty());
            } else {
                findings.remarks()
                        .add("other SQL nodes of the cluster, which Blobmark does not see, write the changes to their"
                                + " binary logs if their ndb_log_bin is ON");
            }
            return false;
        }
        if (binaryLog.maySet()) {
            if (logs) {
                findings.remarks()
                        .add("loading writes " + estimatedVolume() + " to the server, and nothing to its binary log");
            }
            return true;
        }
        if (logs) {
            allowReplicated(
                    where + ": loading writes " + estimatedVolume() + " to it, which goes to "
                            + replicas(hasProcessPrivilege),
                    Optional.of(grantToSkipLog()));
        } else {
            findings.remarks()
                    .add("other SQL nodes of the cluster, which Blobmark does not see, write what is loaded to their"
                            + " binary logs if their ndb_log_bin is ON: " + grantToSkipLog());
        }
        return false;
    }

    private void checkTransaction(String limit) {
        long max = variables.has(limit) ? Long.parseLong(variables.get(limit)) : 0;
        if (max > 0 && volume.longestValueBytes() > max) {
            findings.problems()
                    .add(limit + " is " + ServerPreflight.bytes(max) + ", and the longest value needs "
                            + ServerPreflight.bytes(volume.longestValueBytes())
                            + ": leave out the longest values with --set size=…");
        }
    }

    private void allowReplicated(String what, Optional<String> grant) throws SQLException {
        if (limits.allowReplicatedWrites() || volume.isWrittenTo()) {
            replication.refusal().ifPresent(findings.problems()::add);
        }
        if (limits.allowReplicatedWrites()) {
            findings.remarks().add("the server " + what);
        } else {
            findings.problems()
                    .add("it " + what + ": "
                            + grant.map(privilege -> privilege + "; or ").orElse("")
                            + "run with --allow-replicated-writes");
        }
    }

    private String estimatedVolume() {
        return "about " + ServerPreflight.bytes(volume.storedBytes());
    }

    /** The number of replicas, counted by their connections that read the log. */
    private String replicas(boolean hasProcessPrivilege) throws SQLException {
        if (!hasProcessPrivilege) {
            return "replicas, which this account may not see";
        }
        long count = Session.list(connection).stream().filter(Session::readsLog).count();
        return count + (count == 1 ? " replica now" : " replicas now");
    }

    private boolean isSqlNode() throws SQLException {
        if (!variables.has("ndb_version")) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_data_nodes'")) {
            return row.next() && row.getInt(2) > 0;
        }
    }
}
