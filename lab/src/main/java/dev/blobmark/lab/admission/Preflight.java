package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.TrialConnections;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.MySqlTable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** What is looked at before a run writes anything. */
final class Preflight {

    private static final long MIB = 1L << 20;

    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB", "TB");

    /** Variables of which any other value than OFF or 0 keeps the server from being written. */
    private static final List<String> READ_ONLY =
            List.of("read_only", "super_read_only", "innodb_read_only", "transaction_read_only", "tx_read_only");

    private final Connection connection;
    private final Privileges privileges;
    private final BinaryLog binaryLog;
    private final Replication replication;
    private final Server server;
    private final Map<String, String> variables;
    private final Terms terms;
    private final LoadVolume cargo;
    private final Consumer<String> notes;
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> connections = new ArrayList<>();

    /** The SQL nodes, of those that the run enters a cluster by, in whose binary log NDB's rows are, whoever wrote them. */
    private final List<String> ndbLogs = new ArrayList<>();

    /** Whether the account has PROCESS. */
    private boolean seesAll;

    /** @param variables the server's global ones, by name */
    Preflight(
            Connection connection,
            Server server,
            Map<String, String> variables,
            Terms terms,
            LoadVolume cargo,
            Consumer<String> notes) {
        this.connection = connection;
        privileges = new Privileges(connection);
        binaryLog = new BinaryLog(connection);
        replication = new Replication(connection);
        this.server = server;
        this.variables = variables;
        this.terms = terms;
        this.cargo = cargo;
        this.notes = notes;
    }

    /**
     * What the run is going to have.
     *
     * @param diskBytes whether tables can be flushed, without which their bytes on disk are not known
     * @param spareBinlog whether loading has to turn the binary log off for its session
     */
    record Clearance(boolean diskBytes, boolean spareBinlog) {}

    /** Adds what was found elsewhere to what is reported by {@link #check}. */
    void object(String problem) {
        problems.add(problem);
    }

    /** How many connections are in use on each server, and may be; known after {@link #check}. */
    List<String> connections() {
        return List.copyOf(connections);
    }

    /**
     * Looks at everything, and tells all that is wrong at once.
     *
     * @throws AdmissionException if the run cannot be let in
     */
    Clearance check() throws SQLException {
        checkBytes();
        checkReadOnly();
        checkPacket();
        boolean diskBytes = true;
        boolean spareBinlog = false;
        if (!server.isOwn()) {
            diskBytes = checkPrivileges();
            checkDisk();
            checkConnections(connection, cargo.connections(0) + TrialConnections.OF_RUN, "")
                    .ifPresent(problems::add);
            for (int node = 0; node < server.others().size(); node++) {
                checkSqlNode(server.others().get(node), cargo.connections(node + 1));
            }
            spareBinlog = checkReplication();
        }
        if (!problems.isEmpty()) {
            throw AdmissionException.refused("the server " + server.endpoint(), problems);
        }
        remarks.forEach(notes);
        return new Clearance(diskBytes, spareBinlog);
    }

    private String variable(String name) {
        return variables.getOrDefault(name, "");
    }

    private boolean isOn(String name) {
        return !Set.of("", "OFF", "0").contains(variable(name).toUpperCase(Locale.ROOT));
    }

    private void checkBytes() {
        long most = terms.maxBytes().orElse(server.isOwn() ? Long.MAX_VALUE : Terms.USUAL_MAX_BYTES);
        if (cargo.applicationBytes() > most) {
            problems.add("the run would load " + bytes(cargo.applicationBytes()) + " of values ("
                    + bytes(cargo.largestApplicationBytes()) + " at a time), more than --max-bytes allows ("
                    + bytes(most) + (terms.maxBytes().isEmpty() ? ", its default" : "")
                    + "): raise it, or take fewer methods or smaller values with --methods and --set");
        }
    }

    private void checkReadOnly() {
        List<String> set = READ_ONLY.stream()
                .filter(this::isOn)
                .map(name -> name + "=" + variable(name))
                .toList();
        if (!set.isEmpty()) {
            problems.add("it is read-only (" + String.join(", ", set)
                    + "): name a server that may be written, such as the source of this replica");
        }
    }

    private void checkPacket() {
        long most = Long.parseLong(variables.get("max_allowed_packet"));
        long lacking = cargo.longestValueBytes() - MySqlTable.longestIn(most);
        if (lacking > 0) {
            long mend = (most + lacking + MIB - 1) / MIB * MIB;
            problems.add("max_allowed_packet is " + bytes(most) + ", and the longest value takes "
                    + bytes(cargo.longestValueBytes()) + ": SET GLOBAL max_allowed_packet = " + mend
                    + ", or leave out the longest values with --set size=…");
        }
    }

