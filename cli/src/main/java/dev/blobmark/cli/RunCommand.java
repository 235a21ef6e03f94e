package dev.blobmark.cli;

import dev.blobmark.lab.admission.AdmissionException;
import dev.blobmark.lab.conduct.Ending;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.conduct.TableSamples;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.fork.Heap;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Threads;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.report.Format;
import dev.blobmark.report.Report;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code blobmark run}: from a study's name to its ranking. */
@Command(
        name = "run",
        description = {
            "Runs a study: starts a server, loads the values, measures every method under every condition, prints the"
                    + " ranking and leaves a run directory."
        },
        customSynopsis = {"blobmark run [OPTION]... STUDY|FILE.yaml", "       blobmark run --resume RUN"},
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark run blob-fetch",
            "  blobmark run blob-fetch --methods gzip,zstd --set size=64KB --dry-run",
            "  blobmark run blob-fetch --data dir:photos --threads 1,8",
            "  blobmark run blob-fetch --precision 1%% --budget 10m",
            "  blobmark run --resume runs/2026-11-21T10-15-00-blob-fetch"
        })
final class RunCommand implements Callable<Integer> {

    static final String REDIS = "redis=";

    private static final long STOP_PATIENCE_SECONDS = 30;

    /** Endings of runs that can go on. */
    private static final Set<Ending> BEFORE_ITS_END =
            Set.of(Ending.INTERRUPTED, Ending.CRITICAL_LOAD, Ending.WATCH_LOST);

    @Spec
    private CommandSpec spec;

    /** With {@code --resume}, the run's own plan goes on: an option that says how to run may be given, one of the plan not. */
    private static final Set<String> WITH_RESUME = Set.of(
            "--resume",
            "--budget",
            "--server",
            "--data-server",
            "--defaults-file",
            "--ssl-mode",
            "--ssl-ca",
            "--ssl-cert",
            "--ssl-key",
            "--get-server-public-key",
            "--enable-cleartext-plugin",
            "--jvm-flags",
            "--allow-program",
            "--redact",
            "--dry-run",
            "--debug",
            "--schema",
            "--max-bytes",
            "--allow-replicated-writes",
            "--max-load",
            "--critical-load");

    @Parameters(
            paramLabel = "STUDY|FILE.yaml",
            arity = "0..1",
            description = "A built-in study (see 'blobmark list studies') or a file.")
    private String study;

    @ArgGroup
    private ProfileOptions profile = new ProfileOptions();

    static final class ProfileOptions {
        @Option(
                names = "--profile",
                paramLabel = "NAME",
                description = "The study's profile; its first one by default.")
        String name;

        @Option(names = "--quick", description = "Short for --profile quick.")
        boolean quick;

        @Option(names = "--full", description = "Short for --profile full.")
        boolean full;

        Optional<String> chosen() {
            return quick ? Optional.of("quick") : full ? Optional.of("full") : Optional.ofNullable(name);
        }
    }

    @Option(names = "--methods", paramLabel = "ID,ID", description = "Keep these methods, and the baseline.")
    private String methods;

    @Option(
            names = "--set",
            paramLabel = "FACTOR=LEVEL,LEVEL",
            description = "Replace a condition's levels, or set a method's choice in all methods.")
    private List<String> sets = List.of();

    @Option(
            names = "--control",
            description = "Add a twin of the baseline: what it shows is the noise floor of this machine.")
    private boolean control;

    @Option(names = "--threads", paramLabel = "N,N", description = "Operations in flight; short for --set threads=…")
    private String threads;

    @Option(
            names = "--rate",
            paramLabel = "R,R",
            description = "Operations offered per second: 1000, poisson:1000; short for --set rate=…")
    private String rate;

    @Option(names = "--link", paramLabel = "LINK", description = "Short for --set link=…")
    private String link;

    @Option(
            names = "--data",
            paramLabel = "DATASET",
            description = "Short for --set dataset=…, for example dir:PATH, jsonl:FILE or table:DB.TABLE.COLUMN.")
    private String data;

    @Option(
            names = "--data-server",
            paramLabel = "SERVER",
            description = "The running server that a dataset table:… is read from, if it is not that of --server:"
                    + " mysql://USER@HOST:PORT/.")
    private String dataServer;

    @Option(
            names = "--jvm",
            paramLabel = "PATH,PATH",
            description = "JVMs to measure with, each a JAVA_HOME, or 'default'; short for --set jvm=…")
    private String jvm;

