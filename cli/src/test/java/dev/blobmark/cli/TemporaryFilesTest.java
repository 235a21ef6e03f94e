package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.mysql.server.ServerException;
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

    /** As in a directory of mode 1777 that is named by XDG_CACHE_HOME. */
    @Test
    void aDirectoryThatSomebodyElseHasMadeIsRefused() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Files.setAttribute(cache, "unix:mode", 01777);
        Path foreign = Files.createDirectory(cache.resolve("blobmark"));
        Path used = Files.createDirectory(foreign.resolve("tmp"));
        Files.setOwner(
                foreign, foreign.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertRefused(foreign, used, foreign + " belongs to nobody");
        assertRefused(cache, used, "other users may write to " + cache);
    }

    /** Whoever may open it can hold it for ever. */
    @Test
    void aLockThatSomebodyElseMayOpenIsRefused() throws IOException {
        Path used = Files.createDirectory(cache.resolve("tmp"));
        Path lock = Files.createFile(cache.resolve("tmp.lock"));
        Files.setAttribute(lock, "unix:mode", 0666);

        assertRefused(cache, used, "other users may write to " + lock);
    }

    private static void assertRefused(Path cache, Path used, String reason) {
        assertThatThrownBy(() -> TemporaryFiles.sweep(cache, used))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("unset XDG_CACHE_HOME");
    }
}
