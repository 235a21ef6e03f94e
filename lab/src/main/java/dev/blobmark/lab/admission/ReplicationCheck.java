package dev.blobmark.lab.admission;

import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where else what a run writes would go: to a binary log, to replicas, to the members of a cluster. */
final class ReplicationCheck {

    private final Connection connection;
    private final Endpoint endpoint;
    private final GlobalVariables variables;
    private final RunLimits terms;
    private final LoadVolume cargo;
    private final Findings findings;
    private final BinaryLog binaryLog;
    private final Replication replication;

    /**
     * What was found so far; the check adds to both.
     *
     * @param problems that keep the run from being let in
     * @param remarks that the user should know of
     */
    record Findings(List<String> problems, List<String> remarks) {}

    ReplicationCheck(
            Connection connection,
            Endpoint endpoint,
            GlobalVariables variables,
            RunLimits terms,
            LoadVolume cargo,
            Findings findings) {
        this.connection = connection;
        this.endpoint = endpoint;
        this.variables = variables;
        this.terms = terms;
        this.cargo = cargo;
        this.findings = findings;
        binaryLog = new BinaryLog(connection);
        replication = new Replication(connection);
    }

    /**
     * Checks the server.
     *
     * @param seesAll whether the account has PROCESS
     * @param ndbLogs the other SQL nodes that the run connects to whose binary logs have the rows of NDB
     * @return whether the binary log is to be turned off for the loading session
     */
    boolean sparesLog(boolean seesAll, List<String> ndbLogs) throws SQLException {
        Optional<Marker> mark = Marker.read(connection, terms.schema());
        if (mark.isPresent() && !mark.get().isOfThisServer(connection)) {
            findings.problems().add(mark.get().foreign(connection));
        }
        switch (replication.replica()) {
            case NO -> {}
            case YES ->
                findings.remarks()
                        .add(
                                "this server is a replica: its figures are those of a server that also applies its source's changes");
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
                    "is a member of " + cluster.get() + ": loading writes " + about() + " to every member",
                    Optional.empty());
            return false;
        }
        if (isSqlNode()) {
            return checkClusterLogs(seesAll, ndbLogs);
        }
        if (!variables.isOn("log_bin")) {
            return false;
        }
        if (cargo.isWrittenTo()) {
            // the log has all or nothing: changes of tables that a replica does not have would stop it
            allowReplicated(
                    "writes a binary log: loading writes " + about()
                            + " to it, and trials that write go on, which go to " + replicas(seesAll),
                    Optional.empty());
            return false;
        }
        if (binaryLog.maySet()) {
            findings.remarks().add("loading writes " + about() + " to the server, and nothing to its binary log");
            return true;
        }
        allowReplicated(
                "writes a binary log: loading writes " + about() + " to it, which go to " + replicas(seesAll),
                Optional.of(grantToSpare()));
        return false;
    }

    private String grantToSpare() throws SQLException {
        return binaryLog.grantToSet() + ", by which loading passes the log by";
    }

    /**
     * An SQL node logs what any of them writes to NDB, if its own log_bin and ndb_log_bin are ON: those that the run does not
     * enter by are not known. What a session with sql_log_bin = 0 does, rows of NDB and DDL alike, is in the log of none. Seen so
     * with MySQL Cluster 9.7.4.
     */
    private boolean checkClusterLogs(boolean seesAll, List<String> others) throws SQLException {
        List<String> ndbLogs = new ArrayList<>(others);
        if (variables.isLoggingNdb()) {
            ndbLogs.add(0, endpoint.authority());
        }
        boolean logs = variables.isOn("log_bin") || !ndbLogs.isEmpty();
        String where = ndbLogs.isEmpty()
                ? "writes a binary log"
                : "is an SQL node of a cluster whose rows are in the binary log of " + String.join(" and ", ndbLogs)
                        + ", whichever SQL node they are written by (ndb_log_bin=ON)";
        if (cargo.isWrittenTo()) {
            if (logs) {
                allowReplicated(
                        where + ": loading writes " + about() + " to it, and trials that write go on, which go to "
                                + replicas(seesAll),
                        Optional.empty());
            } else {
                findings.remarks()
                        .add(
                                "other SQL nodes of the cluster, which Blobmark does not see, have what is written in their"
                                        + " binary logs where their ndb_log_bin is ON");
            }
            return false;
        }
        if (binaryLog.maySet()) {
            if (logs) {
                findings.remarks().add("loading writes " + about() + " to the server, and nothing to its binary log");
            }
            return true;
        }
        if (logs) {
            allowReplicated(
                    where + ": loading writes " + about() + " to it, which go to " + replicas(seesAll),
                    Optional.of(grantToSpare()));
        } else {
            findings.remarks()
                    .add(
                            "other SQL nodes of the cluster, which Blobmark does not see, have what is loaded in their binary"
                                    + " logs where their ndb_log_bin is ON: " + grantToSpare());
        }
        return false;
    }

    private void checkTransaction(String limit) {
        long most = variables.has(limit) ? Long.parseLong(variables.get(limit)) : 0;
        if (most > 0 && cargo.longestValueBytes() > most) {
            findings.problems()
                    .add(limit + " is " + Preflight.bytes(most) + ", and the longest value takes "
                            + Preflight.bytes(cargo.longestValueBytes())
                            + ": leave out the longest values with --set size=…");
        }
    }

    private void allowReplicated(String what, Optional<String> grant) throws SQLException {
        if (terms.allowReplicatedWrites() || cargo.isWrittenTo()) {
            replication.refusal().ifPresent(findings.problems()::add);
        }
        if (terms.allowReplicatedWrites()) {
            findings.remarks().add("the server " + what);
        } else {
            findings.problems()
                    .add("it " + what + ": "
                            + grant.map(privilege -> privilege + "; or ").orElse("")
                            + "run with --allow-replicated-writes");
        }
    }

    private String about() {
        return "about " + Preflight.bytes(cargo.storedBytes());
    }

    /** Each replica has a connection that reads the log. */
    private String replicas(boolean seesAll) throws SQLException {
        if (!seesAll) {
            return "replicas, which this account may not see";
        }
        String count = new Privileges(connection)
                .single("SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")
                .orElseThrow();
        return count + (count.equals("1") ? " replica now" : " replicas now");
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
