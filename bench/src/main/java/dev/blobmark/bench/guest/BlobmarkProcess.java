package dev.blobmark.bench.guest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code ./blobmark}, started as a user starts it. The launcher becomes the JVM, so the process is Blobmark's own. */
final class BlobmarkProcess {

    private static final String FORK = "dev.blobmark.cli.ForkMain";

    private final Process process;
    private final Path output;
    private final Path out;

    private BlobmarkProcess(Process process, Path output, Path out) {
        this.process = process;
        this.output = output;
        this.out = out;
    }

    /** The directories in which Blobmark is started, and where it may leave files. */
    record Home(Path root, Path scratch) {

        Path cache() {
            return scratch.resolve("cache");
        }

        Path temporary() {
            return scratch.resolve("tmp");
        }

        /** @param name of the output file and of the run directory */
        BlobmarkProcess start(String name, List<String> arguments) throws IOException {
            Files.createDirectories(temporary());
            Path out = scratch.resolve("runs").resolve(name);
            Path output = Files.createDirectories(scratch.resolve("output")).resolve(name);
            List<String> command =
                    new ArrayList<>(List.of(root.resolve("blobmark").toString()));
            command.addAll(arguments);
            if (arguments.get(0).equals("run") && !arguments.contains("--dry-run")) {
                command.addAll(List.of("--out", out.toString()));
            }
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(scratch.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile());
            builder.environment().put("BLOBMARK_PASSWORD", Pair.PASSWORD);
            builder.environment().put("XDG_CACHE_HOME", cache().toString());
            builder.environment().put("TMPDIR", temporary().toString());
            // All JVMs read this variable, also those that measure, so their temporary files are distinct from those of
            // other programs. Speed does not matter here, and short runs spend most of their time in the compiler C2.
            builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=" + temporary());
            return new BlobmarkProcess(builder.start(), output, out);
        }

        /** Processes that were started with this home, recognized by their environment. */
        List<Long> processes() throws IOException {
            String variable = "XDG_CACHE_HOME=" + cache() + "\0";
            try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
                return all.map(ProcessHandle::pid)
                        .filter(pid ->
                                text(Path.of("/proc/" + pid + "/environ")).contains(variable))
                        .toList();
            }
        }

        List<String> temporaryFiles() throws IOException {
            try (Stream<Path> files = Files.list(Files.createDirectories(temporary()))) {
                return files.map(file -> file.getFileName().toString()).sorted().toList();
            }
        }

        private static String text(Path file) {
            try {
                return Files.readString(file, StandardCharsets.ISO_8859_1);
            } catch (IOException ended) {
                return "";
            }
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The number of lines in samples.jsonl. */
    long samples() throws IOException {
        Path samples = out.resolve("samples.jsonl");
        return Files.exists(samples) ? Files.readString(samples).lines().count() : 0;
    }

    String output() throws IOException {
        try (Stream<String> lines = Files.readString(output).lines()) {
            return lines.filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS"))
                    .collect(Collectors.joining("\n"));
        }
    }

    /** Waits, and kills the process if it has not ended in time. Returns whether it has ended by itself. */
    boolean await(int seconds) throws InterruptedException {
        boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
        if (!ended) {
            kill(true);
        }
        return ended;
    }

    int exitCode() {
        return process.exitValue();
    }

    void suspend() throws IOException, InterruptedException {
        signal("STOP", process.pid());
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT", process.pid());
    }

    /** Sends SIGKILL, at the same moment also to the measuring JVMs if {@code forksToo}. */
    void kill(boolean forksToo) throws InterruptedException {
        List<ProcessHandle> forks = forksToo
                ? process.descendants()
                        .filter(child -> child.info().commandLine().orElse("").contains(FORK))
                        .toList()
                : List.of();
        process.destroyForcibly();
        forks.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }
}
