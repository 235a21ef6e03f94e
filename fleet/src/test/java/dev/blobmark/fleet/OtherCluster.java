package dev.blobmark.fleet;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Spark cluster with one worker, which somebody else has set up.
 *
 * @param settings file with those of its master and worker
 */
record OtherCluster(List<Process> processes, String master, Path settings) implements AutoCloseable {

    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");

    /** Kept between builds. */
    private static final Path HOME = Path.of("target", "spark-home").toAbsolutePath();

    private static final Pattern REGISTERED = Pattern.compile("(Successfully registered) with master");

    /** @param directory for its files */
    static OtherCluster start(Path directory, Map<String, String> settings) throws Exception {
        return start(directory, "127.0.0.1", settings);
    }

    /** @param host address of loopback */
    static OtherCluster start(Path directory, String host, Map<String, String> settings) throws Exception {
        Files.createDirectories(directory);
        Path file = file(directory.resolve("cluster.conf"), settings);
        List<Process> processes = new ArrayList<>();
        try {
            Path log = directory.resolve("master.log");
            processes.add(daemon(log, host, file, "org.apache.spark.deploy.master.Master"));
            String master = await(processes.get(0), log, MASTER);
            log = directory.resolve("worker.log");
            processes.add(daemon(
                    log,
                    host,
                    file,
                    "org.apache.spark.deploy.worker.Worker",
                    "--cores",
                    "8",
                    "--memory",
                    "8g",
                    "--work-dir",
                    directory.resolve("work").toString(),
                    master));
            await(processes.get(1), log, REGISTERED);
            return new OtherCluster(processes, master, file);
        } catch (Exception e) {
            end(processes);
            throw e;
        }
    }

    /** A file with settings of Spark, as Blobmark wants one. */
    static Path file(Path file, Map<String, String> settings) throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (Writer out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        return file;
    }

    private static Process daemon(Path log, String host, Path settings, String type, String... arguments)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                Files.readString(FleetCommand.SPARK).strip(),
                type,
                "--host",
                host,
                "--port",
                "0",
                "--webui-port",
                "0",
                "--properties-file",
                settings.toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder command =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
        command.environment().put("SPARK_LOCAL_IP", host);
        command.environment().put("SPARK_SCALA_VERSION", "2.13");
        command.environment().put("SPARK_HOME", home(HOME).toString());
        return command.start();
    }

    /** An installation with Spark's jars, from which workers start executors. */
    private static Path home(Path home) throws IOException {
        Path jars = Files.createDirectories(home.resolve("jars"));
        for (String jar : Files.readString(FleetCommand.SPARK).strip().split(":")) {
            Path link = jars.resolve(Path.of(jar).getFileName());
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, Path.of(jar));
            }
        }
        return home;
    }

    private static String await(Process process, Path log, Pattern line) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FleetCommand.PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() < deadline) {
            Matcher found = line.matcher(Files.readString(log));
            if (found.find()) {
                return found.group(1);
            }
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        throw new IOException("the cluster has not started: " + Files.readString(log));
    }

    private static void end(List<Process> processes) {
        processes.forEach(Process::destroy);
        try {
            for (Process process : processes) {
                process.waitFor(30, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end(processes);
    }
}
