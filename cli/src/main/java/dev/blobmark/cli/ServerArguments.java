package dev.blobmark.cli;

import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.conduct.StoreServerKinds;
import dev.blobmark.lab.conduct.TableSamples;
import dev.blobmark.lab.dataset.TableValues;
import dev.blobmark.lab.server.cluster.DataNodeParameters;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The servers of a run: the one that is measured, those of other stores, and the one that has the user's tables. */
final class ServerArguments {

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            description = "See 'blobmark list servers'; redis=SERVER is the Redis of a study that needs one,"
                    + " postgresql=SERVER the PostgreSQL. Default: embedded, all.")
    private List<String> servers = List.of();

    @Option(
            names = "--sql-nodes",
            paramLabel = "N",
            description =
                    "SQL nodes of the cluster that --server ndb:DIR starts, over which connections are spread. Default: 1.")
    private Integer sqlNodes;

    @Option(
            names = "--data-node-config",
            paramLabel = "FILE",
            description =
                    "Parameters of the data nodes that --server ndb:DIR starts, instead of Blobmark's: NAME=VALUE on each line.")
    private Path dataNodeConfig;

    @Option(
            names = "--data-server",
            paramLabel = "SERVER",
            description = "The running server that a dataset table:… is read from, if it is not that of --server:"
                    + " mysql://USER@HOST:PORT/.")
    private String dataServer;

    @Mixin
    private ConnectionOptions connection;

    /**
     * The server that trials are measured on.
     *
     * @throws ParameterException if {@code --server} names none
     */
    Servers.Source source() {
        String server = server("");
        return withNodes(
                dataServer != null && !Servers.isRunning(server)
                        ? connection.ownSource(server, spec)
                        : connection.source(server, true, spec));
    }

    /** Whether any option names a running server, which may have tables of the user. */
    boolean isRunning() {
        return dataServer != null || Servers.isRunning(server(""));
    }

    /** Whether the user's tables are on a server other than that of the run. */
    boolean hasDataServer() {
        return dataServer != null;
    }

    /** The options with the servers that {@code --server KIND=…} names. */
    RunOptions added(RunOptions options) {
        RunOptions added = options;
        for (StoreServers kind : StoreServerKinds.ALL) {
            added = added.with(kind.kind(), parsed(kind, server(prefix(kind)), spec));
        }
        return added;
    }

    /** The cluster with the nodes that options ask for. */
    private Servers.Source withNodes(Servers.Source source) {
        if (sqlNodes == null && dataNodeConfig == null) {
            return source;
        }
        String option = sqlNodes == null ? "--data-node-config" : "--sql-nodes";
        if (!(source instanceof Servers.Ndb cluster)) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + ": this applies only to a cluster that is started for the run; name one with --server"
                            + " ndb:DIR, or leave this out");
        }
        try {
            if (sqlNodes != null) {
                cluster = cluster.withSqlNodes(sqlNodes);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--sql-nodes: " + e.getMessage());
        }
        try {
            return dataNodeConfig == null ? cluster : cluster.with(DataNodeParameters.read(dataNodeConfig));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--data-node-config: " + e.getMessage());
        }
    }

    /** The value for a prefix, or without one; by default the server that comes with Blobmark. */
    private String server(String prefix) {
        List<String> given = servers.stream()
                .filter(text ->
                        prefix.equals(kind(text).map(ServerArguments::prefix).orElse("")))
                .map(text -> text.substring(prefix.length()))
                .toList();
        if (given.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--server: " + String.join(" and ", given) + " cannot both be the server; give one");
        }
        return given.isEmpty() ? "embedded" : given.get(0);
    }

    /** The prefix of {@code --server} for a kind of store. */
    static String prefix(StoreServers kind) {
        return kind.kind().word() + "=";
    }

    /** The kind of store that a server is named for; empty for the MySQL server. */
    static Optional<StoreServers> kind(String server) {
        return StoreServerKinds.ALL.stream()
                .filter(kind -> server.startsWith(prefix(kind)))
                .findFirst();
    }

    /**
     * The server of a kind of store.
     *
     * @param text without the prefix
     * @throws ParameterException if it names none
     */
    static ServerSource<StoreServers.Opened> parsed(StoreServers kind, String text, CommandSpec spec) {
        try {
            return kind.parse(text, Variables.searchPath(), Variables.variables(kind.variables()));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--server " + prefix(kind) + ": " + e.getMessage());
        }
    }

    /** The server with the user's tables. Only studies that name one use it. */
    Servers.Source dataSource(Study study, Servers.Source measured) {
        Optional<TableValues> column = TableSamples.columns(study).stream().findFirst();
        if (dataServer != null) {
            Servers.Source source = connection.dataSource(dataServer, spec);
            if (column.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--data-server: no dataset of the study is read from a server; add --data table:DB.TABLE.COLUMN, or"
                                + " leave it out");
            }
            return source;
        }
        if (column.isPresent() && measured.isOwn()) {
            throw new ParameterException(
                    spec.commandLine(),
                    column.get()
                            + ": a server that Blobmark starts has no table of yours; name the one that has it, as in"
                            + " --data-server mysql://USER@HOST:PORT/");
        }
        return measured;
    }
}
