package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.mysql.server.directory.ProcessIdentity;
import dev.blobmark.mysql.server.directory.ServerDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of servers whose owners end in other ways than they should. */
@Tag("long")
class LeftoversIT {

    @TempDir
    private Path cache;

    private String base;

    @BeforeEach
    void unpackOnce() {
        base = MariaDbBinaries.unpacked(OwnServerIT.CACHE.toAbsolutePath().resolve("embedded"))
                .base()
                .toString();
    }

    private static ProcessBuilder java(String classPath, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                ServerOwner.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private Process owner() throws IOException {
        return java(classPath(), cache.toString(), base).start();
    }

    /** The words of the line that begins with the given one. */
    private static String[] await(Process owner, String word) throws IOException {
        BufferedReader out = owner.inputReader();
        List<String> others = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(word)) {
                return line.split(" ");
            }
            others.add(line);
        }
        throw new AssertionError("the owner never said '" + word + "' but\n" + String.join("\n", others));
    }

    /** Management node, two data nodes and an SQL node: none of them knows its owner. */
    @Test
    void theNodesOfAKilledOwnersClusterAreSwept() throws Exception {
        Process owner = java(classPath(), cache.toString(), "ndb:" + RealMySql.requireBase())
                .start();
        try {
            await(owner, "started");
            assertThat(serversOfThisCache()).hasSize(4);
            owner.destroyForcibly().waitFor();
            assertThat(serversOfThisCache()).hasSize(4);

            sweep();

            assertThat(serversOfThisCache()).isEmpty();
            assertThat(OwnServerIT.directories(cache)).isEmpty();
        } finally {
            owner.destroyForcibly();
        }
    }

    private List<ProcessHandle> serversOfThisCache() throws IOException {
        String servers = cache.toRealPath().resolve("servers").toString();
        return ProcessHandle.allProcesses()
                .filter(process -> Stream.of(process.info().arguments().orElse(new String[0]))
                        .anyMatch(argument -> argument.startsWith("--defaults-file=" + servers)))
                .toList();
    }

    private void startAndStop() {
        OwnServer.start(cache, Optional.of(Path.of(base)), OwnServerIT.SMALL).close();
    }

    /** What each start does first. */
    private void sweep() throws IOException {
        ServerDirectory.create(cache.resolve("servers")).close();
    }

    @Test
    void theServerOfAKilledOwnerIsSweptAtTheNextStartAndARunningOneIsNot() throws Exception {
        Process killed = owner();
        Process running = owner();
        try {
            ProcessIdentity orphan = ProcessIdentity.of(Long.parseLong(await(killed, "started")[1]))
                    .orElseThrow();
            ProcessIdentity other = ProcessIdentity.of(Long.parseLong(await(running, "started")[1]))
                    .orElseThrow();
            assertThat(OwnServerIT.directories(cache)).hasSize(2);
            killed.destroyForcibly().waitFor();
            assertThat(orphan.isAlive()).as("the server outlives its owner").isTrue();

            startAndStop();
            assertThat(orphan.isAlive()).isFalse();
            assertThat(other.isAlive()).isTrue();
            assertThat(OwnServerIT.directories(cache)).hasSize(1);

            running.getOutputStream().close();
            await(running, "stopped");
            assertThat(running.waitFor()).isZero();
            assertThat(OwnServerIT.directories(cache)).isEmpty();
            assertThat(other.isAlive()).isFalse();
        } finally {
            killed.destroyForcibly();
            running.destroyForcibly().waitFor();
            startAndStop();
        }
    }

    @Test
    void killsAtAnyMomentOfTheStartLeaveNothingAfterTheNext() throws Exception {
        Random moments = new Random(42);
        for (int i = 0; i < 5; i++) {
            Process owner = owner();
            await(owner, "starting");
            owner.waitFor(moments.nextInt(2500), TimeUnit.MILLISECONDS);
            owner.destroyForcibly().waitFor();
        }
        sweep();
        assertThat(serversOfThisCache()).isEmpty();
        assertThat(OwnServerIT.directories(cache)).isEmpty();
    }

    @Test
    void anInterruptedStartRemovesItsServerItself() throws Exception {
        Process owner = owner();
        await(owner, "starting");
        while (serversOfThisCache().isEmpty()) {
            assertThat(owner.waitFor(5, TimeUnit.MILLISECONDS)).isFalse();
        }
        owner.destroy();
        owner.waitFor();
        assertThat(serversOfThisCache()).isEmpty();
        assertThat(OwnServerIT.directories(cache)).isEmpty();
    }

    @Test
    void aReusedProcessNumberIsNoReasonToKill() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "600").start();
        try {
            Path directory = Files.createDirectories(cache.resolve("servers/left-behind"));
            ProcessIdentity identity = ProcessIdentity.of(bystander.pid()).orElseThrow();
            Files.writeString(
                    directory.resolve("lock"),
                    "owner " + bystander.pid() + " earlier/1\nserver " + bystander.pid() + " " + identity.started()
                            + "\n" + "owner 1");
            sweep();
            assertThat(directory).doesNotExist();
            assertThat(bystander.isAlive()).isTrue();

            // An owner that is alive keeps its directory, even if a file system has lost its lock.
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("lock"), "owner " + bystander.pid() + " " + identity.started() + "\n");
            sweep();
            assertThat(directory).exists();
        } finally {
            bystander.destroyForcibly().waitFor();
        }
    }

    @Test
    void whoLooksAtAKilledRunsFilesIsNotKilledAndAServerWhoseProgramIsGoneIs() throws Exception {
        Path directory = Files.createDirectories(cache.toRealPath().resolve("servers/left-behind"));
        Path configuration = Files.createFile(directory.resolve("server.cnf"));
        Path program = Files.copy(
                Path.of("/bin/sh").toRealPath(), cache.resolve("mysqld-debug"), StandardCopyOption.COPY_ATTRIBUTES);
        Process onlooker = new ProcessBuilder("tail", "-f", configuration.toString()).start();
        // waits for its input, which stays open
        Process server = new ProcessBuilder(
                        program.toString(), "-c", "read line", "sh", "--defaults-file=" + configuration)
                .start();
        try {
            Files.delete(program);

            sweep();

            assertThat(directory).doesNotExist();
            assertThat(server.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(onlooker.isAlive()).isTrue();
        } finally {
            onlooker.destroyForcibly().waitFor();
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void firstRunsAtTheSameTimeUnpackOnceAndMendWhatIsIncomplete() throws Exception {
        Path embedded = Files.createDirectories(cache.resolve("embedded"));
        String version = Path.of(base).getFileName().toString();
        Files.createDirectories(embedded.resolve(version + "/bin"));
        Files.writeString(embedded.resolve(version + "/bin/mariadbd"), "cut short");
        Files.createDirectories(embedded.resolve("killed.unfinished/bin"));

        Process one = java(classPath(), cache.toString(), "").start();
        Process two = java(classPath(), cache.toString(), "").start();
        try {
            for (Process owner : List.of(one, two)) {
                await(owner, "started");
                owner.getOutputStream().close();
                await(owner, "stopped");
            }
            try (Stream<Path> kept = Files.list(embedded)) {
                assertThat(kept.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder(version, "lock");
            }
        } finally {
            one.destroyForcibly();
            two.destroyForcibly();
        }
    }

    @Test
    void rootsServersAndOtherUsersAreStartedAlike() throws Exception {
        boolean root = Files.getAttribute(cache, "unix:uid").equals(0);
        Assumptions.assumeTrue(root, "not root, so the other tests have shown that it starts without");
        Path setpriv = Path.of("/usr/bin/setpriv");
        Assumptions.assumeTrue(Files.isExecutable(setpriv), "setpriv (util-linux) is not there to run as nobody");

        // Root's class path may lie where nobody can look: it is linked or copied to where everybody can.
        Path open = Files.setAttribute(cache, "unix:mode", 01777); // as /tmp
        List<String> classPath = new ArrayList<>();
        for (String entry : classPath().split(File.pathSeparator)) {
            Path to = open.resolve("class-path")
                    .resolve(classPath.size() + "-" + Path.of(entry).getFileName());
            linkOrCopy(Path.of(entry), to);
            classPath.add(to.toString());
        }
        ProcessBuilder java = java(String.join(File.pathSeparator, classPath), open + "/nobodys", "");
        java.command().addAll(0, List.of(setpriv.toString(), "--reuid=65534", "--regid=65534", "--clear-groups"));
        Process owner = java.directory(open.toFile()).start();
        try {
            long server = Long.parseLong(await(owner, "started")[1]);
            assertThat(Files.getAttribute(Path.of("/proc/" + server), "unix:uid"))
                    .isEqualTo(65534);
            owner.getOutputStream().close();
            await(owner, "stopped");
        } finally {
            owner.destroyForcibly().waitFor();
        }
    }

    private static void linkOrCopy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path path : (Iterable<Path>) tree::iterator) {
                Path target = path.equals(from) ? to : to.resolve(from.relativize(path));
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                    continue;
                }
                Files.createDirectories(target.getParent());
                try {
                    Files.createLink(target, path);
                } catch (FileSystemException | UnsupportedOperationException otherFileSystem) {
                    Files.copy(path, target);
                }
            }
        }
    }
}
