package dev.blobmark.lab.fork;

import dev.blobmark.lab.machine.Subprocess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measuring JVMs as processes with the class path of this JVM.
 *
 * @param main the class to start
 * @param prefix words before the command
 * @param flags of the JVM
 */
public record JvmLaunch(String main, List<String> prefix, List<String> flags) implements Launch {

    public JvmLaunch {
        prefix = List.copyOf(prefix);
        flags = List.copyOf(flags);
    }

    public JvmLaunch(String main, List<String> flags) {
        this(main, List.of(), flags);
    }

    @Override
    public StartedJvm start(Path java, Path directory) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(java.toString());
        // a JVM's output when it crashes must not be mixed with the messages
        command.add("-XX:+DisplayVMOutputToStderr");
        // libraries unpack native code there, and these JVMs are killed, which leaves the files
        command.add("-Djava.io.tmpdir=" + directory);
        // its file is in /tmp, whatever the property says, and a killed JVM leaves it
        command.add("-XX:-UsePerfData");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        return StartedJvm.of(Subprocess.of(command)
                .redirectError(directory.resolve(ERRORS).toFile())
                .start());
    }

    @Override
    public Launch prefixedBy(List<String> words) {
        return new JvmLaunch(
                main, Stream.concat(words.stream(), prefix.stream()).toList(), flags);
    }
}
