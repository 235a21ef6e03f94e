package dev.blobmark.lab.server.source;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.cluster.DataNodeParameters;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.server.own.Binaries;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.UserInfo;
import dev.blobmark.mysql.server.running.ClientOptions;
import dev.blobmark.mysql.server.running.Login;
import dev.blobmark.mysql.server.running.RunningServer;
import dev.blobmark.mysql.server.running.ServerAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The servers that {@code --server} accepts. */
public final class Servers {

    /**
     * A kind of server, as it is listed for the user.
     *
     * @param form syntax on the command line
     * @param description one line
     */
    public record Kind(String form, String description) {}

    /** Where a run's server comes from. */
    public interface Source extends MySqlSource {

        /**
         * Starts the server, or connects to it.
         *
         * @param options of a server that is started
         */
        Server open(Path cache, ServerOptions options);

        /** Starts the server with the smallest buffer pool, or connects to it, for work that measures nothing. */
        @Override
        default Server open(Path cache) {
            return open(cache, ServerOptions.of(Environment.MIN_POOL_BYTES));
        }

        /** The type of its servers, which shows their capabilities before one is opened. */
        default Class<? extends Server> type() {
            return OwnServer.class;
        }

        /** Whether its servers have a capability, such as {@link dev.blobmark.mysql.server.Restartable}. */
        default boolean offers(Class<? extends Server> capability) {
            return capability.isAssignableFrom(type());
        }

        /** Whether its servers are on another host. */
        default boolean isRemote() {
            return false;
        }

        /** Whether its servers are started for the run. */
        default boolean isOwn() {
            return !offers(RunningServer.class);
        }
    }

    /** A server that Blobmark starts, from the embedded MariaDB or from an installed one. */
    public record Embedded(Optional<Path> baseDirectory) implements Source {
        @Override
        public OwnServer open(Path cache, ServerOptions options) {
            return OwnServer.start(cache, baseDirectory, options);
        }
    }

    /**
     * A server that Blobmark starts, from a MySQL or MariaDB that is installed on this machine.
     *
     * @param place a base directory or a server program
     * @param searchPath directories to search if no place is given
     */
    public record Installed(Optional<Path> place, List<Path> searchPath) implements Source {

        public Installed {
            searchPath = List.copyOf(searchPath);
        }

        @Override
        public OwnServer open(Path cache, ServerOptions options) {
            Binaries binaries = place.map(Binaries::at).orElseGet(() -> Binaries.find(searchPath));
            return OwnServer.start(cache, binaries, INSTALLED, options);
        }
    }

    /**
     * A MySQL NDB Cluster that Blobmark starts, from an installed one.
     *
     * @param sqlNodes 1 to {@value NdbCluster#MAX_SQL_NODES}
     * @param parameters of the data nodes, instead of Blobmark's
     */
    public record Ndb(Path base, int sqlNodes, DataNodeParameters parameters) implements Source {

        public Ndb {
            if (sqlNodes < 1 || sqlNodes > NdbCluster.MAX_SQL_NODES) {
                throw new IllegalArgumentException("a cluster on one machine has 1 to " + NdbCluster.MAX_SQL_NODES
                        + " SQL nodes, not " + sqlNodes);
            }
        }

        public Ndb withSqlNodes(int number) {
            return new Ndb(base, number, parameters);
        }

        public Ndb with(DataNodeParameters others) {
            return new Ndb(base, sqlNodes, others);
        }

        @Override
        public NdbCluster open(Path cache, ServerOptions options) {
            return NdbCluster.start(cache, base, sqlNodes, parameters, options);
        }

        @Override
        public Class<NdbCluster> type() {
            return NdbCluster.class;
        }
    }

    /** A server that is already running, or SQL nodes of such a cluster. */
    private record RunningMySql(List<Login> logins) implements Source {

        @Override
        public RunningServer open(Path cache, ServerOptions options) {
            return RunningServer.open(cache, logins);
        }

        @Override
        public Class<RunningServer> type() {
            return RunningServer.class;
        }

        @Override
        public boolean isRemote() {
            return logins.stream().anyMatch(Login::isRemote);
        }
    }

    private static final String EMBEDDED = "embedded";
    private static final String INSTALLED = "mysqld";
    private static final String NDB = "ndb";

    private static final List<Kind> KINDS = List.of(
            new Kind(
                    "embedded",
                    "a MariaDB that comes with Blobmark, started for the run and deleted after it (the default)"),
            new Kind("embedded:DIR", "the same, with the MariaDB installed in DIR, such as /usr"),
            new Kind(
                    "mysqld",
                    "the same, with the MySQL (or, if there is none, the MariaDB) on PATH or in the usual places"),
            new Kind("mysqld:PATH", "the same; PATH is the directory of an installation, or a server program"),
            new Kind(
                    "ndb:DIR",
                    "a MySQL NDB Cluster on this machine, with the programs installed in DIR, started for the run and"
                            + " deleted after it"),
            new Kind("mysql://USER@HOST:PORT/", "a running MySQL or MariaDB; the password comes from ~/.my.cnf"),
            new Kind("jdbc:mysql://…", "the same as a JDBC URL; also jdbc:mariadb://…"),
            new Kind(
                    "mysql://USER@HOST1:PORT1,HOST2:PORT2/",
                    "a running MySQL NDB Cluster with several SQL nodes, over which workers are spread"));

    private Servers() {}

    public static List<Kind> kinds() {
        return KINDS;
    }

    /** Whether a text names a running server, rather than one to start. */
    public static boolean isRunning(String text) {
        return ServerAddress.isOne(text);
    }

    /** The same without client options and search path. */
    public static Source parse(String text) {
        return parse(text, ClientOptions.none(), List.of());
    }

    /**
     * Parses the value of {@code --server}. For a running server it also reads the option file.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @throws IllegalArgumentException if the text has none of the forms in {@link #kinds}
     * @throws ServerException if the option file cannot be used
     */
    public static Source parse(String text, ClientOptions client, List<Path> searchPath) {
        if (ServerAddress.isOne(text)) {
            return new RunningMySql(Login.of(ServerAddress.parse(text), client));
        }
        if (!client.forRunningServers().isEmpty()) {
            throw new IllegalArgumentException(String.join(", ", client.forRunningServers())
                    + ": this applies only to a running server; name one, as in --server mysql://USER@HOST:PORT/");
        }
        if (text.equals(EMBEDDED)) {
            return new Embedded(Optional.empty());
        }
        if (text.equals(INSTALLED)) {
            return new Installed(Optional.empty(), searchPath);
        }
        return place(text, EMBEDDED)
                .<Source>map(directory -> new Embedded(Optional.of(directory)))
                .or(() -> place(text, INSTALLED).map(path -> new Installed(Optional.of(path), searchPath)))
                .or(() -> place(text, NDB).map(base -> new Ndb(base, 1, DataNodeParameters.NONE)))
                .orElseThrow(() -> new IllegalArgumentException("'" + UserInfo.hidden(text)
                        + "' is not a server: use one of "
                        + String.join(", ", KINDS.stream().map(Kind::form).toList())));
    }

    private static Optional<Path> place(String text, String kind) {
        String prefix = kind + ":";
        return text.startsWith(prefix) && text.length() > prefix.length()
                ? Optional.of(Path.of(text.substring(prefix.length())).toAbsolutePath())
                : Optional.empty();
    }
}
