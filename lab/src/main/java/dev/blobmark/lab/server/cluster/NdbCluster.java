package dev.blobmark.lab.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.directory.ServerDirectory;
import dev.blobmark.lab.server.own.Binaries;
import dev.blobmark.lab.server.own.MysqlBinaries;
import dev.blobmark.lab.server.own.OwnServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
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
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mariadb.jdbc.Driver;

/**
 * A MySQL NDB Cluster of Blobmark's own, made for one run on the loopback interface: a management node, two data nodes with two
 * replicas, and SQL nodes, each an {@link OwnServer}. Everything is deleted when it is closed, and a killed run's by the next start.
 *
 * <p>Seen with MySQL Cluster 9.7.4 on two cores: 18 s to start, 1.3 GB resident per data node with 512 MiB of DataMemory.
 */
public final class NdbCluster implements Server {

    /** One for each of two replicas. */
    private static final List<Integer> DATA_NODES = List.of(2, 3);

    private static final int MANAGEMENT_NODE = 1;
    private static final int FIRST_SQL_NODE = 4;

    /** More share a machine for nothing. */
    public static final int MOST_SQL_NODES = 16;

    private static final String HOST = "127.0.0.1";
    private static final int PORTS_TO_TRY = 5;
    private static final long POLL_MILLIS = 20;
    private static final int STOP_SECONDS = 10;
    private static final int LOG_LINES_SHOWN = 10;
    private static final long MIB = 1L << 20;

    /** Of a data node, besides DataMemory: buffers, its redo and undo, and what a thread has. */
    private static final long RESIDENT_BESIDE_DATA = 800 * MIB;

    private static final long PART_FILE_BYTES = 64 * MIB;
    private static final int REDO_PARTS = 4;

    private final ServerDirectory directory;
    private final Programs programs;
    private final Size size;
    private final List<String> prefix;
    private final Duration patience;
    private final SortedMap<Integer, Process> nodes = Collections.synchronizedSortedMap(new TreeMap<>());
    private final List<OwnServer> sqlNodes = new ArrayList<>();
    private final List<Incident> incidents = Collections.synchronizedList(new ArrayList<>());
    private int managementPort;
    private volatile boolean closed;

    /** What an installation has of it. */
    record Programs(Binaries server, Path management, Path dataNode) {

        /** @throws ServerException if one is missing */
        static Programs at(Path base) {
            Path absolute = base.toAbsolutePath().normalize();
            Path management = program(absolute, "ndb_mgmd");
            Path dataNode = program(absolute, "ndbmtd");
            Binaries server = Binaries.at(absolute);
            if (!(server instanceof MysqlBinaries)) {
                throw new ServerException(
                        server.server() + " is MariaDB, which has no NDB Cluster. Name the directory that"
                                + " MySQL NDB Cluster was installed to.");
            }
            return new Programs(server, management, dataNode);
        }

        private static Path program(Path base, String name) {
            return Binaries.first(base, List.of("bin/" + name, "sbin/" + name, "libexec/" + name))
                    .filter(Files::isExecutable)
                    .orElseThrow(() -> new ServerException("there is no bin/" + name + " in " + base
                            + ": --server ndb:DIR wants the directory that MySQL NDB Cluster was installed to, with"
                            + " bin/ndb_mgmd, bin/ndbmtd and bin/mysqld."));
        }
    }

    /**
     * What a data node is given of this machine.
     *
     * @param dataMemoryBytes for rows, their indexes and parts
     * @param threads of execution
     * @param redoFiles of each of the four parts of the redo log
     */
    record Size(long dataMemoryBytes, int threads, int redoFiles) {

        private static final long LEAST_DATA = 256 * MIB;
        private static final long MOST_DATA = 1024 * MIB;
        private static final int MOST_THREADS = 8;

        /** Fewer are full before their first checkpoint: "REDO log files overloaded". */
        private static final int LEAST_REDO_FILES = 4;

        private static final int MOST_REDO_FILES = 16;

