package dev.blobmark.lab.server.cluster;

import dev.blobmark.lab.server.own.OwnProcess;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.own.ServerStart;
import dev.blobmark.mysql.server.Closing;
import dev.blobmark.mysql.server.ClusterFacts;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Incident;
import dev.blobmark.mysql.server.Recoverable;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mariadb.jdbc.Driver;

/**
 * A MySQL NDB Cluster that Blobmark starts for one run on the loopback interface: a management node, two data nodes
 * with two replicas, and SQL nodes, each an {@link OwnServer}. Everything is deleted when it is closed, or by the next
 * start if the run is killed.
 *
 * <p>Seen with MySQL Cluster 9.7.4 on two cores: 18 s to start, 1.3 GB resident per data node with 512 MiB of
 * DataMemory.
 */
public final class NdbCluster implements Recoverable {

    /** More SQL nodes on one machine bring no advantage. */
    public static final int MAX_SQL_NODES = 16;

    private static final String NAME = "the cluster";
    private static final int MANAGEMENT_NODE = 1;
    private static final int FIRST_DATA_NODE = 2;
    private static final int FIRST_SQL_NODE = FIRST_DATA_NODE + DataNodeSize.NODES;
    private static final long POLL_MILLIS = 20;

    private final NdbPrograms programs;
    private final DataNodeParameters parameters;
    private final Duration timeout;
    private final OwnProcess management;
    private final SortedMap<Integer, OwnProcess> dataNodes = new TreeMap<>();
    private final DataNodeSize size;
    private final List<OwnServer> sqlNodes = new ArrayList<>();
    private final List<Incident> incidents = Collections.synchronizedList(new ArrayList<>());
    private int managementPort;
    private boolean closed;

    /**
     * Starts a cluster, and waits until tables can be created in it.
     *
     * @param base base directory of a MySQL NDB Cluster
     * @param parameters of the data nodes, instead of Blobmark's
     * @param options of the SQL nodes
     * @throws ServerException if it does not start, with the last lines of the log of the node that failed
     */
    public static NdbCluster start(
            Path cache, Path base, int sqlNodes, DataNodeParameters parameters, ServerOptions options) {
        NdbCluster cluster = new NdbCluster(NdbPrograms.at(base), cache, parameters, options);
        ServerStart.run(NAME, cluster::close, () -> cluster.start(cache, sqlNodes, options));
        return cluster;
    }

    private NdbCluster(NdbPrograms programs, Path cache, DataNodeParameters parameters, ServerOptions options) {
        this.programs = programs;
        this.parameters = parameters;
        ServerLaunch launch = options.launch();
        timeout = launch.timeout();
        management = OwnProcess.in(
                cache, NAME + "'s management node", launch, Process::destroyForcibly, log -> "Fix what the log names.");
        try {
            size = DataNodeSize.ofThisMachine(management.path(), parameters);
            for (int i = 0; i < DataNodeSize.NODES; i++) {
                int node = FIRST_DATA_NODE + i;
                // data nodes are killed, because their data is not needed
                dataNodes.put(
                        node,
                        OwnProcess.in(
                                cache,
                                NAME + "'s data node " + node,
                                launch,
                                Process::destroyForcibly,
                                log -> "Fix what the log names; data nodes need " + size + "."));
            }
        } catch (IOException | RuntimeException e) {
            dataNodes.values().forEach(OwnProcess::close);
            management.close();
            throw e instanceof ServerException known
                    ? known
                    : new ServerException("cannot size the data nodes: " + e.getMessage(), e);
        }
    }

