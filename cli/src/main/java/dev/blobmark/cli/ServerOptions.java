package dev.blobmark.cli;

import dev.blobmark.lab.conduct.TableSamples;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which servers a run uses: the one that is measured, a Redis, and the one that has the user's tables. */
final class ServerOptions {

    static final String REDIS = "redis=";
    static final String POSTGRESQL = "postgresql=";

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
        return withSqlNodes(
                dataServer != null && !Servers.isRunning(server)
                        ? connection.ownSource(server, spec)
                        : connection.source(server, true, spec));
    }

    /** The Redis that {@code --server redis=…} names. */
    RedisServers.Source redis() {
        return redis(server(REDIS), spec);
    }

    /** The PostgreSQL that {@code --server postgresql=…} names. */
    PostgresServers.Source postgres() {
        return postgres(server(POSTGRESQL), spec);
    }

    private Servers.Source withSqlNodes(Servers.Source source) {
        if (sqlNodes == null) {
            return source;
        }
        if (!(source instanceof Servers.Ndb cluster)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--sql-nodes: only a cluster that is started for the run has a number of them; name one with --server"
                            + " ndb:DIR, or leave this out");
        }
        try {
            return cluster.withSqlNodes(sqlNodes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--sql-nodes: " + e.getMessage());
        }
    }

    /** What was given for the server of a prefix; the one that comes with Blobmark if nothing was. */
    private String server(String prefix) {
        List<String> given = servers.stream()
                .filter(text ->
                        prefix.equals(text.startsWith(REDIS) ? REDIS : text.startsWith(POSTGRESQL) ? POSTGRESQL : ""))
                .map(text -> text.substring(prefix.length()))
                .toList();
        if (given.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--server: " + String.join(" and ", given) + " cannot both be the server; give one");
        }
        return given.isEmpty() ? "embedded" : given.get(0);
    }

    /** The Redis that is named behind {@link #REDIS}. */
    static RedisServers.Source redis(String text, CommandSpec spec) {
        try {
            return RedisServers.parse(text, Environment.redisPassword(), Environment.searchPath());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--server " + REDIS + ": " + e.getMessage());
        }
    }

    /** The PostgreSQL that is named behind {@link #POSTGRESQL}. */
    static PostgresServers.Source postgres(String text, CommandSpec spec) {
        try {
            return PostgresServers.parse(text, Environment.searchPath(), Environment.ofPostgres());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--server " + POSTGRESQL + ": " + e.getMessage());
        }
    }

    /** Where values of the user's own tables come from; of no matter to a study that has none. */
    Servers.Source dataSource(Study study, Servers.Source measured) {
        Optional<TableColumn> column = TableSamples.columns(study).stream().findFirst();
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
