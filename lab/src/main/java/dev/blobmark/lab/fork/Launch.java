package dev.blobmark.lab.fork;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How measuring JVMs are started. */
public interface Launch {

    /** The file that takes standard error. */
    String ERRORS = "errors.log";

    /**
     * Starts one, which is to call {@link ForkWork#run} with its standard streams.
     *
     * @param java the program
     * @param directory for its temporary files; its standard error goes to {@value #ERRORS} there
     * @throws IOException if the system cannot start it
     */
    Process start(Path java, Path directory) throws IOException;

    /** Flags that they are started with. */
    List<String> flags();

    /** @param words before the command, and before those that it has, for what starts the JVM in its own place: {@code taskset -c 1} */
    Launch prefixedBy(List<String> words);
}
