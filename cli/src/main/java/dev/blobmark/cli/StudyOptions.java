package dev.blobmark.cli;

import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.dataset.DataArgument;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The part of a study that is run, and changes to it. */
final class StudyOptions {

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup
    private ProfileOptions profile = new ProfileOptions();

    static final class ProfileOptions {
        @Option(
                names = "--profile",
                paramLabel = "NAME",
                description = "The study's profile; its first one by default. blob-fetch has one of an hour, 'hour'."
                        + " --dry-run says how long a profile takes.")
        String name;

        @Option(names = "--quick", description = "Short for --profile quick, the default: 2 to 7 minutes.")
        boolean quick;

        @Option(names = "--full", description = "Short for --profile full: from 9 minutes to days.")
        boolean full;

        Optional<String> chosen() {
            return quick ? Optional.of("quick") : full ? Optional.of("full") : Optional.ofNullable(name);
        }
    }

    @Option(
            names = "--chart",
            paramLabel = "NAME",
            description = "Measure one chart of the profile alone. --dry-run lists them and says how long each takes.")
    private String chart;

    @Option(
            names = "--methods",
            paramLabel = "ID,ID",
            description = "Keep these methods, and the baseline. +zstd:5 adds a method with this codec.")
    private String methods;

    @Option(
            names = "--set",
            paramLabel = "FACTOR=LEVEL,LEVEL",
            description = "Replace a condition's levels, or set a method's choice in all methods. Several factors:"
                    + " size=64KB,threads=1,8.")
    private List<String> sets = List.of();

    @Option(
            names = "--control",
            description = "Add a copy of the baseline as a method. Its interval is the noise floor of this machine.")
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
            paramLabel = "DATA",
            description = "Your own values: a file of JSON lines, a directory of files, or SCHEMA.TABLE.COLUMN with a"
                    + " --server; or a dataset (see 'blobmark list datasets').")
    private String data;

    @Option(
            names = "--jvm",
            paramLabel = "PATH,PATH",
            description = "JVMs to measure with, each a JAVA_HOME, or 'default'; short for --set jvm=…")
    private String jvm;

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

    boolean hasBudget() {
        return budget != null;
    }

    boolean hasData() {
        return data != null;
    }

    /** The levels of the factor {@code jvm} that the user has named. */
    Stream<String> jvms() {
        return Stream.concat(
                        Stream.ofNullable(jvm),
                        sets.stream()
                                .flatMap(set -> Adjustments.split(set, Factors.VOCABULARY).stream())
                                .filter(set -> set.startsWith("jvm="))
                                .map(set -> set.substring("jvm=".length())))
                .flatMap(levels -> Stream.of(levels.split(",")))
                .map(String::strip);
    }

    /** The study of a run that is resumed, with its new budget if there is one. */
    Study ofRun(RunDirectory run) {
        try {
            return budget == null ? run.manifest().study() : Laboratory.extended(run, Durations.parse(budget));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--budget: " + e.getMessage(), e);
        }
    }

    /**
     * The study of a name or a file, changed by the options.
     *
     * @param isOnServer whether a running server is named, which may have the user's tables
     * @param hosts that measure; empty for this machine
     * @param err where notes are printed
     * @throws ParameterException if there is no such study, or the options do not fit it
     */
    Study read(String study, boolean isOnServer, OptionalInt hosts, PrintWriter err) throws IOException {
        if (study.equals(Studies.OWN_DATA) && data == null) {
            throw new ParameterException(
                    spec.commandLine(), Studies.OWN_DATA + " runs on values of yours; add --data FILE|DIR|TABLE");
        }
        try {
            Study read = study.endsWith(".yaml") || study.endsWith(".yml")
                    ? new StudyReader(Factors.VOCABULARY).read(Path.of(study), profile.chosen())
                    : Studies.read(study, Factors.VOCABULARY, profile.chosen());
            Adjustments.Adjusted adjusted = Adjustments.apply(read, adjustments(isOnServer, hosts), Factors.VOCABULARY);
            adjusted.notes().forEach(err::println);
            return adjusted.study();
        } catch (StudyException | IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new ParameterException(
                    spec.commandLine(), study + " does not exist; name a file, or one of 'blobmark list studies'", e);
        }
    }

    private List<Adjustment> adjustments(boolean isOnServer, OptionalInt hosts) {
        List<Adjustment> all = new ArrayList<>();
        add(all, "--chart", chart);
        add(all, "--methods", methods);
        add(all, "--control", control ? "true" : null);
        sets.forEach(set -> add(all, "--set", set));
        if (hosts.orElse(1) > 1 && sets.stream().noneMatch(set -> set.contains("processes="))) {
            add(all, "--hosts", Integer.toString(hosts.getAsInt()));
        }
        add(all, "--threads", threads);
        add(all, "--rate", rate);
        add(all, "--link", link);
        add(all, "--data", data == null ? null : dataLevels(isOnServer));
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

    private String dataLevels(boolean isOnServer) {
        try {
            return DataArgument.levels(data, isOnServer);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--data: " + e.getMessage(), e);
        }
    }

    private static void add(List<Adjustment> all, String option, String value) {
        if (value != null) {
            all.add(new Adjustment(option, value));
        }
    }
}
