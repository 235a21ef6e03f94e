package dev.blobmark.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Spark cluster of this machine, as {@code fleet/local-cluster} starts it. */
final class LocalCluster implements AutoCloseable {

    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final String DIRECTORY = "directory ";

    private final Process process;
    private final Path directory;
    private final String master;

    private LocalCluster(Process process, Path directory, String master) {
        this.process = process;
        this.directory = directory;
        this.master = master;
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
        if (directory == null || !directory.startsWith(DIRECTORY) || master == null) {
            process.destroy();
            throw new IOException("the cluster has not started: " + directory);
        }
        return new LocalCluster(process, Path.of(directory.substring(DIRECTORY.length())), master);
    }

    String master() {
        return master;
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
