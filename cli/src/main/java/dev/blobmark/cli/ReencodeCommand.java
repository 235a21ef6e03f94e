package dev.blobmark.cli;

import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.cli.shards.ShardProcess;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.ByteAmount;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.checkpoint.Remembered;
import dev.blobmark.reencode.inplace.WriterProcess;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.report.Formats;
import dev.blobmark.value.EncodingPolicy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code blobmark reencode}: changes how the values of a table in use are stored. */
@Command(
        name = "reencode",
        description = {
            "Changes how the values of a column are stored, while others read and write them.",
            "A value is only changed if it is still the one that was read, and each new value was decoded and compared"
                    + " before. It may be interrupted at any time: the same command continues. --revert takes it back."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark reencode --server mysql://db1/ --table app.t.doc --to lz4 --dry-run",
            "  blobmark reencode --server mysql://db1/ --table app.t.doc --to lz4",
            "  blobmark reencode --server mysql://db1/ --table app.t.doc --verify",
            "  blobmark reencode --server mysql://db1/ --table app.t.doc --revert"
        })
final class ReencodeCommand extends BlobmarkCommand {

    @Option(
            names = "--table",
            paramLabel = "SCHEMA.TABLE.COLUMN",
            required = true,
            description = "The column whose values are changed.")
    private String table;

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            required = true,
            description = "The running server that has the table, the source of its replicas: mysql://USER@HOST:PORT/."
                    + " Several by braces: mysql://app@shard{00..63}/.")
    private String server;

    @ArgGroup(multiplicity = "1")
    private ReencodeAction action;

    @Option(
            names = "--accept",
            paramLabel = "KEY",
            description =
                    "With --finish: a row that differed at the exchange of a copy, by its key as it is shown, is right"
                            + " as it is. May be repeated; '*' is all.")
    private List<String> accepted = List.of();

    @Option(
            names = "--from",
            paramLabel = "CODEC",
            defaultValue = "none",
            description =
                    "How all values without a frame are stored now: none, or gzip, zlib, mysql and others. Default:"
                            + " ${DEFAULT-VALUE}.")
    private String from;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "in-place",
            description =
                    "in-place changes the rows where they are; copy fills a new table, of the size that is needed,"
                            + " which takes the place of the former one. TEXT and JSON columns need copy. Default: ${DEFAULT-VALUE}.")
    private String mode;

    @Option(
            names = "--collisions-are-legacy",
            description =
                    "Values that begin like a frame and are none are values, not damaged frames. Only for a column in"
                            + " which nothing was encoded yet.")
    private boolean areCollisionsLegacy;

    @Option(names = "--dry-run", description = "Say what would be done, and write nothing.")
    private boolean isDryRun;

    @Option(names = "--yes", description = "Begin without asking.")
    private boolean yes;

    @Option(
            names = "--min-length",
            paramLabel = "SIZE",
            defaultValue = "128",
            description = "Shorter values stay as they are. Default: ${DEFAULT-VALUE} bytes.")
    private String minLength;

    @Option(
            names = "--min-saving",
            paramLabel = "X%",
            defaultValue = "12.5%",
            converter = Percentage.class,
            description = "Values that encoding makes smaller by less stay as they are. Default: ${DEFAULT-VALUE}.")
    private double minSaving;

    @Option(names = "--checksum", description = "Give each encoded value 4 bytes of checksum, which readers check.")
    private boolean hasChecksum;

    @Mixin
    private PaceOptions pace;

    @Option(
            names = "--no-originals",
            description = "Keep no former bytes of values that were encoded before; --revert then decodes them.")
    private boolean keepsNoOriginals;

    @Option(
            names = "--force",
            description = "Begin although a reader that announced itself cannot read what is written, or although the"
                    + " table seems to be another one than the one that was changed.")
    private boolean force;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description =
                    "table, markdown, or json: a line for each event on standard output. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Option(
            names = "--at-once",
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of servers that are changed at the same time; with --on, one per host. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int atOnce;

    @Mixin
    private ClusterOptions clusters;

    @Mixin
    private LoadOptions load;

    @Mixin
    private ConnectionOptions connection;

    private volatile Optional<Reencoding> working = Optional.empty();
    private volatile Optional<WriterProcess> writing = Optional.empty();
    private boolean isWriter;

    @Override
    public Integer call() throws Exception {
        if (Formats.OF_PREVIEW.find(format).isEmpty()) {
            throw usage("--format: '" + format + "' is none of " + Formats.OF_PREVIEW.words());
        }
        List<String> servers = parsed("--server", server, ServerNames::expand);
        TableColumn column = column();
        Optional<Target> target = Optional.ofNullable(action.to).map(this::target);
        if (servers.size() > 1) {
            return onAll(servers).code();
        }
        if (!accepted.isEmpty() && !action.finish) {
            throw usage("--accept is for --finish");
        }
        refuseOtherWorkOfHosts();
        ReencodeOptions options = options();
        Servers.Source source = source("--server", server);
        if (isWriter) {
            return write(new WriterProcess(source, Variables.cache(), column, options, output()::print))
                    .code();
        }
        CountDownLatch ended = new CountDownLatch(1);
        try (Cluster cluster = cluster().orElse(null);
                ReencodeOutput output = output()) {
            Reencoding reencoding =
                    new Reencoding(source, Variables.cache(), column, options, Version.number(), output);
            if (cluster != null) {
                List<String> arguments = arguments(servers).get(0);
                ShardOrder.ShardLogin login = connection.forProcess();
                Launch launch = cluster.plain(ShardMain.class.getName(), ShardArguments.FLAGS);
                reencoding.writeOn(() ->
                        ShardProcess.start(launch, new ShardOrder(arguments, connection.password(), login, true)));
            }
            working = Optional.of(reencoding);
            endOnInterruption("stop-reencode", reencoding::interrupt, ended);
            return run(reencoding, target, output).code();
        } finally {
            ended.countDown();
        }
    }

    private ExitCode run(Reencoding reencoding, Optional<Target> target, ReencodeOutput output) throws Exception {
        if (action.finish) {
            reencoding.finish(Set.copyOf(accepted));
            if (output.isJson()) {
                output.event("forgotten", table);
            } else {
                output.say("The change is forgotten; the values stay as they are.");
            }
            return ExitCode.DONE;
        }
        if (action.verify) {
            return output.verified(reencoding.verify());
        }
        if (action.revert) {
            if (!isConfirmed("Take the change of " + table + " back?")) {
                return declined(output);
            }
            return output.ended(reencoding.revert(), true);
        }
        Before before = parsed("--from", from, codec -> new Before(codec, areCollisionsLegacy));
        Preview preview = reencoding.preview(before, target.orElseThrow());
        PrintWriter out = out();
        Formats.OF_PREVIEW.find(format).orElseThrow().write(preview, Terminal.style(), out);
        out.flush();
        if (!preview.problems().isEmpty()) {
            return ExitCode.NOT_ALLOWED;
        }
        if (isDryRun) {
            return ExitCode.DONE;
        }
        if (!isConfirmed("Change the values of " + table + "?")) {
            return declined(output);
        }
        return output.ended(reencoding.change(before, target.get()), false);
    }

    /** With one server, the hosts of a cluster change rows in place, and do nothing else. */
    private void refuseOtherWorkOfHosts() {
        if (clusters.isUsed() && (isCopy() || action.verify || action.finish)) {
            String with = isCopy() ? "--mode copy" : action.verify ? "--verify" : "--finish";
            throw usage("--on: with one server, the hosts change rows in place; leave it out with " + with);
        }
    }

    /** The hosts that change rows; empty if this machine does. */
    private Optional<Cluster> cluster() throws IOException {
        return isDryRun ? Optional.empty() : clusters.open(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Makes this a writer that a process on another host directs, which sends it lines. */
    void writeForAnother() {
        isWriter = true;
    }

    private ExitCode write(WriterProcess process) {
        writing = Optional.of(process);
        CountDownLatch ended = new CountDownLatch(1);
        endOnInterruption("stop-reencode", process::interrupt, ended);
        try {
            process.run();
            return ExitCode.DONE;
        } finally {
            ended.countDown();
        }
    }

    /** Executes a command of the socket while it works, or one for a writer. Any thread may call it. */
    void command(String line) {
        working.ifPresent(reencoding -> reencoding.command(line));
        writing.ifPresent(process -> process.take(line));
    }

    /** The same on each of several servers, here or on the hosts of a cluster. */
    private ExitCode onAll(List<String> servers) throws Exception {
        servers.forEach(each -> source("--server", each));
        if (pace.hasSocket()) {
            throw usage("--socket is for one server; --pause-file pauses the work on several");
        }
        if (atOnce < 1) {
            throw usage("--at-once: " + atOnce + " is less than 1");
        }
        OptionalInt hosts = clusters.hosts();
        Optional<Cluster> opened = clusters.open(Path.of(System.getProperty("java.io.tmpdir")));
        CountDownLatch ended = new CountDownLatch(1);
        try (Cluster cluster = opened.orElse(null);
                ReencodeOutput output = output()) {
            String main = ShardMain.class.getName();
            ReencodeShards shards = new ReencodeShards(
                    servers,
                    cluster == null
                            ? new JvmLaunch(main, ShardArguments.FLAGS)
                            : cluster.plain(main, ShardArguments.FLAGS),
                    hosts.orElse(atOnce),
                    new ReencodeShards.ShardWork(
                            arguments(servers),
                            Variables.password(),
                            connection.forProcess(),
                            pace.pauseFile(),
                            action.verify,
                            number -> notDone(servers.get(number)),
                            ShardProcess.PATIENCE),
                    output);
            endOnInterruption("stop-reencode", shards::stop, ended);
            return onAll(shards, servers.size(), output);
        } finally {
            ended.countDown();
        }
    }

    private ExitCode onAll(ReencodeShards shards, int number, ReencodeOutput output) throws Exception {
        if (action.to != null) {
            ExitCode previewed = shards.preview();
            if (previewed != ExitCode.DONE || isDryRun) {
                return previewed;
            }
        }
        String where = table + " on " + number + (number == 1 ? " server" : " servers");
        boolean isAsking = action.to != null || action.revert;
        if (isAsking
                && !isConfirmed(
                        action.revert
                                ? "Take the change of " + where + " back?"
                                : "Change the values of " + where + "?")) {
            return declined(output);
        }
        return shards.run();
    }

    /** Why the action is not done on a server, by what the server remembers; empty if it is. */
    private Optional<String> notDone(String of) throws SQLException, IOException {
        Optional<Remembered> now = Remembered.read(connection.source(of, false, spec), Variables.cache(), column());
        return action.isDone(now, this::target)
                ? Optional.empty()
                : Optional.of("its process says that it is done, and the server remembers otherwise: "
                        + now.map(Remembered::inWords).orElse("no change of it is known there"));
    }

    private List<List<String>> arguments(List<String> servers) {
        List<List<String>> named = pace.replicas().stream()
                .map(each -> parsed("--replicas", each, ServerNames::expand))
                .toList();
        named.stream().filter(all -> all.size() != servers.size()).findFirst().ifPresent(all -> {
            throw usage("--replicas names " + all.size() + " servers by one word, and --server " + servers.size()
                    + "; write one word for each replica of a server: replica{00..63},other{00..63}");
        });
        return ShardArguments.of(spec.commandLine().getParseResult(), servers, named);
    }

    private ExitCode declined(ReencodeOutput output) {
        output.say("Nothing was changed.");
        return ExitCode.DONE;
    }

    private boolean isConfirmed(String question) {
        if (yes) {
            return true;
        }
        if (!format.equals("json")) {
            out().println();
        }
        return Terminal.confirm(question)
                .orElseThrow(() -> usage("there is no terminal to ask on; --yes begins without asking"));
    }

    private ReencodeOutput output() {
        return new ReencodeOutput(out(), err(), format.equals("json"));
    }

    private TableColumn column() {
        return parsed("--table", table, TableColumn::named);
    }

    private Target target(String codec) {
        return parsed(
                "--to",
                codec,
                name -> new Target(
                        name,
                        new EncodingPolicy(
                                (int) Math.min(Integer.MAX_VALUE, bytes("--min-length", minLength)),
                                minSaving,
                                hasChecksum)));
    }

    private ReencodeOptions options() {
        Pace allowed = pace.pace(load.tolerated(), each -> source("--replicas", each));
        try {
            return new ReencodeOptions(
                    allowed,
                    isCopy(),
                    !keepsNoOriginals,
                    pace.writers().orElse(clusters.hosts().orElse(1)),
                    force);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }

    private boolean isCopy() {
        return switch (mode) {
            case "in-place" -> false;
            case "copy" -> true;
            default -> throw usage("--mode: '" + mode + "' is neither in-place nor copy");
        };
    }

    private Servers.Source source(String option, String text) {
        Servers.Source source = connection.source(text, true, spec);
        if (source.isOwn()) {
            throw usage(option + ": '" + text
                    + "' is a server that Blobmark starts, and has no table of yours; name a running one, as in "
                    + option + " mysql://USER@HOST:PORT/");
        }
        return source;
    }

    private long bytes(String option, String text) {
        return parsed(option, text, ByteAmount::parse);
    }
}
