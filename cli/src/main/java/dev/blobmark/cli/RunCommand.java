package dev.blobmark.cli;

import dev.blobmark.lab.Estimate;
import dev.blobmark.lab.Factors;
import dev.blobmark.lab.Laboratory;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.Servers;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.report.Format;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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
        customSynopsis = "blobmark run [OPTION]... STUDY|FILE.yaml",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark run blob-fetch",
            "  blobmark run blob-fetch --methods gzip,zstd --set size=64KB --dry-run",
            "  blobmark run blob-fetch --data dir:photos --threads 1,8"
        })
final class RunCommand implements Callable<Integer> {

    /** The heap is fixed, so that its growth is no part of a result. */
    private static final List<String> FORK_FLAGS = List.of("--enable-native-access=ALL-UNNAMED", "-Xms1g", "-Xmx1g");

    private static final long STOP_PATIENCE_SECONDS = 30;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "STUDY|FILE.yaml",
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

    @Option(names = "--link", paramLabel = "LINK", description = "Short for --set link=…")
    private String link;

    @Option(names = "--data", paramLabel = "DATASET", description = "Short for --set dataset=…, for example dir:PATH.")
    private String data;

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
            names = "--server",
            paramLabel = "SERVER",
            defaultValue = "embedded",
            description = "See 'blobmark list servers'. Default: ${DEFAULT-VALUE}.")
    private String server;

    @Option(names = "--out", paramLabel = "DIR", description = "The run directory; default: a new one below runs/.")
    private Path out;

    @Mixin
    private ReportCommand.Judging judging;

    @Option(names = "--dry-run", description = "Print the plan, the DDL and an estimate; run nothing.")
    private boolean dryRun;

    @Override
    public Integer call() throws Exception {
        PrintWriter err = spec.commandLine().getErr();
        Servers.Source source = source();
        Study study = study(err);
        try (Progress progress = new Progress(err, dryRun ? OptionalInt.empty() : Terminal.columns())) {
            Laboratory laboratory = new Laboratory(
                    study,
                    new Laboratory.Options(
                            source, Environment.cache(), ForkMain.class.getName(), FORK_FLAGS, Version.ofBuild()),
                    progress);
            if (dryRun) {
                Plan.print(study, laboratory.estimate(), spec.commandLine().getOut());
                return ExitCode.DONE.code();
            }
            return run(laboratory, study, progress, err);
        }
    }

    private int run(Laboratory laboratory, Study study, Progress progress, PrintWriter err) throws Exception {
        Estimate estimate = laboratory.estimate();
        RunDirectory directory = out == null
                ? RunDirectory.create(Path.of("runs"), Instant.now(), study.name())
                : RunDirectory.createAt(out);
        Plan.printHeader(study, estimate, err);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(laboratory, ended), "stop-run"));
        try {
            Laboratory.Ending ending = laboratory.run(directory);
            progress.close();
            if (ending == Laboratory.Ending.INTERRUPTED) {
                err.println("Interrupted: what had been measured until then is in the run directory.");
            }
            ReportCommand.print(
                    directory, judging, Format.TABLE, spec.commandLine().getOut());
            err.println("Run directory: " + directory.path());
            err.flush();
            return switch (ending) {
                case COMPLETE -> ExitCode.DONE.code();
                case TRIAL_FAILED -> ExitCode.TRIAL_FAILED.code();
                case INTERRUPTED -> ExitCode.INTERRUPTED.code();
            };
        } finally {
            ended.countDown();
        }
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

    private Servers.Source source() {
        try {
            return Servers.parse(server);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--server: " + e.getMessage());
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
        add(all, "--link", link);
        add(all, "--data", data);
        add(all, "--time", time);
        add(all, "--rounds", rounds);
        add(all, "--forks", forks);
        add(all, "--warm-up", warmUp);
        add(all, "--seed", seed);
        return all;
    }

    private static void add(List<Adjustment> all, String option, String value) {
        if (value != null) {
            all.add(new Adjustment(option, value));
        }
    }
}
