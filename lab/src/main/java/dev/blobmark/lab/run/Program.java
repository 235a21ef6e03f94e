package dev.blobmark.lab.run;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The version of Blobmark that made a run, and its command lines.
 *
 * @param version of the release
 * @param commit of the sources, abbreviated, with {@code -dirty} after it if they had uncommitted changes;
 *     {@value #UNKNOWN} if they were built without their history; several, with commas, if others resumed the run
 * @param commands the arguments that started the run, then those of each time that it was resumed, quoted for a shell.
 *     They contain no secrets, no address of a server and no place of the run. Empty if the run was not started from a
 *     command line, or if its names are redacted.
 */
public record Program(String version, String commit, List<String> commands) {

    public static final String UNKNOWN = "unknown";

    public Program {
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(commit, "commit");
        commands = List.copyOf(commands);
    }

    /** A program of an unknown commit that was not called from a command line. */
    public static Program of(String version) {
        return new Program(version, UNKNOWN, List.of());
    }

    /** The program of a run that another program began and this one resumes. It has both commits if they differ. */
    Program resuming(Program began) {
        return new Program(
                began.version,
                List.of(began.commit.split(", ")).contains(commit) ? began.commit : began.commit + ", " + commit,
                Stream.concat(began.commands.stream(), commands.stream()).toList());
    }

    /** {@code 0.1.0 (7f3c2a1)}; the version alone if the commit is unknown. */
    public String name() {
        return commit.equals(UNKNOWN) ? version : version + " (" + commit + ")";
    }
}
