package dev.blobmark.lab.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How measuring JVMs are started.
 *
 * @param main the class to start, which is to call {@link ForkWork#run} with its standard streams
 * @param prefix words before the command, for what starts the JVM in its own place: {@code taskset -c 1}
 * @param flags of the JVM, before the class path, which is this JVM's own
 */
public record Launch(String main, List<String> prefix, List<String> flags) {

    public Launch {
        prefix = List.copyOf(prefix);
        flags = List.copyOf(flags);
    }

    List<String> command(Path java) {
        List<String> command = new ArrayList<>(prefix);
        command.add(java.toString());
        // what the JVM itself has to say when it crashes must not end up among the messages
        command.add("-XX:+DisplayVMOutputToStderr");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        return command;
    }
}
