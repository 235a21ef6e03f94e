package dev.blobmark.cli;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.conduct.Ending;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.OwnColumn;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.conduct.TableSamples;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Heap;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.server.ServerException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark run}: runs a study, and prints its report. */
@Command(
        name = "run",
        description = {
            "Runs a study: starts a server, loads the values, measures every method under every condition, prints the"
                    + " ranking and leaves a run directory."
        },
        customSynopsis = {
            "blobmark run [OPTION]... STUDY|FILE.yaml",
            "       blobmark run [OPTION]... --data FILE|DIR|TABLE",
            "       blobmark run --resume RUN"
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark run blob-fetch",
            "  blobmark run blob-fetch --methods gzip,zstd --set size=64KB --dry-run",
            "  blobmark run --data photos",
            "  blobmark run blob-fetch --data photos --threads 1,8",
            "  blobmark run blob-fetch --precision 1%% --budget 10m",
            "  blobmark run --resume runs/2026-11-21T10-15-00-blob-fetch"
        })
final class RunCommand extends BlobmarkCommand {

    /** Endings of runs that can be resumed. */
    private static final Set<Ending> BEFORE_ITS_END =
            Set.of(Ending.INTERRUPTED, Ending.CRITICAL_LOAD, Ending.WATCH_LOST);

    /**
     * With {@code --resume}, the plan of the run is continued: options for how to run may be given, options of the plan
     * may not.
     */
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
            "--on",
            "--hosts",
            "--spark-conf",
            "--spark-conf-file",
            "--insecure-cluster",
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

    @Mixin
    private StudyOptions changes;

    @Option(
            names = "--jvm-flags",
            paramLabel = "FLAGS",
            description = "More flags for the measuring JVMs, as one word: '-XX:+UseParallelGC -Xmx2g'.")
    private String jvmFlags = "";

    @Option(
            names = "--resume",
            paramLabel = "RUN",
            description = "Go on with a run that was interrupted, killed or failed.")
    private Path resume;

    @Mixin
    private ServerArguments servers;

    @Mixin
    private GuestOptions guest;

    @Mixin
    private PrecautionOptions precautions;

    @Mixin
    private ClusterOptions clusters;

    @Option(names = "--out", paramLabel = "DIR", description = "The run directory; default: a new one below runs/.")
    private Path out;

    @Mixin
    private ReportCommand.Judging judging;

