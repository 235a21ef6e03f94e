package dev.blobmark.lab.admission;

import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.TrialConnections;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Privileges;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The checks of a server before a run writes anything. */
final class ServerPreflight {

    private static final long MIB = 1L << 20;

    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB", "TB");

    /** Variables that make the server read-only with any value except OFF and 0. */
    private static final List<String> READ_ONLY =
            List.of("read_only", "super_read_only", "innodb_read_only", "transaction_read_only", "tx_read_only");

    private final Connection connection;
    private final Privileges privileges;
    private final Server server;
    private final GlobalVariables variables;
    private final RunLimits limits;
    private final LoadVolume volume;
    private final Consumer<String> notes;
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> connections = new ArrayList<>();

    /** SQL nodes used by the run whose binary logs contain the rows of NDB from all SQL nodes. */
    private final List<String> ndbLogs = new ArrayList<>();

    private boolean hasProcessPrivilege;

    /** @param variables global variables of the server, by name */
    ServerPreflight(
            Connection connection,
            Server server,
            Map<String, String> variables,
            RunLimits limits,
            LoadVolume volume,
            Consumer<String> notes) {
        this.connection = connection;
        privileges = new Privileges(connection);
        this.server = server;
        this.variables = new GlobalVariables(variables);
        this.limits = limits;
        this.volume = volume;
        this.notes = notes;
    }

    /**
     * What the checks allow.
     *
     * @param diskBytes whether tables can be flushed; otherwise their bytes on disk are unknown
     * @param skipBinlog whether loading must turn the binary log off for its session
     */
    record Admitted(boolean diskBytes, boolean skipBinlog) {}

    /** Adds a problem that {@link #check} will report. */
    void addProblem(String problem) {
        problems.add(problem);
    }

    /** Connections in use and allowed on each server, a line each; known after {@link #check}. */
    List<String> connections() {
        return List.copyOf(connections);
    }

    /**
     * Makes all checks.
     *
     * @throws AdmissionException with all problems, if there are any
     */
    Admitted check() throws SQLException {
        checkBytes();
        checkReadOnly();
        checkPacket();
        boolean diskBytes = true;
        boolean skipBinlog = false;
        if (!server.isOwn()) {
            diskBytes = checkPrivileges();
            checkDisk();
            checkConnections(connection, volume.connections(0) + TrialConnections.OF_RUN, "")
                    .ifPresent(problems::add);
            for (int node = 0; node < server.others().size(); node++) {
                checkSqlNode(server.others().get(node), volume.connections(node + 1));
            }
            skipBinlog = new ReplicationCheck(
                            connection,
                            server.endpoint(),
                            variables,
                            limits,
                            volume,
                            new ReplicationCheck.ReplicationFindings(problems, remarks))
                    .mustSkipLog(hasProcessPrivilege, ndbLogs);
        }
        if (!problems.isEmpty()) {
            throw AdmissionException.refused("the server " + server.endpoint(), problems);
        }
        remarks.forEach(notes);
        return new Admitted(diskBytes, skipBinlog);
    }

    private void checkBytes() {
        long max = limits.maxBytes().orElse(server.isOwn() ? Long.MAX_VALUE : RunLimits.USUAL_MAX_BYTES);
        if (volume.applicationBytes() > max) {
            problems.add("the run would load " + bytes(volume.applicationBytes()) + " of values ("
                    + bytes(volume.largestApplicationBytes()) + " at a time), more than --max-bytes allows ("
                    + bytes(max) + (limits.maxBytes().isEmpty() ? ", its default" : "")
                    + "): raise it, or use fewer methods or smaller values with --methods and --set");
        }
    }

    private void checkReadOnly() {
        List<String> set = READ_ONLY.stream()
                .filter(variables::isOn)
                .map(name -> name + "=" + variables.get(name))
                .toList();
        if (!set.isEmpty()) {
            problems.add("it is read-only (" + String.join(", ", set)
                    + "): name a writable server, such as the source of this replica");
        }
    }

    private void checkPacket() {
        long max = Long.parseLong(variables.get("max_allowed_packet"));
        long missing = volume.longestValueBytes() - MySqlTable.longestIn(max);
        if (missing > 0) {
            long needed = (max + missing + MIB - 1) / MIB * MIB;
            problems.add("max_allowed_packet is " + bytes(max) + ", and the longest value needs "
                    + bytes(volume.longestValueBytes()) + ": SET GLOBAL max_allowed_packet = " + needed
                    + ", or leave out the longest values with --set size=…");
        }
    }

