package dev.blobmark.cli;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceFile;
import dev.blobmark.advice.AdviceQuestion;
import dev.blobmark.advice.Advisor;
import dev.blobmark.advice.Goal;
import dev.blobmark.advice.Recheck;
import dev.blobmark.advice.Terms;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.conduct.TableSamples;
import dev.blobmark.lab.dataset.DataArgument;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Heap;
import dev.blobmark.lab.probe.CodecMemory;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.admission.ByteAmount;
import dev.blobmark.report.AdvicePage;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code blobmark advise}: recommends how to store values. */
@Command(
        name = "advise",
        description = {
            "Recommends how to store your values, for a server, a network and a load: measures codecs on the values,"
                    + " predicts, and measures the best candidates against each other."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark advise --data photos --link 1gbit",
            "  blobmark advise --data orders.jsonl --prefer speed",
            "  blobmark advise --data shop.orders.payload --server mysql://app@db1:3306/ --threads 8 --reads 95",
            "  blobmark advise --data shop.orders.payload --server mysql://app@db1:3306/ \\",
            "    --threads 64 --on spark://m:7077 --hosts 8",
            "  blobmark advise --check runs/2026-11-21T10-15-00-advice"
        })
final class AdviseCommand extends BlobmarkCommand {

    private static final Set<String> NOT_WITH_CHECK = Set.of(
            "--size",
            "--link",
            "--threads",
            "--prefer",
            "--reads",
            "--max-encode",
            "--max-memory",
            "--must-read-in-sql",
            "--seed",
            "--no-write",
            "--prices",
            "--rate",
            "--format");

