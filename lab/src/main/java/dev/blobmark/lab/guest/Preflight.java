package dev.blobmark.lab.guest;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.Table;
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

/**
 * What is looked at before a run writes anything. What an account may do is found by trying it on a table that does not
 * exist: the server checks privileges first, so the answer is one of "denied" and "no such table", with roles, wildcards and
 * proxy accounts all counted, which a reading of SHOW GRANTS would have to guess. Seen so with MySQL 9.7.4 and MariaDB 11.4.5.
 */
final class Preflight {

    /** ER_DBACCESS_DENIED, ER_ACCESS_DENIED, ER_TABLEACCESS_DENIED, ER_COLUMNACCESS_DENIED, ER_SPECIFIC_ACCESS_DENIED. */
    private static final Set<Integer> DENIED = Set.of(1044, 1045, 1142, 1143, 1227);

    private static final long MIB = 1L << 20;

    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB", "TB");

    /** Variables of which any other value than OFF or 0 keeps the server from being written. */
    private static final List<String> READ_ONLY =
            List.of("read_only", "super_read_only", "innodb_read_only", "transaction_read_only", "tx_read_only");

    private final Connection connection;
    private final Server server;
    private final Map<String, String> variables;
    private final Terms terms;
    private final Cargo cargo;
    private final Consumer<String> notes;
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

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
            Cargo cargo,
            Consumer<String> notes) {
        this.connection = connection;
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

    /**
     * Looks at everything, and tells all that is wrong at once.
     *
     * @throws GuestException if the run cannot be let in
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
            for (Endpoint other : server.others()) {
                checkSqlNode(other);
            }
            spareBinlog = checkReplication();
        }
        if (!problems.isEmpty()) {
            throw GuestException.refused("the server " + server.endpoint(), problems);
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
        if (cargo.applicationBytes() > terms.maxBytes().orElse(Long.MAX_VALUE)) {
            problems.add("the run would load " + bytes(cargo.applicationBytes()) + " of values ("
                    + bytes(cargo.largestApplicationBytes()) + " at a time), more than --max-bytes allows ("
                    + bytes(terms.maxBytes().getAsLong())
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
        long lacking = cargo.longestValueBytes() - Table.longestIn(most);
        if (lacking > 0) {
            long mend = (most + lacking + MIB - 1) / MIB * MIB;
            problems.add("max_allowed_packet is " + bytes(most) + ", and the longest value takes "
                    + bytes(cargo.longestValueBytes()) + ": SET GLOBAL max_allowed_packet = " + mend
                    + ", or leave out the longest values with --set size=…");
        }
    }

    private boolean isDenied(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException e) {
            if (!connection.isValid(5)) {
                throw e;
            }
            return DENIED.contains(e.getErrorCode());
        }
    }

    /** @return whether the bytes of a table on disk can be known */
    private boolean checkPrivileges() throws SQLException {
        String schema = terms.schema();
        String table = nobodys();
        String account = account();
        checkAccess(List.of("CREATE", "DELETE", "DROP", "INSERT", "SELECT", "UPDATE"));
        String tablespaces = isMariaDb() ? "innodb_sys_tablespaces" : "innodb_tablespaces";
        seesAll = !isDenied("SELECT 1 FROM information_schema." + tablespaces + " WHERE name = '" + schema + "/none'");
        if (!seesAll) {
            problems.add(
                    "the account may not see InnoDB's tables, by which each layout is verified: GRANT PROCESS ON *.* TO "
                            + account);
        }
        List<String> toFlush = new ArrayList<>();
        if (isDenied("FLUSH TABLES " + table + " FOR EXPORT")) {
            toFlush.add("GRANT RELOAD ON *.* TO " + account);
        }
        if (isDenied("LOCK TABLES " + table + " READ")) {
            toFlush.add("GRANT LOCK TABLES ON `" + schema + "`.* TO " + account);
        }
        Mark.execute(connection, "UNLOCK TABLES");
        if (!toFlush.isEmpty()) {
            remarks.add("disk bytes will not be known, since the account may not flush tables: "
                    + String.join("; ", toFlush));
        }
        return toFlush.isEmpty();
    }

    /** A name that nobody has, so that even DROP has nothing to work on. */
    private String nobodys() {
        return "`" + terms.schema() + "`.`" + Mark.TABLE + "_" + Long.toHexString(System.nanoTime()) + "`";
    }

    private void checkAccess(List<String> privileges) throws SQLException {
        String table = nobodys();
        Map<String, String> tries = Map.of(
                "SELECT", "SELECT 1 FROM " + table,
                "INSERT", "INSERT INTO " + table + " VALUES (1)",
                "UPDATE", "UPDATE " + table + " SET a = 1",
                "DELETE", "DELETE FROM " + table,
                "CREATE", "CREATE TABLE " + table + " (a INT, a INT)",
                "DROP", "DROP TABLE " + table);
        List<String> missing = new ArrayList<>();
        for (String privilege : privileges) {
            if (isDenied(tries.get(privilege))) {
                missing.add(privilege);
            }
        }
        if (!missing.isEmpty()) {
            String them = String.join(", ", missing);
            problems.add("the account may not " + them + " in the schema " + terms.schema() + ": GRANT " + them
                    + " ON `" + terms.schema() + "`.* TO " + account());
        }
    }

    /** Workers enter by it too, and its accounts, variables and marks are its own. */
    private void checkSqlNode(Endpoint node) throws SQLException {
        try (Connection session = Driver.connectForLoading(node, "")) {
            Preflight its =
                    new Preflight(session, server, ServerIdentity.read(session).variables(), terms, cargo, notes);
            its.checkReadOnly();
            its.checkPacket();
            its.checkAccess(List.of("DELETE", "INSERT", "SELECT", "UPDATE"));
            Mark.read(session, terms.schema())
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

    private boolean isSqlNode() throws SQLException {
        if (!variables.containsKey("ndb_version")) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_data_nodes'")) {
            return row.next() && row.getInt(2) > 0;
        }
    }

    private boolean isMariaDb() {
        return (variable("version") + variable("version_comment")).contains("MariaDB");
    }

    /** As a GRANT names it. */
    private String account() throws SQLException {
        String account = single("SELECT CURRENT_USER()").orElse("?@?");
        int at = account.lastIndexOf('@');
        return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
    }

    private Optional<String> single(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
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
        if (isReplica()) {
            remarks.add(
                    "this server is a replica: its figures are those of a server that also applies its source's changes");
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
        if (!isDenied("SET SESSION sql_log_bin = 0")) {
            // what a dead run left may have to be dropped with the log on
            Mark.execute(connection, "SET SESSION sql_log_bin = 1");
            remarks.add("loading writes " + about() + " to the server, and nothing to its binary log");
            return true;
        }
        allowReplicated(
                "writes a binary log: loading writes " + about() + " to it, which go to " + replicas(),
                Optional.of(grantToSpare()));
        return false;
    }

    private String grantToSpare() throws SQLException {
        return "GRANT " + (isMariaDb() ? "BINLOG ADMIN" : "SESSION_VARIABLES_ADMIN") + " ON *.* TO " + account()
                + ", by which loading passes the log by";
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
        if (!isDenied("SET SESSION sql_log_bin = 0")) {
            Mark.execute(connection, "SET SESSION sql_log_bin = 1");
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

    private void allowReplicated(String what, Optional<String> grant) {
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

    private boolean isReplica() throws SQLException {
        for (String sql : List.of("SHOW REPLICA STATUS", "SHOW SLAVE STATUS")) {
            try {
                return single(sql).isPresent();
            } catch (SQLException e) {
                // not known under this name, or not to be seen by this account
            }
        }
        return false;
    }

    /** Each replica has a connection that reads the log. */
    private String replicas() throws SQLException {
        if (!seesAll) {
            return "replicas, which this account may not see";
        }
        String count = single("SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")
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