    @Mixin
    private ProgramOptions programs;

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
        checkWords();
        Servers.Source source = servers.source();
        Optional<RunDirectory> stopped = Optional.ofNullable(resume).map(RunDirectory::open);
        stopped.ifPresent(this::requireNames);
        OptionalInt hosts = clusters.hosts();
        Study given = stopped.isPresent()
                ? changes.ofRun(stopped.get())
                : changes.read(study(), servers.isRunning(), hosts, err());
        Precautions precautions = stopped.map(
                        run -> run.manifest().machine().quiet().precautions())
                .orElseGet(() -> this.precautions.of(given, !dryRun && source.isOwn()));
        precautions.check();
        requireOwnProcessors(precautions);
        // before a cluster or a server is started
        Optional<RunDirectory> chosen = dryRun ? Optional.empty() : chosen(stopped);
        try {
            return run(source, stopped, given, precautions, chosen);
        } finally {
            chosen.ifPresent(RunDirectory::release);
        }
    }

    /** The directory that the user names, claimed for this run. */
    private Optional<RunDirectory> chosen(Optional<RunDirectory> stopped) {
        stopped.ifPresent(RunDirectory::claim);
        return stopped.or(() -> Optional.ofNullable(out).map(RunDirectory::createAt));
    }

    private int run(
            Servers.Source source,
            Optional<RunDirectory> stopped,
            Study given,
            Precautions precautions,
            Optional<RunDirectory> chosen)
            throws Exception {
        PrintWriter err = err();
        Optional<Cluster> opened =
                dryRun ? Optional.empty() : clusters.open(Path.of(System.getProperty("java.io.tmpdir")));
        try (Cluster cluster = opened.orElse(null);
                RunProgress progress = new RunProgress(err, dryRun ? OptionalInt.empty() : Terminal.columns());
                TableSamples samples = TableSamples.read(
                        given, servers.dataSource(given, source), Variables.cache(), guest.limits(), progress)) {
            Study study = withOwnColumn(given, samples);
            RunOptions options = servers.added(new RunOptions(
                            source,
                            Variables.cache(),
                            ClusterOptions.launch(opened, forkFlags(study)),
                            Version.number()))
                    .with(Version.program(
                            List.of(RecordedCommand.of(spec.commandLine().getParseResult()))))
                    .with(precautions)
                    .with(guest.limits())
                    .with(samples.datasets());
            progress.setRemote(options.isRemote());
            Laboratory laboratory = laboratory(study, options, progress);
            Estimate estimate = stopped.isPresent() ? laboratory.estimate(stopped.get()) : laboratory.estimate();
            if (dryRun) {
                if (source.isOwn() || !laboratory.usesMySql()) {
                    PlanText.print(
                            study,
                            estimate,
                            OptionalLong.of(estimate.bufferPoolBytes()),
                            false,
                            charts(study, options, progress),
                            out());
                } else {
                    printInspected(
                            study,
                            estimate,
                            options.isRemote(),
                            charts(study, options, progress),
                            () -> laboratory.inspect(stopped));
                }
                return ExitCode.DONE.code();
            }
            programs.require(
                    laboratory.programs(), changes.jvms(), stopped.isPresent() ? "the run" : "the study", progress);
            checkJvms(laboratory);
            if (cluster != null) {
                requireJvmsOfHosts(laboratory);
                clusters.requireReachable(cluster, source);
            }
            if (redact) {
                laboratory.redactNames();
            }
            if (stopped.isPresent()) {
                if (stopped.get().manifest().progress().state() == Manifest.State.FINISHED && !changes.hasBudget()) {
                    err.println("This run had finished: there is nothing left to do.");
                } else {
                    PlanText.printHeader(study, estimate, err);
                }
                return run(laboratory, laboratory::resume, stopped.get(), progress, err);
            }
            RunDirectory directory =
                    chosen.orElseGet(() -> RunDirectory.create(Path.of("runs"), Instant.now(), study.name()));
            PlanText.printHeader(study, estimate, err);
            if (!source.isOwn()) {
                PlanText.advice(estimate).ifPresent(line -> err.println("  " + line));
            }
            return run(laboratory, into -> begin(laboratory, into), directory, progress, err);
        }
    }

    /** Prints the plan even if the server cannot be reached or does not allow the run; then reports that. */
    private void printInspected(
            Study study,
            Estimate estimate,
            boolean isRemote,
            Map<String, Duration> charts,
            Callable<Laboratory.ServerInspection> inspection)
            throws Exception {
        Optional<Laboratory.ServerInspection> found = Optional.empty();
        try {
            found = Optional.of(inspection.call());
        } finally {
            PlanText.print(
                    study,
                    estimate,
                    found.stream()
                            .mapToLong(Laboratory.ServerInspection::bufferPoolBytes)
                            .findFirst(),
                    isRemote,
                    charts,
                    out());
        }
        if (found.get().refusal().isPresent()) {
            throw found.get().refusal().get();
        }
        out().printf("%nServer: it allows this run; nothing was written to it%n");
        found.get().notes().forEach(line -> out().printf("  %s%n", line));
        if (resume == null) {
            PlanText.advice(estimate).ifPresent(line -> out().printf("  %s%n", line));
        }
        out().flush();
    }

    /** Requires a study or a run, and with a run no option that changes its plan. */
    private void checkWords() {
        if (resume == null) {
            if (study == null && !changes.hasData()) {
                throw usage(
                        "name a study (see 'blobmark list studies'), a file, values of yours by --data, or --resume a run");
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
            throw usage("--resume goes on with the run's own study, plan and directory; leave out "
                    + String.join(", ", refused));
        }
    }

    /** The named study; without one, the study for the user's own values. */
    private String study() {
        return study == null ? Studies.OWN_DATA : study;
    }

    /** Runs a study into a directory. */
    private interface StudyRun {
        Ending into(RunDirectory directory) throws Exception;
    }

    private int run(Laboratory laboratory, StudyRun run, RunDirectory directory, RunProgress progress, PrintWriter err)
            throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        endOnInterruption("stop-run", laboratory::interrupt, ended);
        try {
            Ending ending = run.into(directory);
            progress.close();
            if (BEFORE_ITS_END.contains(ending)) {
                printHowToResume("Interrupted: what", directory, err);
            }
            Analysis report = Analysis.of(directory, judging.equalWithin);
            ReportCommand.print(report, judging.table(), out());
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
                printHowToResume("What", directory, err);
            }
            throw e;
        } finally {
            ended.countDown();
        }
    }

    /** A run that fails before anything was measured leaves no directory. */
    private static Ending begin(Laboratory laboratory, RunDirectory directory) throws Exception {
        boolean hasEnded = false;
        try {
            Ending ending = laboratory.run(directory);
            hasEnded = true;
            return ending;
        } finally {
            if (!hasEnded) {
                directory.discardIfNothingWasMeasured();
            }
        }
    }

    private static void printHowToResume(String what, RunDirectory directory, PrintWriter err) {
        err.println(what + " was measured until then is in the run directory. To resume it:");
        err.println("  blobmark run --resume " + directory.path());
    }

    /** If flags contradict each other, a JVM uses the last. */
    private List<String> forkFlags(Study study) {
        List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        flags.addAll(Heap.of(study.trials(Factors.VOCABULARY)).flags());
        Stream.of(jvmFlags.split("\\s+")).filter(flag -> !flag.isEmpty()).forEach(flags::add);
        return flags;
    }

    private Study withOwnColumn(Study study, TableSamples samples) {
        try {
            return OwnColumn.resolve(study, samples.datasets(), !servers.hasDataServer());
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }

    /** How long each chart of a study takes by itself. */
    private Map<String, Duration> charts(Study study, RunOptions options, RunProgress progress) {
        Map<String, Duration> charts = new LinkedHashMap<>();
        for (String name : study.charts()) {
            Study one = Adjustments.apply(study, List.of(new Adjustment("--chart", name)), Factors.VOCABULARY)
                    .study();
            charts.put(name, laboratory(one, options, progress).estimate().total());
        }
        return charts;
    }

    /** Refuses what no server supports, or what does not fit the schedule, before anything is started. */
    private Laboratory laboratory(Study study, RunOptions options, RunProgress progress) {
        try {
            return new Laboratory(study, options, progress);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }

    private void requireNames(RunDirectory run) {
        if (Redaction.isRedacted(run.manifest().study())) {
            throw usage(run.path()
                    + " was written with --redact: the names of its datasets are not in it, so it cannot be"
                    + " resumed; start a new run of the study");
        }
    }

    /** Processors of this machine are none of the hosts'. */
    private void requireOwnProcessors(Precautions precautions) {
        if (clusters.isUsed() && !precautions.pin().equals(Pin.NONE)) {
            throw usage("--pin is for processors of this machine, and --on measures on others; leave out one");
        }
    }

    private void requireJvmsOfHosts(Laboratory laboratory) {
        if (!laboratory.otherJvms().isEmpty()) {
            throw usage("hosts measure with the JVM of their executors; leave out the factor jvm ("
                    + String.join(", ", laboratory.otherJvms()) + "), or --on");
        }
    }

    private void checkJvms(Laboratory laboratory) throws InterruptedException {
        try {
            laboratory.jvms();
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }
}