    @Option(
            names = "--data",
            paramLabel = "DATA",
            description = "Your own values: a file of JSON lines, a directory of files, or SCHEMA.TABLE.COLUMN with a"
                    + " --server; or a dataset (see 'blobmark list datasets').")
    private String data;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "16KB",
            description = "Size of the values, for datasets without sizes of their own. Default: ${DEFAULT-VALUE}.")
    private String size;

    @Option(
            names = "--link",
            paramLabel = "LINK",
            defaultValue = "loopback",
            description = "The network between application and server: 1gbit, '200mbit 3ms'; see 'blobmark list"
                    + " links'. Default: the real one.")
    private String link;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Operations in flight. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--prefer",
            paramLabel = "GOAL",
            defaultValue = "balanced",
            description =
                    "speed: the fastest. balanced: the smallest of those that take at most 10 %% longer. disk: the"
                            + " smallest of those that take at most twice as long. Default: ${DEFAULT-VALUE}.")
    private String prefer;

    @Option(
            names = "--reads",
            paramLabel = "PERCENT",
            defaultValue = "95",
            description = "Reads among all reads and writes. Default: ${DEFAULT-VALUE}.")
    private double reads;

    @Option(
            names = "--max-encode",
            paramLabel = "TIME",
            description = "Only codecs that encode a value in this time on average: 5ms. Default: no limit.")
    private String maxEncode;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            description = "Only codecs with which a thread needs at most this memory to encode and decode the largest"
                    + " value: 8MB. Measured, on Linux only. Default: no limit.")
    private String maxMemory;

    @Option(
            names = "--must-read-in-sql",
            description = "Only what SQL can read: as it is, compressed by the server, or by UNCOMPRESS().")
    private boolean mustReadInSql;

    @Option(
            names = "--time",
            paramLabel = "TIME",
            defaultValue = "110s",
            description = "About how long the advice may take. Default: ${DEFAULT-VALUE}.")
    private String time;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "From which every random choice is drawn.")
    private long seed;

    @Option(
            names = "--check",
            paramLabel = "ADVICE",
            description = "Measure an advice again, next to the present way of storing: exit code 99 if it no longer"
                    + " holds.")
    private Path check;

    @Mixin
    private ServerArguments servers;

    @Option(
            names = "--no-write",
            description = "Write nothing to the server of --server: then nothing is raced, and times are forecasts.")
    private boolean noWrite;

    @Mixin
    private PricesOption prices;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Operations per second on average, for the costs of --prices. Default: only what is stored"
                    + " counts.")
    private double rate;

    @Mixin
    private GuestOptions guest;

    @Mixin
    private ClusterOptions clusters;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The directory of the advice; default: a new one below runs/.")
    private Path out;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, markdown or json. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Override
    public Integer call() throws Exception {
        PrintWriter err = err();
        Format<Advice> form = Formats.OF_ADVICE
                .find(format)
                .orElseThrow(() -> usage("--format: '" + format + "' is none of " + Formats.OF_ADVICE.words()));
        if ((data == null) == (check == null)) {
            throw usage("name your values with --data, or an advice that is to be checked with --check");
        }
        if (check != null) {
            refuse(NOT_WITH_CHECK::contains, "--check measures with real fetches what the advice was given for");
        }
        Optional<Advice> given = Optional.ofNullable(check).map(AdviceFile::read);
        AdviceQuestion question = given.isPresent() ? given.get().question() : question();
        requireHosts(question);
        Duration limit = parsed("--time", time, Durations::parse);
        Servers.Source source = servers.source();
        if (noWrite && source.isOwn()) {
            throw usage(
                    "--no-write: a server that Blobmark starts has nothing to protect; leave it out, or name a running"
                            + " server");
        }
        if (noWrite && clusters.isUsed()) {
            throw usage(
                    "--no-write measures codecs and the network on this machine, and nothing on hosts; leave out --on"
                            + " or --no-write");
        }
        if (rate != 0 && !prices.isGiven() || rate < 0) {
            throw usage("--rate: it is for the costs of --prices; add --prices FILE, and a rate above 0");
        }
        Study values = parsed("--data", question, Advisor::valuesStudy);
        // before a cluster or a server is started
        Optional<RunDirectory> chosen = Optional.ofNullable(out).map(RunDirectory::createAt);
        try {
            return advise(form, given, question, limit, source, values, chosen);
        } finally {
            chosen.ifPresent(RunDirectory::release);
        }
    }

    private int advise(
            Format<Advice> form,
            Optional<Advice> given,
            AdviceQuestion question,
            Duration limit,
            Servers.Source source,
            Study values,
            Optional<RunDirectory> chosen)
            throws Exception {
        PrintWriter err = err();
        Optional<Cluster> opened = clusters.open(Path.of(System.getProperty("java.io.tmpdir")));
        try (Cluster cluster = opened.orElse(null);
                RunProgress progress = new RunProgress(err, Terminal.columns());
                TableSamples samples = TableSamples.read(
                        values,
                        servers.dataSource(values, source),
                        Variables.cache(),
                        guest.limits(),
                        Advisor.SAMPLE,
                        progress)) {
            List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
            flags.addAll(Heap.of(values.trials(Factors.VOCABULARY)).flags());
            RunOptions options = servers.added(new RunOptions(
                            source, Variables.cache(), ClusterOptions.launch(opened, flags), Version.number()))
                    .with(Version.program(
                            List.of(RecordedCommand.of(spec.commandLine().getParseResult()))))
                    .with(guest.limits())
                    .with(samples.datasets());
            if (cluster != null) {
                clusters.requireReachable(cluster, source);
            }
            RunDirectory created =
                    chosen.orElseGet(() -> RunDirectory.create(Path.of("runs"), Instant.now(), "advice"));
            Path directory = created.path();
            Advisor advisor = new Advisor(
                    question,
                    options,
                    new AdviceProgress(progress, limit),
                    limit,
                    !servers.hasDataServer(),
                    prices.read().map(read -> new Terms(read, rate)));
            PrintWriter printed = out();
            ExitCode exit = ExitCode.DONE;
            if (given.isPresent()) {
                Recheck rechecked = interruptibly(advisor, created, () -> advisor.check(given.get(), directory));
                progress.end();
                Formats.OF_RECHECK.write(rechecked, Terminal.style(), printed);
                exit = rechecked.holds() ? ExitCode.DONE : ExitCode.LIMIT_EXCEEDED;
            } else {
                Advice advice = interruptibly(
                        advisor,
                        created,
                        () -> noWrite ? advisor.adviseWithoutWriting(directory) : advisor.advise(directory));
                progress.end();
                form.write(advice, Terminal.style(), printed);
                printed.flush();
                err.println("Page:                    " + AdvicePage.write(advice, directory));
            }
            printed.flush();
            err.println("Directory of the advice: " + directory);
            err.flush();
            return exit.code();
        }
    }

    /** An advice is checked from as many hosts as it was measured from. */
    private void requireHosts(AdviceQuestion question) {
        if (!question.hosts().equals(clusters.hosts())) {
            throw usage(
                    question.hosts().isPresent()
                            ? "--check: the advice was measured on a cluster; add --on MASTER --hosts "
                                    + question.hosts().getAsInt()
                            : "--check: the advice was measured from this machine; leave out --on and --hosts");
        }
    }

    /** An advice that fails before anything was measured leaves no directory. */
    private static <T> T interruptibly(Advisor advisor, RunDirectory created, Callable<T> work) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        endOnInterruption("stop-advice", advisor::interrupt, ended);
        try {
            return work.call();
        } finally {
            created.release();
            ended.countDown();
        }
    }

    private AdviceQuestion question() {
        String dataset = parsed("--data", data, word -> DataArgument.levels(word, servers.isRunning()));
        if (dataset.contains(",")) {
            throw usage("--data: an advice is for one dataset; name one of " + data);
        }
        OptionalDouble encode = maxEncode == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        parsed("--max-encode", maxEncode, Durations::parse).toNanos());
        OptionalLong memory = maxMemory == null
                ? OptionalLong.empty()
                : OptionalLong.of(parsed("--max-memory", maxMemory, AdviseCommand::memoryBytes));
        try {
            return new AdviceQuestion(
                    dataset,
                    parsed("--size", size, Size::parse).toString(),
                    parsed("--link", link, Link::parse).toString(),
                    threads,
                    clusters.hosts(),
                    parsed("--prefer", prefer, Goal::parse),
                    reads / 100,
                    encode,
                    memory,
                    mustReadInSql,
                    seed);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }

    private static long memoryBytes(String text) {
        try {
            CodecMemory.requireMeasurable();
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return ByteAmount.parse(text);
    }
}
