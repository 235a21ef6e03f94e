package dev.blobmark.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Spark cluster of this machine, as {@code fleet/local-cluster} starts it. */
final class LocalCluster implements AutoCloseable {

    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    static final String SETTINGS_FILE = "--spark-conf-file";

    private static final String DIRECTORY = "directory ";

    /** By the address of the master. */
    private static final Map<String, Path> SETTINGS = new ConcurrentHashMap<>();

    private final Process process;
    private final Path directory;
    private final String master;
    private final Path settings;

    private LocalCluster(Process process, Path directory, String master, Path settings) {
        this.process = process;
        this.directory = directory;
        this.master = master;
        this.settings = settings;
        SETTINGS.put(master, settings);
    }

    /** @param environment more variables */
    static LocalCluster start(int workers, Map<String, String> environment) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                        ROOT.resolve("fleet/local-cluster").toString(), Integer.toString(workers))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        command.environment().put("JAVA_HOME", System.getProperty("java.home"));
        command.environment().remove("SPARK_HOME");
        command.environment().putAll(environment);
        Process process = command.start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String directory = lines.readLine();
        String master = lines.readLine();
        String settings = lines.readLine();
        if (directory == null || master == null || settings == null) {
            process.destroy();
            throw new IOException("the cluster has not started: " + directory);
        }
        return new LocalCluster(
                process, Path.of(after(DIRECTORY, directory)), master, Path.of(after(SETTINGS_FILE + " ", settings)));
    }

    private static String after(String words, String line) throws IOException {
        if (!line.startsWith(words)) {
            throw new IOException("'" + line + "' does not begin with " + words);
        }
        return line.substring(words.length());
    }

    /** The option with the secret of the cluster with a master; empty if it has none. */
    static List<String> settingsOf(String master) {
        return Optional.ofNullable(SETTINGS.get(master))
                .map(file -> List.of(SETTINGS_FILE, file.toString()))
                .orElse(List.of());
    }

    String master() {
        return master;
    }

    /** The file that Blobmark needs, with the secret. */
    Path settings() {
        return settings;
    }

    Path directory() {
        return directory;
    }

    /** The master and the workers. */
    List<ProcessHandle> daemons() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<ProcessHandle> daemons = new ArrayList<>();
            for (Path file : files.filter(file -> file.toString().endsWith(".pid") && !file.endsWith("script.pid"))
                    .toList()) {
                daemons.add(
                        ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                                .orElseThrow());
            }
            return daemons;
        }
    }

    /** Ends the script, which can do nothing more. */
    void kill() {
        process.destroyForcibly();
    }

    private ProcessHandle worker(int number) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("worker-" + number + ".pid"))
                        .strip()))
                .orElseThrow();
    }

    /** The executors of a worker that run. */
    List<ProcessHandle> executors(int worker) throws IOException {
        return worker(worker).children().filter(ProcessHandle::isAlive).toList();
    }

    /** The measuring JVMs on a worker. */
    Stream<ProcessHandle> measuring(int worker) throws IOException {
        return executors(worker).stream().flatMap(ProcessHandle::children);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
