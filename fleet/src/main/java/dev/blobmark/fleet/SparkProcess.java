package dev.blobmark.fleet;

import dev.blobmark.fleet.host.SparkDriver;
import dev.blobmark.fleet.host.Submission;
import dev.blobmark.lab.machine.Subprocess;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Spark's driver in a process of its own, for each connection another one. It is started as {@code spark-submit} does,
 * which also looks for packages ({@code spark.jars.packages}).
 *
 * @param classPath of Spark
 * @param tasks jar with the driver, and what executors need of it
 * @param settings of Spark
 * @param scratch directory for its temporary files and its log, which only the user may enter
 */
record SparkProcess(String classPath, Path tasks, Map<String, String> settings, Path scratch)
        implements Jobs.DriverSource {

    /** What Spark needs on Java 17 and newer (Spark 4.2, {@code org.apache.spark.launcher.JavaModuleOptions}). */
    static final List<String> MODULES = List.of(
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--add-modules=jdk.incubator.vector",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
            "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-Djdk.reflect.useDirectMethodHandle=false",
            "-Dio.netty.tryReflectionSetAccessible=true");

    /** Variables that Spark prefers to the directory of temporary files; its files there may be open to everybody. */
    private static final Set<String> DIRECTORIES = Set.of("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS");

    private static final int END_SECONDS = 10;

    @Override
    public Jobs.DriverConnection connect() throws IOException {
        Path settings = settingsFile();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(MODULES);
        command.addAll(List.of(
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                tasks + File.pathSeparator + classPath,
                Submission.class.getName(),
                "--deploy-mode",
                "client",
                "--properties-file",
                settings.toString(),
                "--class",
                SparkDriver.class.getName(),
                tasks.toString()));
        Path log = scratch.resolve("spark.log");
        ProcessBuilder builder = Subprocess.of(command).redirectError(log.toFile());
        builder.environment().keySet().removeAll(DIRECTORIES);
        Process process = builder.start();
        return new Jobs.DriverConnection() {
            @Override
            public InputStream in() {
                return process.getInputStream();
            }

            @Override
            public OutputStream out() {
                return process.getOutputStream();
            }

            @Override
            public String lastWords() {
                return lastLine(log);
            }

            /** If this JVM is killed, the end of its standard input ends the process. */
            @Override
            public void close() throws IOException {
                try {
                    process.getOutputStream().close();
                } catch (IOException e) {
                    // it has ended, and what was not sent is not needed
                }
                try {
                    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    process.destroyForcibly();
                    Thread.currentThread().interrupt();
                } finally {
                    Files.deleteIfExists(settings);
                }
            }
        };
    }

    /** Not words of the command, which everybody on this machine can read: a setting may be a secret. */
    private Path settingsFile() throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        Path file = Files.createTempFile(
                scratch,
                "spark-",
                ".properties",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (Writer out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        return file;
    }

    /** The one with the reason, if there is one: what follows are the lines of its stack. */
    private static String lastLine(Path log) {
        try {
            List<String> lines =
                    Files.readString(log, StandardCharsets.UTF_8).lines().toList();
            return lines.stream()
                    .filter(line -> line.startsWith("Exception in thread") || line.startsWith("Error: "))
                    .reduce((first, later) -> later)
                    .map(line -> "it printed: " + line)
                    .orElseGet(() ->
                            lines.isEmpty() ? "it printed nothing" : "its last line: " + lines.get(lines.size() - 1));
        } catch (IOException e) {
            return "its log cannot be read: " + e.getMessage();
        }
    }
}
