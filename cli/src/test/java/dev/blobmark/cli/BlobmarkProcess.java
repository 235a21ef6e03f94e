package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Blobmark as a user starts it: a JVM of its own, with this one's class path. Its home and its cache are below the
 * build directory, so that the server is unpacked once and what is found there is its own. Its JVMs have one compiler,
 * with which they are up and done in half of the time, unless it is started as it is.
 */
final class BlobmarkProcess implements AutoCloseable {

    /** Much more than anything here takes on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Tests in another JVM have another. */
    static final Path HOME = Path.of("target", "home" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();

    static final Path CACHE = HOME.resolve(".cache").resolve("blobmark");

    /** Of JVMs that are to be up soon. */
    private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /**
     * Of measuring JVMs, which otherwise touch a heap of 1 GB when they start, as does the one that tries the flags.
     */
    private static final List<String> QUICK_TO_MEASURE = List.of("-Xms64m", "-XX:-AlwaysPreTouch");

    private static final int SIGINT = 2;

    private static final List<String> RESET = List.of("env", "--default-signal=INT");
    private static final boolean RESETS_SIGNALS = resetsSignals();

    private final Process process;
    private final Path out;
    private final Path err;

    private BlobmarkProcess(List<String> command, Map<String, String> environment, Path directory) throws IOException {
        out = directory.resolve("out");
        err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("NO_COLOR");
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("XDG_CACHE_HOME", CACHE.getParent().toString());
        builder.environment().putAll(environment);
        process = builder.directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
    }

    /** @param directory the working directory; what is printed goes to files in it */
    static BlobmarkProcess start(Path directory, String... args) throws IOException {
        return start(directory, Map.of(), args);
    }

    static BlobmarkProcess start(Path directory, Map<String, String> environment, String... args) throws IOException {
        return new BlobmarkProcess(quick(args), environment, directory);
    }

    /** Starts it with nothing added to what a user's have. */
    static BlobmarkProcess startAsItIs(Path directory, String... args) throws IOException {
        return new BlobmarkProcess(command(List.of(), List.of(args)), Map.of(), directory);
    }

    /** Starts it on a pseudo-terminal; both its outputs are then in {@link #out()}. */
    static BlobmarkProcess startOnTerminal(int columns, Map<String, String> environment, Path directory, String... args)
            throws IOException {
        StringBuilder line = new StringBuilder("stty cols " + columns + " rows 24 && exec");
        quick(args).forEach(word -> line.append(" '").append(word).append('\''));
        return new BlobmarkProcess(List.of("script", "-qec", line.toString(), "/dev/null"), environment, directory);
    }

    /** Flags of the measuring JVMs are left as they are where the arguments have some. */
    private static List<String> quick(String... args) throws IOException {
        List<String> words = new ArrayList<>(List.of(args));
        if (words.get(0).equals("run") && words.stream().noneMatch(word -> word.startsWith("--jvm-flags"))) {
            words.add("--jvm-flags=" + String.join(" ", QUICK) + " " + String.join(" ", QUICK_TO_MEASURE));
        }
        return command(QUICK, words);
    }

    private static List<String> command(List<String> flags, List<String> args) throws IOException {
        List<String> command = new ArrayList<>(signalReset());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(launcherFlags());
        command.addAll(flags);
        command.add("-Duser.home=" + HOME);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(args);
        return command;
    }

    /**
     * Resets SIGINT. What is started without job control, as by nohup or a script's &, ignores it, and so do all its
     * children; env of coreutils 8.31 and newer can reset it.
     */
    private static List<String> signalReset() throws IOException {
        return ignoresInterrupt() && RESETS_SIGNALS ? RESET : List.of();
    }

    /** Tests that send SIGINT are skipped where it would be ignored. */
    static void assumeInterruptArrives() throws IOException {
        assumeTrue(
                !ignoresInterrupt() || RESETS_SIGNALS,
                "these tests run in the background, where SIGINT is ignored, and env cannot reset that");
    }

    private static boolean ignoresInterrupt() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        String ignored = Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        return new BigInteger(ignored.substring("SigIgn:".length()).strip(), 16).testBit(SIGINT - 1);
    }

    private static boolean resetsSignals() {
        try {
            List<String> command = new ArrayList<>(RESET);
            command.add("true");
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The flags of the JVM that {@code ./blobmark} starts. */
    private static List<String> launcherFlags() throws IOException {
        Matcher start = Pattern.compile("\n *exec \"\\$java\" ((?:-\\S+ )+)")
                .matcher(Files.readString(Path.of("src", "main", "sh", "jvm.sh")));
        assertThat(start.find()).as("the launcher starts a JVM").isTrue();
        return List.of(start.group(1).split(" "));
    }

    /** Types on its terminal. */
    void type(String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** What it has printed to standard output so far. */
    String out() {
        return text(out);
    }

    /** What it has printed to standard error so far. */
    String err() {
        return text(err);
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new AssertionError(file + " is no UTF-8", e);
        }
    }

    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal to the process alone. */
    void signal(String name) throws Exception {
        kill(name, Stream.of(process.toHandle()));
    }

    /** Sends a signal to the process and all below it at once, as a terminal does. */
    void signalAll(String name) throws Exception {
        kill(name, Stream.concat(Stream.of(process.toHandle()), process.descendants()));
    }

    static void kill(String signal, Stream<ProcessHandle> processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        processes.forEach(one -> command.add(Long.toString(one.pid())));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    /** Waits until something holds; the process must not end before. */
    void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(isAlive())
                    .as("alive when %s; out: %s err: %s", what, out(), err())
                    .isTrue();
            assertThat(System.nanoTime() - deadline)
                    .as("waiting until %s; err: %s", what, err())
                    .isNegative();
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS))
                .as("ended; err: %s", err())
                .isTrue();
        return process.exitValue();
    }

    /** The private directories of servers that are there now. */
    static List<Path> serverDirectories() {
        Path servers = CACHE.resolve("servers");
        if (!Files.isDirectory(servers)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(servers)) {
            return entries.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** No process and no directory of a server is left. */
    static void assertNothingLeft() {
        String servers = CACHE.resolve("servers").toString();
        assertThat(serverDirectories()).isEmpty();
        assertThat(ProcessHandle.allProcesses()
                        .filter(process ->
                                process.info().commandLine().orElse("").contains("--defaults-file=" + servers)))
                .isEmpty();
    }

    /** Ends what a failed test left running. */
    @Override
    public void close() {
        List<ProcessHandle> descendants = descendants();
        process.destroyForcibly().onExit().join();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }
}
