package dev.blobmark.cli;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.guest.Cleanup;
import dev.blobmark.lab.guest.RedisVisit;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.RedisServers;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.Servers;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code blobmark cleanup}: removes what killed runs have left on a server. */
@Command(
        name = "cleanup",
        description = {
            "Lists and removes what killed runs have left on a server: tables that carry Blobmark's marker, and schemas that"
                    + " it made. Nothing else is touched."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CleanupCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            required = true,
            description = "A running server; see 'blobmark list servers'. redis=SERVER is a Redis.")
    private String server;

    @Mixin
    private ConnectionOptions connection;

    @Option(names = "--all", description = "Also what runs use that are still at work; they fail then.")
    private boolean all;

    @Option(names = "--dry-run", description = "List only.")
    private boolean dryRun;

    @Override
    public Integer call() throws SQLException {
        if (server.startsWith(RunCommand.REDIS)) {
            return cleanUpRedis();
        }
        try (Server running =
                source().open(Environment.cache(), EmbeddedServer.Options.of(EmbeddedServer.MIN_BUFFER_POOL_BYTES))) {
            PrintWriter out = spec.commandLine().getOut();
            boolean any = false;
            // of a cluster, a run's mark is at the SQL node that it entered by
            for (Endpoint node : Stream.concat(Stream.of(running.endpoint()), running.others().stream())
                    .toList()) {
                try (Connection session = Driver.connectForLoading(node, "")) {
                    any |= cleanUp(session, all, dryRun, out);
                }
            }
            if (!any) {
                out.println("Nothing of Blobmark's is on this server.");
            }
            out.flush();
            return ExitCode.DONE.code();
        }
    }

    private int cleanUpRedis() {
        RedisServers.Source source = RunCommand.redis(server.substring(RunCommand.REDIS.length()), spec);
        if (!source.isRunning()) {
            throw notOfARun();
        }
        Endpoint endpoint = source.open(Environment.cache(), List.of()).endpoint();
        PrintWriter out = spec.commandLine().getOut();
        Optional<RedisVisit.Leftover> leftover = RedisVisit.leftover(endpoint);
        if (leftover.isEmpty()) {
            out.println("Nothing of Blobmark's is on this server.");
        } else {
            boolean goes = all || !leftover.get().isAlive();
            out.println((goes
                            ? dryRun ? "to remove: keys" : "removed: " + RedisVisit.removeAll(endpoint) + " keys"
                            : "kept: keys")
                    + " of run " + leftover.get().run()
                    + (leftover.get().isAlive() ? ", still at work" : ""));
        }
        out.flush();
        return ExitCode.DONE.code();
    }

    private ParameterException notOfARun() {
        return new ParameterException(
                spec.commandLine(),
                "--server: a server that Blobmark starts takes all of its run with it; name one that goes on running");
    }

    private Servers.Source source() {
        Servers.Source source = connection.source(server, true, spec);
        if (source.isOwn()) {
            throw notOfARun();
        }
        return source;
    }

    /** @return whether there was anything */
    private static boolean cleanUp(Connection connection, boolean all, boolean dryRun, PrintWriter out)
            throws SQLException {
        List<Cleanup.Leftover> found = Cleanup.find(connection);
        for (Cleanup.Leftover leftover : found) {
            boolean goes = all || !leftover.isAlive();
            List<String> others = goes && !dryRun ? Cleanup.remove(connection, leftover) : List.of();
            out.println((goes ? dryRun ? "to remove: " : "removed: " : "kept: ")
                    + text(leftover)
                    + (others.isEmpty() ? "" : "; the schema stays with " + String.join(", ", others)));
        }
        return !found.isEmpty();
    }

    private static String text(Cleanup.Leftover leftover) {
        int tables = leftover.tables().size();
        return "schema " + leftover.mark().schema() + ", " + tables + (tables == 1 ? " table" : " tables") + " of run "
                + leftover.mark().run() + ", begun " + leftover.mark().createdAt() + " by Blobmark "
                + leftover.mark().version() + (leftover.isAlive() ? ", still at work" : "");
    }
}
