package dev.blobmark.lab.fork;

import dev.blobmark.lab.run.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How measuring JVMs are started. */
public interface Launch {

    /** The file for standard error. */
    String ERRORS = "errors.log";

    /**
     * Starts a JVM that calls {@link ForkWork#run} with its standard streams.
     *
     * @param java the program
     * @param directory for its temporary files; its standard error goes to {@value #ERRORS} there
     * @throws IOException if the system cannot start it
     */
    StartedJvm start(Path java, Path directory) throws IOException;

    /** Flags of the JVMs. */
    List<String> flags();

    /**
     * @param words put before the command and its present prefix, for a program that replaces itself with the JVM:
     *     {@code taskset -c 1}
     */
    Launch prefixedBy(List<String> words);

    /**
     * The hosts on which the JVMs run; empty if they run on this machine.
     *
     * @throws IOException if they cannot be reached
     */
    default List<Machine.MeasuringHost> hosts() throws IOException {
        return List.of();
    }
}