    private void start(Path cache, int sqlNodesWanted, ServerOptions options)
            throws IOException, SQLException, InterruptedException {
        Files.createDirectory(management.path().resolve("data"));
        Files.createDirectory(management.path().resolve("configuration"));
        for (OwnProcess node : dataNodes.values()) {
            Files.createDirectory(node.path().resolve("data"));
            Files.createFile(node.directory().configuration());
        }
        Files.createFile(management.directory().configuration());
        management.listen(port -> startManagement(port, sqlNodesWanted));
        for (int node : dataNodes.keySet()) {
            startDataNode(node);
        }
        for (int i = 0; i < sqlNodesWanted; i++) {
            Map<String, String> variables = new TreeMap<>(options.variables());
            variables.put("ndbcluster", "ON");
            variables.put("ndb_connectstring", OwnProcess.HOST + ":" + managementPort);
            variables.put("ndb_nodeid", Integer.toString(FIRST_SQL_NODE + i));
            OwnServer started = OwnServer.start(cache, programs.server(), kind(), options.with(variables));
            synchronized (this) {
                sqlNodes.add(started);
                if (closed) {
                    started.close();
                }
            }
        }
        awaitDataNodes();
        if (!parameters.byName().isEmpty()) {
            try (Connection connection = connect()) {
                parameters.require(ClusterFacts.parameters(connection));
            }
        }
    }

