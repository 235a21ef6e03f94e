package dev.blobmark.cli;

import dev.blobmark.lab.admission.Cleanup;
import dev.blobmark.lab.admission.Marker;
import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code blobmark cleanup}: removes what killed runs left on a server. */
@Command(
        name = "cleanup",
        description = {
            "Lists and removes what killed runs have left in schemas of a server: tables with Blobmark's marker, and"
                    + " schemas that it created. Nothing else is touched."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CleanupCommand extends BlobmarkCommand {

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            required = true,
            description = "A running server; see 'blobmark list servers'. redis=SERVER is a Redis,"
                    + " postgresql=SERVER a PostgreSQL.")
    private String server;

    @Mixin
    private ConnectionOptions connection;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "A schema to clean up; may be repeated. Default: " + RunLimits.DEFAULT_SCHEMA + ".")
    private List<String> schemas = List.of(RunLimits.DEFAULT_SCHEMA);

    @Option(names = "--all", description = "Also remove what running runs use; those runs then fail.")
    private boolean all;

    @Option(names = "--yes", description = "Remove what is listed without asking. Required without a terminal.")
    private boolean yes;

    @Option(names = "--dry-run", description = "List only.")
    private boolean dryRun;

    @Override
    public Integer call() throws SQLException {
        Optional<StoreServers> kind = ServerArguments.kind(server);
        if (kind.isPresent()) {
            return cleanUp(kind.get()).code();
        }
        try (Server running = source().open(Variables.cache())) {
            ExitCode worst = ExitCode.DONE;
            // in a cluster, the marker of a run is on the SQL node that the run was started on
            for (Endpoint node : Stream.concat(Stream.of(running.endpoint()), running.others().stream())
                    .toList()) {
                try (Connection session = JdbcDriver.connectForLoading(node, "")) {
                    ExitCode code = cleanUp(session, node);
                    worst = code == ExitCode.DONE ? worst : code;
                }
            }
            out().flush();
            return worst.code();
        }
    }

    private ExitCode cleanUp(StoreServers kind) throws SQLException {
        ServerSource<StoreServers.Opened> source = ServerArguments.parsed(
                kind, server.substring(ServerArguments.prefix(kind).length()), spec);
        if (!source.isRunning()) {
            throw notOfARun();
        }
        PrintWriter out = out();
        try (StoreServers.Opened running =
                source.open(Variables.cache(), dev.blobmark.lab.environment.Environment.DEFAULT, ServerLaunch.USUAL)) {
            Optional<StoreServers.Leftover> leftover = running.leftover();
            if (leftover.isEmpty()) {
                out.println("Nothing of Blobmark's is on this server.");
                return ExitCode.DONE;
            }
            StoreServers.Leftover found = leftover.get();
            boolean goes = all || !found.isAlive();
            out.println((goes ? "to remove: " : "kept: ") + found.description() + " of run " + found.run()
                    + (found.isAlive() ? ", still at work" : ""));
            out.flush();
            Optional<ExitCode> instead = goes && !dryRun ? insteadOfRemoving() : Optional.of(ExitCode.DONE);
            if (instead.isEmpty()) {
                out.println("removed: " + found.remove() + " of run " + found.run());
            }
            return instead.orElse(ExitCode.DONE);
        } finally {
            out.flush();
        }
    }

    /** Asks, unless --yes was given. The result is the exit code if nothing is to be removed; otherwise it is empty. */
    private Optional<ExitCode> insteadOfRemoving() {
        Optional<Boolean> isConfirmed = yes ? Optional.of(true) : Terminal.confirm("Remove them?");
        if (isConfirmed.isEmpty()) {
            PrintWriter err = err();
            err.println(
                    "blobmark: nothing was removed: there is no terminal to ask on. Repeat it with --yes to remove what"
                            + " is listed");
            err.flush();
            return Optional.of(ExitCode.USAGE);
        }
        if (!isConfirmed.get()) {
            out().println("Nothing was removed.");
            return Optional.of(ExitCode.DONE);
        }
        return Optional.empty();
    }

    private ParameterException notOfARun() {
        return usage(
                "--server: a server that Blobmark starts takes all of its run with it; name one that goes on running");
    }

    private Servers.Source source() {
        Servers.Source source = connection.source(server, true, spec);
        if (source.isOwn()) {
            throw notOfARun();
        }
        return source;
    }

    private ExitCode cleanUp(Connection connection, Endpoint node) throws SQLException {
        PrintWriter out = out();
        PrintWriter err = err();
        List<String> named = new ArrayList<>();
        for (String schema : schemas) {
            named.add(Cleanup.schema(connection, schema));
        }
        List<Cleanup.LeftoverSchema> dead = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        boolean any = false;
        for (Cleanup.LeftoverSchema leftover : Cleanup.find(connection)) {
            if (!named.contains(leftover.marker().schema())) {
                out.println("also marked: " + text(leftover) + "; name it by --schema "
                        + leftover.marker().schema());
                continue;
            }
            any = true;
            leftover.foreign().ifPresent(refusals::add);
            if (leftover.foreign().isPresent()) {
                out.println("kept: " + text(leftover) + ", made on another server");
            } else if (leftover.isAlive() && !all) {
                out.println("kept: " + text(leftover) + ", still at work");
            } else {
                dead.add(leftover);
                list(leftover, out);
            }
        }
        if (!any) {
            out.println("Nothing of Blobmark's is in " + String.join(", ", named) + " of " + node + ".");
        }
        if (!dead.isEmpty()) {
            Cleanup.refusal(connection)
                    .ifPresent(refusal -> refusals.add("nothing is removed from this server: " + refusal));
        }
        out.flush();
        if (!refusals.isEmpty()) {
            refusals.forEach(refusal -> err.println("blobmark: " + refusal));
            err.flush();
            return ExitCode.NOT_ALLOWED;
        }
        return dryRun || dead.isEmpty() ? ExitCode.DONE : removeConfirmed(connection, dead, out);
    }

    private ExitCode removeConfirmed(Connection connection, List<Cleanup.LeftoverSchema> dead, PrintWriter out)
            throws SQLException {
        Optional<ExitCode> instead = insteadOfRemoving();
        if (instead.isPresent()) {
            return instead.get();
        }
        for (Cleanup.LeftoverSchema leftover : dead) {
            Optional<String> whyItStays = Cleanup.remove(connection, leftover);
            out.println("removed: " + text(leftover)
                    + whyItStays.map(why -> "; the schema stays: " + why).orElse(""));
        }
        return ExitCode.DONE;
    }

    /** Lists everything that will be dropped. */
    private static void list(Cleanup.LeftoverSchema leftover, PrintWriter out) {
        out.println("to remove: " + text(leftover) + (leftover.isAlive() ? ", still at work" : ""));
        String schema = leftover.marker().schema();
        Stream.concat(leftover.tables().stream(), Stream.of(Marker.TABLE))
                .forEach(table -> out.println("  table " + schema + "." + table));
        out.println("  schema " + schema
                + leftover.whyItStays().map(why -> " stays: " + why).orElse(""));
    }

    private static String text(Cleanup.LeftoverSchema leftover) {
        int tables = leftover.tables().size();
        return "schema " + leftover.marker().schema() + ", " + tables + (tables == 1 ? " table" : " tables")
                + " of run "
                + leftover.marker().run() + ", begun " + leftover.marker().createdAt() + " by Blobmark "
                + leftover.marker().version();
    }
}
