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
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private final Server server;
    private final GlobalVariables variables;
    private final RunLimits terms;
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
            RunLimits terms,
            LoadVolume cargo,
            Consumer<String> notes) {
        this.connection = connection;
        privileges = new Privileges(connection);
        this.server = server;
        this.variables = new GlobalVariables(variables);
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
            spareBinlog = new ReplicationCheck(
                            connection,
                            server.endpoint(),
                            variables,
                            terms,
                            cargo,
                            new ReplicationCheck.Findings(problems, remarks))
                    .sparesLog(seesAll, ndbLogs);
        }
        if (!problems.isEmpty()) {
            throw AdmissionException.refused("the server " + server.endpoint(), problems);
        }
        remarks.forEach(notes);
        return new Clearance(diskBytes, spareBinlog);
    }

    private void checkBytes() {
        long most = terms.maxBytes().orElse(server.isOwn() ? Long.MAX_VALUE : RunLimits.USUAL_MAX_BYTES);
        if (cargo.applicationBytes() > most) {
            problems.add("the run would load " + bytes(cargo.applicationBytes()) + " of values ("
                    + bytes(cargo.largestApplicationBytes()) + " at a time), more than --max-bytes allows ("
                    + bytes(most) + (terms.maxBytes().isEmpty() ? ", its default" : "")
                    + "): raise it, or take fewer methods or smaller values with --methods and --set");
        }
    }

    private void checkReadOnly() {
        List<String> set = READ_ONLY.stream()
                .filter(variables::isOn)
                .map(name -> name + "=" + variables.get(name))
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
            long needed = (most + lacking + MIB - 1) / MIB * MIB;
            problems.add("max_allowed_packet is " + bytes(most) + ", and the longest value takes "
                    + bytes(cargo.longestValueBytes()) + ": SET GLOBAL max_allowed_packet = " + needed
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
            Preflight ofNode =
                    new Preflight(session, server, ServerIdentity.read(session).variables(), terms, cargo, notes);
            ofNode.checkReadOnly();
            ofNode.checkPacket();
            ofNode.checkAccess(List.of("DELETE", "INSERT", "SELECT", "UPDATE"));
            checkConnections(session, connections, "SQL node " + node.authority() + ": ")
                    .ifPresent(ofNode.problems::add);
            Marker.read(session, terms.schema())
                    .ifPresent(
                            mark -> ofNode.problems.add("the schema " + terms.schema() + " is that of run " + mark.run()
                                    + ", which entered by this SQL node: wait for its end, or have 'blobmark cleanup' with the"
                                    + " address of this one remove what it left"));
            ofNode.problems.forEach(problem -> problems.add("its SQL node " + node.authority() + ": " + problem));
            if (ofNode.variables.isLoggingNdb()) {
                ndbLogs.add(node.authority());
            }
        }
    }

    /** What is wrong with so many on the server of a session, if anything is. */
    private Optional<String> checkConnections(Connection session, int needed, String whose) throws SQLException {
        ConnectionBudget budget = ConnectionBudget.read(session);
        connections.add(whose + budget.text(needed));
        return budget.problem(needed);
    }

    /** Room is known where the server is of this host, and its directory can be seen; a container has another host's name. */
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

    static String bytes(long bytes) {
        int unit = 0;
        long amount = bytes;
        for (; amount >= 10 << 10 && unit < UNITS.size() - 1; unit++) {
            amount >>= 10;
        }
        return amount + " " + UNITS.get(unit);
    }
}