    /** @return whether tables can be flushed */
    private boolean checkPrivileges() throws SQLException {
        String schema = limits.schema();
        String table = Privileges.nonexistent(schema);
        checkAccess(List.of("CREATE", "DELETE", "DROP", "INSERT", "SELECT", "UPDATE"));
        String tablespaces = privileges.isMariaDb() ? "innodb_sys_tablespaces" : "innodb_tablespaces";
        hasProcessPrivilege = !privileges.isDenied(
                "SELECT 1 FROM information_schema." + tablespaces + " WHERE name = '" + schema + "/none'");
        if (!hasProcessPrivilege) {
            problems.add("the account may not see InnoDB's tables, which are needed to verify layouts: "
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
            remarks.add("disk bytes will be unknown, because the account may not flush tables: "
                    + String.join("; ", toFlush));
        }
        List<String> toSee = privileges.missingToSee(schema);
        if (!toSee.isEmpty()) {
            remarks.add("the schema " + schema + " will remain, empty, because the account may not see whether it"
                    + " contains routines or events: " + privileges.grant(String.join(", ", toSee), schema));
        }
        return toFlush.isEmpty();
    }

    private void checkAccess(List<String> wanted) throws SQLException {
        String table = Privileges.nonexistent(limits.schema());
        Map<String, String> attempts = Map.of(
                "SELECT", "SELECT 1 FROM " + table,
                "INSERT", "INSERT INTO " + table + " VALUES (1)",
                "UPDATE", "UPDATE " + table + " SET a = 1",
                "DELETE", "DELETE FROM " + table,
                "CREATE", "CREATE TABLE " + table + " (a INT, a INT)",
                "DROP", "DROP TABLE " + table);
        List<String> missing = new ArrayList<>();
        for (String privilege : wanted) {
            if (privileges.isDenied(attempts.get(privilege))) {
                missing.add(privilege);
            }
        }
        if (!missing.isEmpty()) {
            String list = String.join(", ", missing);
            problems.add("the account may not " + list + " in the schema " + limits.schema() + ": "
                    + privileges.grant(list, limits.schema()));
        }
    }

    /** Checks another SQL node that workers use. Each one has its own accounts, variables and markers. */
    private void checkSqlNode(Endpoint node, int connections) throws SQLException {
        try (Connection session = JdbcDriver.connectForLoading(node, "")) {
            ServerPreflight ofNode = new ServerPreflight(
                    session, server, ServerIdentity.read(session).variables(), limits, volume, notes);
            ofNode.checkReadOnly();
            ofNode.checkPacket();
            ofNode.checkAccess(List.of("DELETE", "INSERT", "SELECT", "UPDATE"));
            checkConnections(session, connections, "SQL node " + node.authority() + ": ")
                    .ifPresent(ofNode.problems::add);
            Marker.read(session, limits.schema())
                    .ifPresent(marker ->
                            ofNode.problems.add("the schema " + limits.schema() + " belongs to run " + marker.run()
                                    + ", which used this SQL node: wait for its end, or remove it with 'blobmark cleanup'"
                                    + " and the address of this node"));
            ofNode.problems.forEach(problem -> problems.add("its SQL node " + node.authority() + ": " + problem));
            if (ofNode.variables.isLoggingNdb()) {
                ndbLogs.add(node.authority());
            }
        }
    }

    /** @param prefix of the line in {@link #connections} */
    private Optional<String> checkConnections(Connection session, int needed, String prefix) throws SQLException {
        ConnectionBudget budget = ConnectionBudget.read(session);
        connections.add(prefix + budget.text(needed));
        return budget.problem(needed);
    }

    /**
     * Checks the free space if the server runs on this host and its directory is visible. A container has another host
     * name.
     */
    private void checkDisk() {
        try {
            Path directory = Path.of(variables.get("datadir"));
            if (!InetAddress.getByName(server.endpoint().host()).isLoopbackAddress()
                    || !variables
                            .get("hostname")
                            .equals(InetAddress.getLocalHost().getHostName())
                    || !Files.isDirectory(directory)) {
                return;
            }
            FileStore store = Files.getFileStore(directory);
            long free = store.getUsableSpace();
            // ramfs and others report neither their size nor free space
            if (volume.largestDiskBytes() > free && store.getTotalSpace() > 0) {
                problems.add("its data directory " + directory + " has " + bytes(free)
                        + " left, and the tables need about " + bytes(volume.largestDiskBytes())
                        + ": free some space, or load less with --methods and --set");
            }
        } catch (IOException | RuntimeException e) {
            // the directory is not visible; if the disk is too small, loading fails
        }
    }

    static String bytes(long bytes) {
        int unit = 0;
        long amount = bytes;
        for (; amount >= 10 << 10 && unit < UNITS.size() - 1; unit++) {
            amount >>= 10;
        }
        return amount + " " + UNITS.get(unit);
    }
}
