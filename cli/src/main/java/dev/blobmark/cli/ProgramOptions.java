package dev.blobmark.cli;

import dev.blobmark.lab.conduct.Laboratory;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The programs that a study or a run may start. */
final class ProgramOptions {

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--allow-program",
            paramLabel = "PATH",
            description =
                    "A JVM that the study, or the run to resume, names and that may be started. One that is named by"
                            + " --jvm or --set jvm=… may be anyway; the others are asked for on a terminal.")
    private List<String> programs = List.of();

    /**
     * A study or a run may come from another person. A program that it names is started only if the user named it too
     * or agrees.
     *
     * @param named programs that would be started
     * @param own levels of the factor {@code jvm} that the user has named
     * @param whose the study's or the run's, for messages
     * @throws ParameterException if the user does not agree
     */
    void require(Set<String> named, Stream<String> own, String whose, RunProgress progress) {
        Set<String> allowed = new TreeSet<>();
        try {
            programs.forEach(path -> allowed.add(Laboratory.programOf(path)));
            own.forEach(level -> allowed.add(Laboratory.programOf(level)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--allow-program: " + e.getMessage(), e);
        }
        List<String> others =
                named.stream().filter(program -> !allowed.contains(program)).toList();
        if (others.isEmpty()) {
            return;
        }
        progress.close();
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
}
