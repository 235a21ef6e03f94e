package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostDirectoryTest {

    @TempDir
    private Path parent;

    /** Makes a directory in a JVM of its own, and waits. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            HostDirectory made = HostDirectory.make(Path.of(arguments[0]));
            Files.writeString(made.path().resolve("values"), "secret");
            System.out.println(made.path());
            System.in.read();
        }
    }

    private Process holder() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        parent.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private List<Path> directories() throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.sorted().toList();
        }
    }

    @Test
    void whatAKilledProcessLeavesIsRemovedByTheNext() throws Exception {
        Process killed = holder();
        Path left = Path.of(killed.inputReader().readLine());
        Process alive = holder();
        Path used = Path.of(alive.inputReader().readLine());
        assertThat(directories()).containsExactlyInAnyOrder(left, used);
        killed.destroyForcibly().waitFor();
        try (HostDirectory next = HostDirectory.make(parent)) {
            assertThat(directories()).containsExactlyInAnyOrder(used, next.path());
            assertThat(used.resolve("values")).exists();
            try (HostDirectory ofSameProcess = HostDirectory.make(parent)) {
                assertThat(directories()).containsExactlyInAnyOrder(used, next.path(), ofSameProcess.path());
            }
        }
        assertThat(directories()).containsExactly(used);
        alive.destroyForcibly().waitFor();
    }

    @Test
    void whatAnotherExecutorOfTheWorkerHasLeftIsRemoved() throws IOException {
        Path left = Files.createDirectories(parent.resolve("app-20260101000000-0001/0/blobmark-host-left"));
        Files.createFile(left.resolve("lock"));
        Path own = Files.createDirectories(parent.resolve("app-20260101000000-0002/3"));
        Path other = Files.createDirectories(parent.resolve("mine/0/blobmark-host-left"));
        Files.createFile(other.resolve("lock"));
        HostDirectory.make(own).close();

        assertThat(left).doesNotExist();
        assertThat(other).exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {0777, 01777})
    void aDirectoryThatOthersMayWriteIsRefused(int mode) throws IOException {
        Path own = Files.createDirectory(parent.resolve("own"));
        HostDirectory.requireOwn(own);
        Files.setAttribute(own, "unix:mode", mode);

        assertThatThrownBy(() -> HostDirectory.requireOwn(own))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("other users may write to " + own)
                .hasMessageContaining("SPARK_WORKER_DIR");
        Path below = Files.createDirectory(own.resolve("below"));
        if (mode == 01777) {
            HostDirectory.requireOwn(below);
        } else {
            assertThatThrownBy(() -> HostDirectory.requireOwn(below)).hasMessageContaining("write to " + own);
        }
    }

    /** Looks at the directories of its JVM, as an executor does. */
    static final class Looker {

        private Looker() {}

        public static void main(String[] arguments) {
            HostDirectory.requireOwnOfExecutor();
        }
    }

    /** Jars of the application are where an executor was started, whatever its directory for temporary files is. */
    @ParameterizedTest
    @ValueSource(strings = {"started", "temporary"})
    void bothDirectoriesOfAnExecutorAreLookedAt(String name) throws Exception {
        Path started = Files.createDirectory(parent.resolve("started"));
        Path temporary = Files.createDirectory(parent.resolve("temporary"));
        assertThat(looked(started, temporary)).isEmpty();
        Path open = Files.setAttribute(parent.resolve(name), "unix:mode", 0777);
        assertThat(looked(started, temporary)).contains("other users may write to " + open);
    }

    private static String looked(Path started, Path temporary) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Looker.class.getName())
                .directory(started.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return printed;
    }

    /** The check is there twice, because neither module is where the other one is used. */
    @ParameterizedTest
    @ValueSource(ints = {0700, 0755, 0770, 0702, 0777, 01777})
    void bothChecksOfAPathHaveTheSameResult(int mode) throws IOException {
        Path own = Files.createDirectory(parent.resolve("own"));
        Path below = Files.createDirectory(own.resolve("below"));
        Path link = Files.createSymbolicLink(parent.resolve("link"), below);
        Files.setAttribute(own, "unix:mode", mode);

        for (Path path : List.of(own, below, link, own.resolve("none"))) {
            assertThat(Ownership.problem(path))
                    .as("%s", path)
                    .isEqualTo(dev.blobmark.mysql.server.directory.Ownership.problem(path));
        }
    }

    @Test
    void onlyItsUserMayEnterIt() throws IOException {
        try (HostDirectory own = HostDirectory.make(parent)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.path())))
                    .isEqualTo("rwx------");
        }
    }

    /** Links of others, files, and directories that are just being made are left. */
    @Test
    void whatIsNotOfATaskIsLeft() throws IOException {
        Path elsewhere = Files.createDirectories(parent.resolve("other/lock-holder"));
        Files.createFile(elsewhere.resolve("lock"));
        Path link = Files.createSymbolicLink(parent.resolve("blobmark-host-link"), elsewhere);
        Path file = Files.createFile(parent.resolve("blobmark-host-file"));
        Path young = Files.createDirectory(parent.resolve("blobmark-host+young"));
        Path old = Files.createDirectory(parent.resolve("blobmark-host+old"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        HostDirectory.make(parent).close();

        assertThat(List.of(elsewhere, link, file, young))
                .allSatisfy(each -> assertThat(each).exists());
        assertThat(old).doesNotExist();
    }

    /** As root has made it, or as a file system that is read-only now has it. */
    @Test
    void whatCannotBeRemovedDoesNotKeepATaskFromWorking() throws Exception {
        Path left = Files.createDirectory(parent.resolve("blobmark-host-left"));
        Files.createDirectory(left.resolve("lock")); // no file that can be locked, and not empty
        Files.createFile(left.resolve("lock").resolve("file"));
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        assumeTrue(isImmutable(left, true), "chattr cannot keep a file here");
        try (HostDirectory next = HostDirectory.make(parent)) {
            assertThat(directories()).containsExactlyInAnyOrder(left, next.path());
        } finally {
            isImmutable(left, false);
        }
    }

    private static boolean isImmutable(Path directory, boolean isOn) throws Exception {
        try {
            return new ProcessBuilder("chattr", isOn ? "+i" : "-i", directory.toString())
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // there is none
        }
    }
}