    /** @return whether the bytes of a table on disk can be known */
    private boolean checkPrivileges() throws SQLException {
        String schema = terms.schema();
        String table = Privileges.nobodys(schema);
        checkAccess(List.of("CREATE", "DELETE", "DROP", "INSERT", "SELECT", "UPDATE"));
        String tablespaces = privileges.isMariaDb() ? "innodb_sys_tablespaces" : "innodb_tablespaces";
        seesAll = !privileges.isDenied(
                "SELECT 1 FROM information_schema." + tablespaces + " WHERE name = '" + schema + "/none'");
        if (!seesAll) {
            problems.add("the account may not see InnoDB's tables, by which each layout is verified: "
                    + privileges.grant("PROCESS"));
        }
        List<String> toFlush = new ArrayList<>();
        if (privileges.isDenied("FLUSH TABLES " + table + " FOR EXPORT")) {
            toFlush.add(privileges.grant("RELOAD"));
        }
        if (privileges.isDenied("LOCK TABLES " + table + " READ")) {
            toFlush.add(privileges.grant("LOCK TABLES", schema));
        }
        Sql.execute(connection, "UNLOCK TABLES");
        if (!toFlush.isEmpty()) {
            remarks.add("disk bytes will not be known, since the account may not flush tables: "
                    + String.join("; ", toFlush));
        }
        List<String> toSee = privileges.missingToSee(schema);
        if (!toSee.isEmpty()) {
            remarks.add("the schema " + schema + " will stay at the end, empty, since the account may not see whether"
                    + " routines or events lie in it: " + privileges.grant(String.join(", ", toSee), schema));
        }
        return toFlush.isEmpty();
    }

    private void checkAccess(List<String> wanted) throws SQLException {
        String table = Privileges.nobodys(terms.schema());
        Map<String, String> tries = Map.of(
                "SELECT", "SELECT 1 FROM " + table,
                "INSERT", "INSERT INTO " + table + " VALUES (1)",
                "UPDATE", "UPDATE " + table + " SET a = 1",
                "DELETE", "DELETE FROM " + table,
                "CREATE", "CREATE TABLE " + table + " (a INT, a INT)",
                "DROP", "DROP TABLE " + table);
        List<String> missing = new ArrayList<>();
        for (String privilege : wanted) {
            if (privileges.isDenied(tries.get(privilege))) {
                missing.add(privilege);
            }
        }
        if (!missing.isEmpty()) {
            String them = String.join(", ", missing);
            problems.add("the account may not " + them + " in the schema " + terms.schema() + ": "
                    + privileges.grant(them, terms.schema()));
        }
    }

    /** Workers enter by it too, and its accounts, variables and marks are its own. */
    private void checkSqlNode(Endpoint node, int connections) throws SQLException {
        try (Connection session = Driver.connectForLoading(node, "")) {
            Preflight its =
                    new Preflight(session, server, ServerIdentity.read(session).variables(), terms, cargo, notes);
            its.checkReadOnly();
            its.checkPacket();
            its.checkAccess(List.of("DELETE", "INSERT", "SELECT", "UPDATE"));
            checkConnections(session, connections, "SQL node " + node.authority() + ": ")
                    .ifPresent(its.problems::add);
            Marker.read(session, terms.schema())
                    .ifPresent(mark -> its.problems.add("the schema " + terms.schema() + " is that of run " + mark.run()
                            + ", which entered by this SQL node: wait for its end, or have 'blobmark cleanup' with the"
                            + " address of this one remove what it left"));
            its.problems.forEach(problem -> problems.add("its SQL node " + node.authority() + ": " + problem));
            if (its.isLoggingNdb()) {
                ndbLogs.add(node.authority());
            }
        }
    }

    private boolean isLoggingNdb() {
        return isOn("log_bin") && isOn("ndb_log_bin");
    }

    /** What is wrong with so many on the server of a session, if anything is. */
    private Optional<String> checkConnections(Connection session, int needed, String whose) throws SQLException {
        ConnectionBudget budget = ConnectionBudget.read(session);
        connections.add(whose + budget.text(needed));
        return budget.problem(needed);
    }