        /** Both nodes may fill a quarter of the disk with their redo logs, and take less than half of the memory. */
        static Size of(long memoryBytes, int cores, long diskBytes) {
            long data = Math.min(MOST_DATA, Math.max(LEAST_DATA, memoryBytes / 16 / (32 * MIB) * (32 * MIB)));
            long files = diskBytes / 4 / (DATA_NODES.size() * REDO_PARTS * PART_FILE_BYTES);
            Size size = new Size(data, Math.min(MOST_THREADS, Math.max(2, cores / DATA_NODES.size())), (int)
                    Math.max(LEAST_REDO_FILES, Math.min(MOST_REDO_FILES, files)));
            if (size.residentBytes() > memoryBytes * 3 / 4) {
                throw new ServerException(String.format(
                        Locale.ROOT,
                        "two data nodes take %.1f GB of memory at least, and this machine has %.1f GB in all. Take a larger"
                                + " one, or name an SQL node of a cluster of yours.",
                        size.residentBytes() / 1e9,
                        memoryBytes / 1e9));
            }
            return size;
        }

        static Size ofThisMachine(Path directory) throws IOException {
            return of(
                    ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize(),
                    Runtime.getRuntime().availableProcessors(),
                    Files.getFileStore(directory).getUsableSpace());
        }