    @Option(
            names = "--jvm-flags",
            paramLabel = "FLAGS",
            description = "More flags for the measuring JVMs, as one word: '-XX:+UseParallelGC -Xmx2g'.")
    private String jvmFlags = "";

    @Option(names = "--time", paramLabel = "WINDOW", description = "Length of a window: 1s, 250ms, or 50000ops.")
    private String time;

    @Option(names = "--rounds", paramLabel = "N", description = "Passes over all trials.")
    private String rounds;

    @Option(names = "--forks", paramLabel = "N", description = "Fresh JVMs that the rounds are spread over.")
    private String forks;

    @Option(names = "--warm-up", paramLabel = "TIME", description = "The longest run-in of a trial.")
    private String warmUp;

    @Option(names = "--seed", paramLabel = "N", description = "From which every random choice is drawn.")
    private String seed;

    @Option(
            names = "--precision",
            paramLabel = "PERCENT",
            description = "Add forks until every interval is that narrow: 1%%.")
    private String precision;

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description = "Add forks until all comparisons are decided, or --precision is reached, for so long at most:"
                    + " 10m. With --resume: so much longer, also of a run that had finished.")
    private String budget;

    @Option(
            names = "--resume",
            paramLabel = "RUN",
            description = "Go on with a run that was interrupted, killed or failed.")
    private Path resume;

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            description = "See 'blobmark list servers'; redis=SERVER is the Redis of a study that needs one. Default:"
                    + " embedded, both.")
    private List<String> servers = List.of();

    @Option(
            names = "--sql-nodes",
            paramLabel = "N",
            description =
                    "SQL nodes of the cluster that --server ndb:DIR starts, over which connections are spread. Default: 1.")
    private Integer sqlNodes;

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    private GuestOptions guest;

    @Option(
            names = "--pin",
            paramLabel = "client=CPUS,server=CPUS",
            description =
                    "Hold the measuring JVMs and the server to processors: client=1,server=0, or 2-3, or 0+2; none:"
                            + " leave them to the system. Default: with a server that is started for the run, each on half of the"
                            + " cores, if that is one for each thread.")
    private String pin;

    @Option(
            names = "--keep-awake",
            negatable = true,
            fallbackValue = "true",
            description =
                    "Keep processors out of idle with spinners that give way to what the run starts, and rest while"
                            + " it writes; a server of yours on this machine would wait for them. Default: with a server that is"
                            + " started for the run, where waking an idle one takes long.")
    private Boolean keepAwake;

    @Option(names = "--out", paramLabel = "DIR", description = "The run directory; default: a new one below runs/.")
    private Path out;

    @Mixin
    private ReportCommand.Judging judging;

    @Option(
            names = "--allow-program",
            paramLabel = "PATH",
            description =
                    "A JVM that the study, or the run to resume, names and that may be started. One that is named by"
                            + " --jvm or --set jvm=… may be anyway; the others are asked for on a terminal.")
    private List<String> programs = List.of();

    @Option(
            names = "--redact",
            description =
                    "Write the run without the names of datasets, tables, columns, schema and directories of yours."
                            + " Such a run can be reported and not be resumed.")
    private boolean redact;

    @Option(
            names = "--dry-run",
            description = "Print the plan, the DDL and an estimate; check a running server, and write nothing to it.")
    private boolean dryRun;

    @Override
    public Integer call() throws Exception {
        PrintWriter err = spec.commandLine().getErr();
        checkWords();
        String server = server("");
        Servers.Source source = withSqlNodes(
                dataServer != null && !Servers.isRunning(server)
                        ? connection.ownSource(server, spec)
                        : connection.source(server, true, spec));
        Optional<RunDirectory> stopped = Optional.ofNullable(resume).map(RunDirectory::open);
        stopped.ifPresent(this::requireNames);
        Study study = stopped.isPresent() ? studyOf(stopped.get()) : study(err);
        Precautions precautions =
                stopped.map(run -> run.manifest().quiet().precautions()).orElseGet(() -> precautions(source, study));
        precautions.check();
        try (Progress progress = new Progress(err, dryRun ? OptionalInt.empty() : Terminal.columns());
                TableSamples samples = TableSamples.read(
                        study, dataSource(study, source), Environment.cache(), guest.terms(), progress)) {
            Laboratory laboratory = laboratory(
                    study,
                    new RunOptions(source, Environment.cache(), ForkMain.launch(forkFlags(study)), Version.ofBuild())
                            .with(redis(server(REDIS), spec))
                            .with(precautions)
                            .with(guest.terms())
                            .with(samples.datasets()),
                    progress);
            Estimate estimate = stopped.isPresent() ? laboratory.estimate(stopped.get()) : laboratory.estimate();
            if (dryRun) {
                PrintWriter out = spec.commandLine().getOut();
                Plan.print(study, estimate, out);
                if (!source.isOwn()) {
                    List<String> found = laboratory.inspect(stopped);
                    out.printf("%nServer: it allows this run; nothing was written to it%n");
                    found.forEach(line -> out.printf("  %s%n", line));
                    out.flush();
                }
                return ExitCode.DONE.code();
            }
            requireAllowed(laboratory.programs(), progress);
            checkJvms(laboratory);
            if (redact) {
                laboratory.redactNames();
            }
            if (stopped.isPresent()) {
                if (stopped.get().manifest().state() == Manifest.State.FINISHED && budget == null) {
                    err.println("This run had finished: there is nothing left to do.");
                } else {
                    Plan.printHeader(study, estimate, err);
                }
                return run(laboratory, laboratory::resume, stopped.get(), progress, err);
            }
            RunDirectory directory = out == null
                    ? RunDirectory.create(Path.of("runs"), Instant.now(), study.name())
                    : RunDirectory.createAt(out);
            Plan.printHeader(study, estimate, err);
            return run(laboratory, laboratory::run, directory, progress, err);
        }
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
                .filter(text -> text.startsWith(REDIS) == prefix.equals(REDIS))
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

    /** Where values of the user's own tables come from; of no matter to a study that has none. */
    private Servers.Source dataSource(Study study, Servers.Source measured) {
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

    /** A study or a run, and with a run nothing that would change its plan. */
    private void checkWords() {
        if (resume == null) {
            if (study == null) {
                throw new ParameterException(
                        spec.commandLine(), "name a study (see 'blobmark list studies'), a file, or --resume a run");
            }
            return;
        }
        List<String> refused = new ArrayList<>();
        if (study != null) {
            refused.add("'" + study + "'");
        }
        spec.commandLine().getParseResult().matchedOptions().stream()
                .map(OptionSpec::longestName)
                .filter(name -> !WITH_RESUME.contains(name) && !refused.contains(name))
                .forEach(refused::add);
        if (!refused.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--resume goes on with the run's own study, plan and directory; leave out "
                            + String.join(", ", refused));
        }
    }

    /** What runs a study into a directory. */
    private interface Running {
        Ending into(RunDirectory directory) throws Exception;
    }

    private int run(Laboratory laboratory, Running running, RunDirectory directory, Progress progress, PrintWriter err)
            throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(laboratory, ended), "stop-run"));
        try {
            Ending ending = running.into(directory);
            progress.close();
            if (BEFORE_ITS_END.contains(ending)) {
                tellHowToGoOn("Interrupted: what", directory, err);
            }
            Report report = Report.of(directory, judging.equalWithin);
            ReportCommand.print(report, Format.TABLE, spec.commandLine().getOut());
            err.println("Run directory: " + directory.path());
            err.println("Report:        " + ReportCommand.writePage(directory, report));
            err.flush();
            return switch (ending) {
                case COMPLETE -> ExitCode.DONE.code();
                case TRIAL_FAILED -> ExitCode.TRIAL_FAILED.code();
                case RATE_NOT_REACHED -> ExitCode.RATE_NOT_REACHED.code();
                case INTERRUPTED -> ExitCode.INTERRUPTED.code();
                case CRITICAL_LOAD -> ExitCode.CRITICAL_LOAD.code();
                case WATCH_LOST -> ExitCode.WATCH_LOST.code();
            };
        } catch (AdmissionException | ServerException e) {
            progress.close();
            if (!directory.samples().isEmpty()) {
                tellHowToGoOn("What", directory, err);
            }
            throw e;
        } finally {
            ended.countDown();
        }
    }

    private static void tellHowToGoOn(String what, RunDirectory directory, PrintWriter err) {
        err.println(what + " had been measured until then is in the run directory. To go on:");
        err.println("  blobmark run --resume " + directory.path());
    }

    /** On Ctrl-C the JVM is ending already; this holds it until the run has come to an end of its own. */
    private static void stop(Laboratory laboratory, CountDownLatch ended) {
        laboratory.interrupt();
        try {
            ended.await(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Of flags that contradict each other, a JVM takes the last. */
    private List<String> forkFlags(Study study) {
        List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        flags.addAll(Heap.of(study.trials(Factors.VOCABULARY)).flags());
        Stream.of(jvmFlags.split("\\s+")).filter(flag -> !flag.isEmpty()).forEach(flags::add);
        return flags;
    }

    /** What no server can be, or not in this schedule, is told before anything is begun. */
    private Laboratory laboratory(Study study, RunOptions options, Progress progress) {
        try {
            return new Laboratory(study, options, progress);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void requireNames(RunDirectory run) {
        if (Redaction.isRedacted(run.manifest().study())) {
            throw new ParameterException(
                    spec.commandLine(),
                    run.path()
                            + " was written with --redact: the names of its datasets are not in it, so that it cannot go"
                            + " on; run the study anew");
        }
    }

    /** A study or a run may come from somebody else: what it names is started if the user has named it too, or agrees. */
    private void requireAllowed(Set<String> named, Progress progress) {
        Set<String> allowed = new TreeSet<>();
        try {
            programs.forEach(path -> allowed.add(Laboratory.programOf(path)));
            Stream.concat(
                            Stream.ofNullable(jvm),
                            sets.stream()
                                    .filter(set -> set.startsWith("jvm="))
                                    .map(set -> set.substring("jvm=".length())))
                    .flatMap(levels -> Stream.of(levels.split(",")))
                    .forEach(path -> allowed.add(Laboratory.programOf(path.strip())));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--allow-program: " + e.getMessage(), e);
        }
        List<String> others =
                named.stream().filter(program -> !allowed.contains(program)).toList();
        if (others.isEmpty()) {
            return;
        }
        progress.close();
        String whose = resume == null ? "the study" : "the run";
        for (String program : others) {
            if (!Terminal.confirm(whose + " starts a program: " + program + ". Start it?")
                    .orElse(false)) {
                throw new ParameterException(
                        spec.commandLine(),
                        whose + " names a program to start: " + program + "; if you trust it, add --allow-program "
                                + program.replaceFirst("/bin/java$", ""));
            }
        }
    }

    private void checkJvms(Laboratory laboratory) throws InterruptedException {
        try {
            laboratory.jvms();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** With a server that is started for the run, what was not asked for is chosen as it pays on this machine. */
    private Precautions precautions(Servers.Source source, Study study) {
        try {
            boolean isUsual = !dryRun && source.isOwn();
            Pin usual = isUsual ? Pin.apart(Threads.fewest(study.trials(Factors.VOCABULARY))) : Pin.NONE;
            return new Precautions(
                    pin == null ? usual : Pin.parse(pin), keepAwake == null ? isUsual && KeepAwake.pays() : keepAwake);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--pin: " + e.getMessage());
        }
    }

    private Study studyOf(RunDirectory run) {
        try {
            return budget == null ? run.manifest().study() : Laboratory.longer(run, Durations.parse(budget));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--budget: " + e.getMessage(), e);
        }
    }

    private Study study(PrintWriter err) throws IOException {
        try {
            Study read = study.endsWith(".yaml") || study.endsWith(".yml")
                    ? new StudyReader(Factors.VOCABULARY).read(Path.of(study), profile.chosen())
                    : Studies.read(study, Factors.VOCABULARY, profile.chosen());
            Adjustments.Adjusted adjusted = Adjustments.apply(read, adjustments(), Factors.VOCABULARY);
            adjusted.notes().forEach(err::println);
            return adjusted.study();
        } catch (StudyException | IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new ParameterException(
                    spec.commandLine(), study + " does not exist; name a file, or one of 'blobmark list studies'", e);
        }
    }

    private List<Adjustment> adjustments() {
        List<Adjustment> all = new ArrayList<>();
        add(all, "--methods", methods);
        add(all, "--control", control ? "true" : null);
        sets.forEach(set -> add(all, "--set", set));
        add(all, "--threads", threads);
        add(all, "--rate", rate);
        add(all, "--link", link);
        add(all, "--data", data);
        add(all, "--jvm", jvm);
        add(all, "--time", time);
        add(all, "--rounds", rounds);
        add(all, "--forks", forks);
        add(all, "--warm-up", warmUp);
        add(all, "--seed", seed);
        add(all, "--precision", precision);
        add(all, "--budget", budget);
        return all;
    }

    private static void add(List<Adjustment> all, String option, String value) {
        if (value != null) {
            all.add(new Adjustment(option, value));
        }
    }
}