    private boolean startManagement(int port, int sqlNodesWanted) throws IOException, InterruptedException {
        managementPort = port;
        Path file = Files.write(management.path().resolve("config.ini"), configuration(sqlNodesWanted));
        management.spawn(
                List.of(
                        programs.management().toString(),
                        management.directory().argument(),
                        "--config-file=" + file,
                        "--configdir=" + management.path().resolve("configuration"),
                        "--initial",
                        "--bind-address=" + OwnProcess.HOST,
                        "--nodaemon"),
                "");
        return management.awaitLogin(port, log -> true, () -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(OwnProcess.HOST, port));
                return Optional.empty();
            } catch (IOException notYet) {
                return Optional.of(String.valueOf(notYet.getMessage()));
            }
        });
    }

    private List<String> configuration(int sqlNodesWanted) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "[ndb_mgmd]",
                "NodeId=" + MANAGEMENT_NODE,
                "HostName=" + OwnProcess.HOST,
                "PortNumber=" + managementPort,
                "DataDir=" + management.path().resolve("data")));
        lines.addAll(size.configuration());
        for (var node : dataNodes.entrySet()) {
            lines.addAll(List.of(
                    "[ndbd]",
                    "NodeId=" + node.getKey(),
                    "HostName=" + OwnProcess.HOST,
                    "ServerPort=" + OwnProcess.freePort(),
                    "DataDir=" + node.getValue().path().resolve("data")));
        }
        for (int i = 0; i < sqlNodesWanted; i++) {
            lines.addAll(List.of("[mysqld]", "NodeId=" + (FIRST_SQL_NODE + i), "HostName=" + OwnProcess.HOST));
        }
        // for a tool of the user, such as ndb_desc
        lines.addAll(List.of("[api]", "HostName=" + OwnProcess.HOST));
        return lines;
    }

    /** Starts a data node in the foreground, so that the process is the node itself and not its monitor. */
    private void startDataNode(int node) throws IOException {
        OwnProcess process = dataNodes.get(node);
        process.spawn(
                List.of(
                        programs.dataNode().toString(),
                        process.directory().argument(),
                        "--ndb-connectstring=" + OwnProcess.HOST + ":" + managementPort,
                        "--connect-retry-delay=1",
                        "--ndb-nodeid=" + node,
                        "--initial",
                        "--foreground"),
                "");
        process.onLoss(() -> incidents.add(new Incident(Instant.now(), lost(node))));
    }

    private static String lost(int node) {
        return "data node " + node + " was lost";
    }

    private Connection connect() throws SQLException {
        return new Driver()
                .connect(
                        "jdbc:mariadb://" + endpoint().authority() + "/",
                        endpoint().mariaDbLogin(endpoint().sslMode()));
    }

    /** Waits until all data nodes are ready. */
    private void awaitDataNodes() throws IOException, SQLException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Connection connection = connect()) {
            while (ready(connection) < DataNodeSize.NODES) {
                for (OwnProcess node : dataNodes.values()) {
                    node.requireAlive();
                }
                if (System.nanoTime() - deadline > 0) {
                    throw dataNodes
                            .get(FIRST_DATA_NODE)
                            .failed(
                                    "is not ready within " + timeout.toSeconds() + " s",
                                    "Fix what the log names; data nodes need " + size + ".");
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private static int ready(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_ready_data_nodes'")) {
            return row.next() ? row.getInt(2) : 0;
        }
    }

    @Override
    public String kind() {
        return "ndb";
    }

    @Override
    public Endpoint endpoint() {
        return sqlNodes.get(0).endpoint();
    }

    @Override
    public List<Endpoint> others() {
        return sqlNodes.stream().skip(1).map(OwnServer::endpoint).toList();
    }

    /** Processes of data nodes and SQL nodes. The management node takes no part in operations. */
    @Override
    public List<Long> pids() {
        return Stream.concat(
                        dataNodes.values().stream().map(OwnProcess::pid),
                        sqlNodes.stream().map(OwnServer::pid))
                .toList();
    }

    /** The process of a data node. */
    public long dataNodePid(int node) {
        return dataNodes.get(node).pid();
    }

    private List<Integer> dead() {
        return dataNodes.keySet().stream()
                .filter(node -> !dataNodes.get(node).isAlive())
                .toList();
    }

    @Override
    public List<Incident> incidents() {
        synchronized (incidents) {
            List<Incident> recent = new ArrayList<>(incidents);
            incidents.clear();
            dead().stream()
                    .map(NdbCluster::lost)
                    .filter(what ->
                            recent.stream().noneMatch(known -> known.what().equals(what)))
                    .forEach(what -> recent.add(new Incident(Instant.EPOCH, what)));
            return recent;
        }
    }

    /** Starts a lost data node empty. It copies its data from the other one. */
    @Override
    public List<String> recover() {
        List<Integer> dead = dead();
        if (dead.size() == DataNodeSize.NODES) {
            throw new ServerException(
                    "all data nodes of the cluster were lost, and all tables with them. Run the study again.");
        }
        try {
            for (int node : dead) {
                startDataNode(node);
            }
            if (!dead.isEmpty()) {
                awaitDataNodes();
                incidents.clear();
            }
        } catch (IOException | SQLException e) {
            throw new ServerException("data node " + dead + " cannot be restarted: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted during the restart of a data node", e);
        }
        return dead.stream()
                .map(node -> "data node " + node + " was restarted and has copied its data from the other one")
                .toList();
    }

    @Override
    public Map<String, Path> logs() {
        Map<String, Path> logs = new LinkedHashMap<>();
        logs.put("cluster.log", management.path().resolve("data").resolve("ndb_" + MANAGEMENT_NODE + "_cluster.log"));
        logs.put("management-node-" + MANAGEMENT_NODE + ".log", management.log().file());
        dataNodes.forEach((node, process) ->
                logs.put("data-node-" + node + ".log", process.log().file()));
        IntStream.range(0, sqlNodes.size())
                .forEach(i -> logs.put(
                        "sql-node-" + (FIRST_SQL_NODE + i) + ".log",
                        sqlNodes.get(i).logFile()));
        return logs;
    }

    @Override
    public List<String> notes() {
        return List.of("a cluster of " + DataNodeSize.NODES + " data nodes with " + DataNodeSize.NODES + " replicas, "
                + size + "; "
                + (parameters.byName().isEmpty() ? "" : "as given " + String.join(", ", given()) + "; ")
                + (sqlNodes.size() == 1 ? "1 SQL node" : sqlNodes.size() + " SQL nodes"));
    }

    private List<String> given() {
        return parameters.byName().entrySet().stream()
                .map(parameter -> parameter.getKey() + "=" + parameter.getValue())
                .toList();
    }

    /**
     * Stops all nodes and deletes their directories.
     *
     * @throws ServerException if a directory cannot be deleted; the next start tries again
     */
    @Override
    public synchronized void close() {
        closed = true;
        List<Runnable> steps = new ArrayList<>();
        sqlNodes.forEach(node -> steps.add(node::close));
        dataNodes.values().forEach(node -> steps.add(node::close));
        steps.add(management::close);
        Closing.all(steps, Runnable::run);
    }
}