        long residentBytes() {
            return DATA_NODES.size() * (dataMemoryBytes + RESIDENT_BESIDE_DATA);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "each with %d MiB for data, %d threads and a redo log of %d MiB; about %.1f GB of memory in all",
                    dataMemoryBytes / MIB,
                    threads,
                    REDO_PARTS * redoFiles * PART_FILE_BYTES / MIB,
                    residentBytes() / 1e9);
        }
    }

    private NdbCluster(
            ServerDirectory directory, Programs programs, Size size, List<String> prefix, Duration patience) {
        this.directory = directory;
        this.programs = programs;
        this.size = size;
        this.prefix = prefix;
        this.patience = patience;
    }

    /**
     * Starts a cluster, and waits until tables can be made in it.
     *
     * @param base where MySQL NDB Cluster is installed
     * @param options of its SQL nodes
     * @throws ServerException if it does not start, with the last lines of the node's log that failed
     */
    public static NdbCluster start(Path cache, Path base, int sqlNodes, OwnServer.Options options) {
        Programs programs = Programs.at(base);
        NdbCluster cluster;
        try {
            Path servers = options.parent().orElseGet(() -> cache.resolve("servers"));
            ServerDirectory directory = ServerDirectory.create(servers);
            try {
                cluster = new NdbCluster(
                        directory,
                        programs,
                        Size.ofThisMachine(directory.path()),
                        options.prefix(),
                        options.startTimeout());
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw new ServerException(
                    "cannot make a directory for the cluster in " + cache + ": " + e
                            + ". Have the cache elsewhere by setting XDG_CACHE_HOME.",
                    e);
        }
        Thread hook = new Thread(cluster::close, "stop-cluster");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            cluster.start(cache, sqlNodes, options);
            Runtime.getRuntime().removeShutdownHook(hook);
            return cluster;
        } catch (IOException | SQLException | RuntimeException | InterruptedException e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            ServerException failure = e instanceof ServerException its
                    ? its
                    : new ServerException("cannot start the cluster: " + e.getMessage(), e);
            try {
                cluster.close();
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (ServerException | IllegalStateException notCleared) {
                failure.addSuppressed(notCleared);
            }
            throw failure;
        }
    }

    private void start(Path cache, int sqlNodesWanted, OwnServer.Options options)
            throws IOException, SQLException, InterruptedException {
        Files.createDirectory(scratch());
        Files.createDirectory(place("management"));
        Files.createDirectory(place("configuration"));
        for (int node : DATA_NODES) {
            Files.createDirectory(place("data-" + node));
        }
        Files.writeString(directory.configuration(), "# the cluster's is in config.ini\n");
        for (int attempt = 1; !listens(sqlNodesWanted); attempt++) {
            if (attempt == PORTS_TO_TRY) {
                throw new ServerException("the cluster's management node found no port of " + HOST
                        + " to listen on. Close programs that hold many ports.");
            }
        }
        for (int node : DATA_NODES) {
            startDataNode(node);
        }
        for (int i = 0; i < sqlNodesWanted; i++) {
            Map<String, String> variables = new TreeMap<>(options.variables());
            variables.put("ndbcluster", "ON");
            variables.put("ndb_connectstring", HOST + ":" + managementPort);
            variables.put("ndb_nodeid", Integer.toString(FIRST_SQL_NODE + i));
            OwnServer started = OwnServer.start(cache, programs.server(), kind(), options.withVariables(variables));
            synchronized (this) {
                sqlNodes.add(started);
                if (closed) {
                    started.close();
                }
            }
        }
        awaitDataNodes();
    }

    /** Starts the management node; false if somebody else was faster to take its port. */
    private boolean listens(int sqlNodesWanted) throws IOException, InterruptedException {
        managementPort = OwnServer.freePort();
        Files.write(place("config.ini"), configuration(sqlNodesWanted), StandardCharsets.UTF_8);
        Process management = spawn(
                MANAGEMENT_NODE,
                programs.management(),
                "--config-file=" + place("config.ini"),
                "--configdir=" + place("configuration"),
                "--initial",
                "--bind-address=" + HOST,
                "--nodaemon");
        long deadline = System.nanoTime() + patience.toNanos();
        while (!management.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(HOST, managementPort));
                return true;
            } catch (IOException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    throw failed(MANAGEMENT_NODE, "lets nobody in");
                }
            }
        }
        if (lastLines(MANAGEMENT_NODE).contains("Could not bind")
                || lastLines(MANAGEMENT_NODE).contains("Unable to bind")) {
            return false;
        }
        throw failed(MANAGEMENT_NODE, "ended with exit status " + management.exitValue());
    }

    private List<String> configuration(int sqlNodesWanted) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "[ndb_mgmd]",
                "NodeId=" + MANAGEMENT_NODE,
                "HostName=" + HOST,
                "PortNumber=" + managementPort,
                "DataDir=" + place("management"),
                "[ndbd default]",
                "NoOfReplicas=" + DATA_NODES.size(),
                "DataMemory=" + size.dataMemoryBytes(),
                "MaxNoOfExecutionThreads=" + size.threads(),
                "NoOfFragmentLogParts=" + REDO_PARTS,
                "FragmentLogFileSize=" + PART_FILE_BYTES,
                "NoOfFragmentLogFiles=" + size.redoFiles(),
                "RedoBuffer=" + 64 * MIB,
                "SharedGlobalMemory=" + 64 * MIB,
                "TransactionMemory=" + 64 * MIB,
                "TotalSendBufferMemory=" + 16 * MIB));
        for (int node : DATA_NODES) {
            lines.addAll(List.of(
                    "[ndbd]",
                    "NodeId=" + node,
                    "HostName=" + HOST,
                    "ServerPort=" + OwnServer.freePort(),
                    "DataDir=" + place("data-" + node)));
        }
        for (int i = 0; i < sqlNodesWanted; i++) {
            lines.addAll(List.of("[mysqld]", "NodeId=" + (FIRST_SQL_NODE + i), "HostName=" + HOST));
        }
        // for a tool of the user's, ndb_desc for one
        lines.addAll(List.of("[api]", "HostName=" + HOST));
        return lines;
    }

    /** In the foreground: so its process is the node, without another one that watches over it. */
    private void startDataNode(int node) throws IOException {
        Process started = spawn(
                node,
                programs.dataNode(),
                "--ndb-connectstring=" + HOST + ":" + managementPort,
                "--connect-retry-delay=1",
                "--ndb-nodeid=" + node,
                "--initial",
                "--foreground");
        started.onExit().thenRun(() -> {
            if (!closed) {
                incidents.add(new Incident(Instant.now(), lost(node)));
            }
        });
    }

    private static String lost(int node) {
        return "data node " + node + " was lost";
    }

    /** Its first argument names a file in the directory, by which it is found if the run is killed. */
    private synchronized Process spawn(int node, Path program, String... arguments) throws IOException {
        if (closed) {
            throw new IllegalStateException("already closed");
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(program.toString(), directory.argument()));
        command.addAll(List.of(arguments));
        Process process = Subprocess.of(command)
                .directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(node).toFile()))
                .start();
        process.getOutputStream().close();
        nodes.put(node, process);
        directory.recordServer(process.pid());
        return process;
    }

    /** Waits until all data nodes take part. */
    private void awaitDataNodes() throws IOException, SQLException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        try (Connection connection = connect()) {
            while (ready(connection) < DATA_NODES.size()) {
                for (int node : DATA_NODES) {
                    Process process = nodes.get(node);
                    if (!process.isAlive()) {
                        throw failed(node, "ended with exit status " + process.exitValue());
                    }
                }
                if (System.nanoTime() - deadline > 0) {
                    throw failed(DATA_NODES.get(0), "is not ready within " + patience.toSeconds() + " s");
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private Connection connect() throws SQLException {
        return new Driver()
                .connect(
                        "jdbc:mariadb://" + endpoint().authority() + "/",
                        endpoint().mariaDbLogin(endpoint().sslMode()));
    }

    private static int ready(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_ready_data_nodes'")) {
            return row.next() ? row.getInt(2) : 0;
        }
    }

    private ServerException failed(int node, String how) throws IOException {
        return new ServerException(
                "the cluster's " + (node == MANAGEMENT_NODE ? "management" : "data") + " node " + node
                        + " " + how + ". The last lines of its log:\n  " + lastLines(node)
                        + "\nMend what it names; data nodes need " + size + ".");
    }

    private String lastLines(int node) throws IOException {
        List<String> lines = new String(Files.readAllBytes(log(node)), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return String.join("\n  ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    private Path place(String name) {
        return directory.path().resolve(name);
    }

    private Path log(int node) {
        return place("node-" + node + ".log");
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

    @Override
    public boolean isOwn() {
        return true;
    }

    @Override
    public Path scratch() {
        return place("scratch");
    }

    /** Of data nodes and SQL nodes: the management node has no part in an operation. */
    @Override
    public List<Long> pids() {
        return Stream.concat(
                        DATA_NODES.stream().map(nodes::get).map(Process::pid),
                        sqlNodes.stream().map(OwnServer::pid))
                .toList();
    }

    /** The process of a data node. */
    public long dataNodePid(int node) {
        return nodes.get(node).pid();
    }

    @Override
    public List<Incident> incidents() {
        synchronized (incidents) {
            List<Incident> those = new ArrayList<>(incidents);
            incidents.clear();
            DATA_NODES.stream()
                    .filter(node -> !nodes.get(node).isAlive())
                    .filter(node -> those.stream().noneMatch(its -> its.what().equals(lost(node))))
                    .forEach(node -> those.add(new Incident(Instant.EPOCH, lost(node))));
            return those;
        }
    }

    /** A data node that was lost is started empty, and takes its data from the other one. */
    @Override
    public List<String> heal() {
        List<Integer> dead =
                DATA_NODES.stream().filter(node -> !nodes.get(node).isAlive()).toList();
        if (dead.size() == DATA_NODES.size()) {
            throw new ServerException("all data nodes of the cluster are gone, and with them all tables");
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
            throw new ServerException("data node " + dead + " cannot be started again: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while a data node was started again", e);
        }
        return dead.stream()
                .map(node -> "data node " + node + " was started again, and has taken its data from the other one")
                .toList();
    }

    @Override
    public Map<String, Path> logs() {
        Map<String, Path> logs = new LinkedHashMap<>();
        logs.put("cluster.log", place("management").resolve("ndb_" + MANAGEMENT_NODE + "_cluster.log"));
        logs.put("management-node-" + MANAGEMENT_NODE + ".log", log(MANAGEMENT_NODE));
        DATA_NODES.forEach(node -> logs.put("data-node-" + node + ".log", log(node)));
        IntStream.range(0, sqlNodes.size())
                .forEach(i -> logs.put(
                        "sql-node-" + (FIRST_SQL_NODE + i) + ".log",
                        sqlNodes.get(i).logFile()));
        return logs;
    }

    @Override
    public List<String> notes() {
        return List.of("a cluster of " + DATA_NODES.size() + " data nodes with " + DATA_NODES.size() + " replicas, "
                + size + "; " + (sqlNodes.size() == 1 ? "1 SQL node" : sqlNodes.size() + " SQL nodes"));
    }

    /**
     * Stops all nodes and deletes their directories. What data nodes hold is thrown away, so that they are killed.
     *
     * @throws ServerException if the directory cannot be deleted; the next start tries again
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        sqlNodes.forEach(OwnServer::close);
        nodes.values().forEach(Process::destroyForcibly);
        nodes.values()
                .forEach(process -> process.onExit()
                        .completeOnTimeout(process, STOP_SECONDS, TimeUnit.SECONDS)
                        .join());
        try {
            directory.close();
        } catch (IOException e) {
            throw new ServerException("cannot delete " + directory.path() + ": " + e + ". Delete it by hand.", e);
        }
    }

    @Override
    public String toString() {
        return nodes.keySet().stream().map(String::valueOf).collect(Collectors.joining(", ", "cluster of nodes ", ""));
    }
}
