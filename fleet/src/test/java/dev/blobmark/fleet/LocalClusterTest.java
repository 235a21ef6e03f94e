package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code fleet/local-cluster} does where others could replace its files. The daemons are no Spark, but begin as
 * fast.
 */
class LocalClusterTest {

    private static final int PATIENCE_SECONDS = 30;
    private static final long POLL_NANOS = 20_000_000;

    @TempDir
    private Path directory;

    private Path temporary;
    private Path spark;
    private Path jdk;
    private final List<ProcessHandle> started = new ArrayList<>();

    @BeforeEach
    void makePlaces() throws IOException {
        directory = directory.toRealPath();
        temporary = mode(Files.createDirectories(directory.resolve("w/tmp")), 0700);
        spark = Files.createDirectories(directory.resolve("spark"));
        Files.createFile(Files.createDirectory(spark.resolve("jars")).resolve("a.jar"));
        jdk = directory.resolve("jdk");
        Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                echo "Starting Spark master at spark://127.0.0.1:1"
                echo "Successfully registered with master"
                exec sleep 600
                """);
        mode(java, 0700);
    }

    @AfterEach
    void end() {
        started.forEach(ProcessHandle::destroyForcibly);
    }

    private static Path mode(Path path, int mode) throws IOException {
        return Files.setAttribute(path, "unix:mode", mode);
    }

    private Process start() throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                LocalCluster.ROOT.resolve("fleet/local-cluster").toString(), "1");
        command.environment().put("JAVA_HOME", jdk.toString());
        command.environment().put("SPARK_HOME", spark.toString());
        command.environment().put("TMPDIR", temporary.toString());
        Process process =
                command.redirectError(directory.resolve("errors").toFile()).start();
        started.add(process.toHandle());
        return process;
    }

    private void assertRefused(Path because) throws Exception {
        Process script = start();
        boolean hasEnded = script.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String errors = Files.readString(directory.resolve("errors"));
        assertThat(hasEnded).as(errors).isTrue();
        assertThat(script.exitValue()).as(errors).isEqualTo(1);
        assertThat(errors).contains("other users may replace " + because + ",");
        assertThat(temporary).isEmptyDirectory();
    }

    /** Starts it, and waits until it has printed its directory. */
    private Path begun(Process script) throws IOException {
        BufferedReader lines = script.inputReader(StandardCharsets.UTF_8);
        String first = lines.readLine();
        assertThat(first).startsWith("directory ");
        Path own = Path.of(first.substring("directory ".length()));
        for (String daemon : List.of("master", "worker-1")) {
            started.add(recorded(own, daemon));
        }
        return own;
    }

    private static ProcessHandle recorded(Path own, String name) throws IOException {
        return ProcessHandle.of(Long.parseLong(
                        Files.readString(own.resolve(name + ".pid")).strip()))
                .orElseThrow();
    }

    private static void record(Path own, String name, ProcessHandle process) throws IOException {
        String stat = Files.readString(Path.of("/proc", process.pid() + "", "stat"));
        Files.writeString(own.resolve(name + ".pid"), process.pid() + "\n");
        Files.writeString(
                own.resolve(name + ".began"), stat.replaceFirst(".*\\) ", "").split(" ")[19] + "\n");
    }

    private ProcessHandle bystander() throws IOException {
        ProcessHandle bystander = new ProcessBuilder("sleep", "600").start().toHandle();
        started.add(bystander);
        return bystander;
    }

    private static void awaitEnd(ProcessHandle process) throws Exception {
        process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aPlaceBelowADirectoryInWhichOthersMayWriteIsRefused() throws Exception {
        Path above = mode(temporary.getParent(), 0777);
        assertRefused(above);
        mode(above, 01777); // as /tmp
        Process script = start();
        begun(script);
        script.destroy();
        assertThat(script.waitFor()).isEqualTo(143);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void jarsThatOthersMayReplaceAreRefused() throws Exception {
        Path jars = mode(spark.resolve("jars"), 0777);
        assertRefused(jars);
        mode(jars, 0755);
        Path elsewhere = mode(Files.createDirectory(directory.resolve("elsewhere")), 0777);
        Files.createSymbolicLink(jars.resolve("b.jar"), Files.createFile(elsewhere.resolve("b.jar")));
        assertRefused(elsewhere);
    }

    /** Its daemons end, and what has the name of its directory then is not looked at. */
    @Test
    void aKilledScriptLeavesNothingAndTouchesNothingElse() throws Exception {
        Process script = start();
        Path own = begun(script);
        List<ProcessHandle> daemons = List.of(recorded(own, "master"), recorded(own, "worker-1"));
        ProcessHandle bystander = bystander();
        Path moved = Files.move(own, directory.resolve("moved"));
        record(Files.createDirectory(own), "master", bystander);
        Files.createFile(own.resolve("precious"));

        script.destroyForcibly();
        for (ProcessHandle daemon : daemons) {
            awaitEnd(daemon);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (moved.toFile().list().length > 0) {
            assertThat(System.nanoTime() - deadline).isNegative();
            LockSupport.parkNanos(POLL_NANOS);
        }
        assertThat(bystander.isAlive()).isTrue();
        assertThat(own.resolve("precious")).exists();
    }

    /** Only a private directory of this user is taken for what a killed script has left. */
    @Test
    void theNextStartRemovesWhatItsUserHasLeftOnly() throws Exception {
        ProcessHandle left = bystander();
        Path killed = mode(Files.createDirectory(temporary.resolve("blobmark-spark-killed")), 0700);
        ProcessHandle bystander = bystander();
        Path open = mode(Files.createDirectory(temporary.resolve("blobmark-spark-opened")), 0777);
        Path target = mode(Files.createDirectory(directory.resolve("target")), 0700);
        Files.createSymbolicLink(temporary.resolve("blobmark-spark-linked"), target);
        Path elsewhere = mode(Files.createDirectory(temporary.resolve("blobmark-spark-others")), 0700);
        for (Path each : List.of(killed, open, target, elsewhere)) {
            Files.writeString(
                    each.resolve("processes"),
                    each.equals(elsewhere)
                            ? "pid:[1]\n" // of a container, which shares the directory
                            : Files.readSymbolicLink(Path.of("/proc/self/ns/pid")) + "\n");
            Files.writeString(each.resolve("script.pid"), "1\n"); // which began at another time
            Files.writeString(each.resolve("script.began"), "1\n");
            record(each, "master", each.equals(killed) ? left : bystander);
        }

        Process script = start();
        begun(script);
        awaitEnd(left);
        assertThat(killed).doesNotExist();
        assertThat(bystander.isAlive()).isTrue();
        assertThat(open.resolve("master.pid")).exists();
        assertThat(target.resolve("master.pid")).exists();
        assertThat(elsewhere.resolve("master.pid")).exists();
        script.destroy();
        script.waitFor();
    }
}
