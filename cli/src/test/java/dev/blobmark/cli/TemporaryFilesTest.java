package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFilesTest {

    @TempDir
    private Path cache;

    /** What the main JVM does first; it then lives until its standard input ends. */
    static final class Start {

        private Start() {}

        public static void main(String[] arguments) throws IOException {
            TemporaryFiles.sweep(Path.of(arguments[0]));
            System.out.println("swept");
            System.in.read();
        }
    }

    private Process start(Path used) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + used,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Start.class.getName(),
                        cache.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("swept");
        return process;
    }

    @Test
    void whatKilledProcessesLeftIsRemovedOnceNobodyElseIsAtWork() throws Exception {
        Path directory = Files.createDirectory(cache.resolve("tmp"));
        Process first = start(directory);
        Path left = Files.createDirectories(directory.resolve("blobmark-fork-1/brotli"));
        Process second = start(directory);
        try {
            assertThat(left).as("files of one that lives").exists();

            first.destroyForcibly().waitFor();
            second.destroyForcibly().waitFor();
            start(directory).destroyForcibly().waitFor();

            assertThat(directory).isEmptyDirectory();
        } finally {
            first.destroyForcibly();
            second.destroyForcibly();
        }
    }

    @Test
    void theSystemsOwnDirectoryIsLeftAsItIs() throws Exception {
        Path systems = Files.createDirectory(cache.resolve("systems"));
        Path others = Files.createFile(systems.resolve("others"));

        start(systems).destroyForcibly().waitFor();

        assertThat(others).exists();
    }
}