    private boolean isSqlNode() throws SQLException {
        if (!variables.containsKey("ndb_version")) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_data_nodes'")) {
            return row.next() && row.getInt(2) > 0;
        }
    }

    /** Room is known where the server is of this host, and its directory can be seen; a container has another host's name. */
    private void checkDisk() {
        try {
            Path directory = Path.of(variable("datadir"));
            if (!InetAddress.getByName(server.endpoint().host()).isLoopbackAddress()
                    || !variable("hostname").equals(InetAddress.getLocalHost().getHostName())
                    || !Files.isDirectory(directory)) {
                return;
            }
            FileStore store = Files.getFileStore(directory);
            long room = store.getUsableSpace();
            // ramfs and others tell no size, and so no room either
            if (cargo.largestDiskBytes() > room && store.getTotalSpace() > 0) {
                problems.add("its data directory " + directory + " has " + bytes(room)
                        + " left, and the tables take about " + bytes(cargo.largestDiskBytes())
                        + ": make room, or load less with --methods and --set");
            }
        } catch (IOException | RuntimeException e) {
            // not to be seen from here: loading will tell
        }
    }

    /** @return whether the binary log is to be turned off for the loading session */
    private boolean checkReplication() throws SQLException {
        Optional<Marker> mark = Marker.read(connection, terms.schema());
        if (mark.isPresent() && !mark.get().isOfThisServer(connection)) {
            problems.add(mark.get().foreign(connection));
        }
        switch (replication.replica()) {
            case NO -> {}
            case YES ->
                remarks.add(
                        "this server is a replica: its figures are those of a server that also applies its source's changes");
            case UNKNOWN ->
                remarks.add("the account may not see whether this server is a replica, which also applies its"
                        + " source's changes: " + replication.grantToKnow());
        }
        Optional<String> cluster = isOn("wsrep_on")
                ? Optional.of("a Galera cluster")
                : variable("group_replication_group_name").isEmpty()
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
            return checkClusterLogs();
        }
        if (!isOn("log_bin")) {
            return false;
        }
        if (cargo.isWrittenTo()) {
            // the log has all or nothing: changes of tables that a replica does not have would stop it
            allowReplicated(
                    "writes a binary log: loading writes " + about()
                            + " to it, and trials that write go on, which go to " + replicas(),
                    Optional.empty());
            return false;
        }
        if (binaryLog.maySet()) {
            remarks.add("loading writes " + about() + " to the server, and nothing to its binary log");
            return true;
        }
        allowReplicated(
                "writes a binary log: loading writes " + about() + " to it, which go to " + replicas(),
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
    private boolean checkClusterLogs() throws SQLException {
        if (isLoggingNdb()) {
            ndbLogs.add(0, server.endpoint().authority());
        }
        boolean logs = isOn("log_bin") || !ndbLogs.isEmpty();
        String where = ndbLogs.isEmpty()
                ? "writes a binary log"
                : "is an SQL node of a cluster whose rows are in the binary log of " + String.join(" and ", ndbLogs)
                        + ", whichever SQL node they are written by (ndb_log_bin=ON)";
        if (cargo.isWrittenTo()) {
            if (logs) {
                allowReplicated(
                        where + ": loading writes " + about() + " to it, and trials that write go on, which go to "
                                + replicas(),
                        Optional.empty());
            } else {
                remarks.add("other SQL nodes of the cluster, which Blobmark does not see, have what is written in their"
                        + " binary logs where their ndb_log_bin is ON");
            }
            return false;
        }
        if (binaryLog.maySet()) {
            if (logs) {
                remarks.add("loading writes " + about() + " to the server, and nothing to its binary log");
            }
            return true;
        }
        if (logs) {
            allowReplicated(
                    where + ": loading writes " + about() + " to it, which go to " + replicas(),
                    Optional.of(grantToSpare()));
        } else {
            remarks.add(
                    "other SQL nodes of the cluster, which Blobmark does not see, have what is loaded in their binary"
                            + " logs where their ndb_log_bin is ON: " + grantToSpare());
        }
        return false;
    }

    private void checkTransaction(String limit) {
        long most = Long.parseLong(variables.getOrDefault(limit, "0"));
        if (most > 0 && cargo.longestValueBytes() > most) {
            problems.add(limit + " is " + bytes(most) + ", and the longest value takes "
                    + bytes(cargo.longestValueBytes()) + ": leave out the longest values with --set size=…");
        }
    }

    private void allowReplicated(String what, Optional<String> grant) throws SQLException {
        if (terms.allowReplicatedWrites() || cargo.isWrittenTo()) {
            replication.refusal().ifPresent(problems::add);
        }
        if (terms.allowReplicatedWrites()) {
            remarks.add("the server " + what);
        } else {
            problems.add("it " + what + ": " + grant.map(one -> one + "; or ").orElse("")
                    + "run with --allow-replicated-writes");
        }
    }

    private String about() {
        return "about " + bytes(cargo.storedBytes());
    }

    /** Each replica has a connection that reads the log. */
    private String replicas() throws SQLException {
        if (!seesAll) {
            return "replicas, which this account may not see";
        }
        String count = privileges
                .single("SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")
                .orElseThrow();
        return count + (count.equals("1") ? " replica now" : " replicas now");
    }

    private static String bytes(long bytes) {
        int unit = 0;
        long amount = bytes;
        for (; amount >= 10 << 10 && unit < UNITS.size() - 1; unit++) {
            amount >>= 10;
        }
        return amount + " " + UNITS.get(unit);
    }
}
