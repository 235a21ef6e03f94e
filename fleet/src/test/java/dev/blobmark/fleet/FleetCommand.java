package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A command that a user starts, and what it printed. */
record FleetCommand(Process process, Path out) {

    /** How long a test waits for what must happen. */
    static final long PATIENCE_SECONDS = 600;

    static final Path SPARK = LocalCluster.ROOT.resolve("fleet/spark/target/classpath");

    /** JVMs are up sooner with one compiler, and without a heap that they touch. */
    static final String QUICK = "-XX:TieredStopAtLevel=1";

    static final String QUICK_TO_MEASURE = "--jvm-flags=" + QUICK + " -XX:+UseSerialGC -Xms64m -XX:-AlwaysPreTouch";

    private static final String QUICK_EXECUTORS = "--spark-conf=spark.executor.extraJavaOptions=" + QUICK;

    /** Of servers; kept between builds, so that they are unpacked once. */
    static final Path CACHE = Path.of("target", "blobmark-cache").toAbsolutePath();

    /** Blobmark in a directory. */
    static FleetCommand start(Path directory, Map<String, String> environment, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                QUICK,
                "-Djava.io.tmpdir=" + directory,
                "-Dblobmark.spark.classpath=" + SPARK,
                "-cp",
                withoutSpark(System.getProperty("java.class.path")),
                "dev.blobmark.cli.Main"));
        words.addAll(List.of(arguments));
        if (arguments[0].equals("run")) {
            words.add(QUICK_TO_MEASURE);
        }
        int on = List.of(arguments).indexOf("--on");
        if (on >= 0) {
            words.add(QUICK_EXECUTORS);
            if (!words.contains(LocalCluster.SETTINGS_FILE)) {
                words.addAll(LocalCluster.settingsOf(arguments[on + 1]));
            }
        }
        return start(directory, words, environment);
    }

    /** As the launcher starts it. */
    private static String withoutSpark(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator))
                .filter(entry -> !entry.contains("/org/apache/spark/") && !entry.contains("/org/scala-lang/"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Blobmark in an application that {@code spark-submit} starts, on two hosts, with the settings of the cluster. */
    static FleetCommand submit(
            Path directory, Map<String, String> environment, LocalCluster cluster, String... arguments)
            throws IOException {
        return submit(directory, environment, List.of(), cluster.master(), cluster.settings(), arguments);
    }

    /** @param more words for {@code spark-submit} */
    static FleetCommand submit(
            Path directory,
            Map<String, String> environment,
            List<String> more,
            String master,
            Path file,
            String... arguments)
            throws IOException {
        Path lib = Files.createDirectories(Path.of("target", "lib").toAbsolutePath());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (entry.endsWith(".jar") && !Files.exists(lib.resolve(jar.getFileName()))) {
                Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
            }
        }
        // no link: Spark would follow it
        Path submitted = lib.resolve("blobmark-fleet.jar");
        Files.deleteIfExists(submitted);
        Files.copy(Path.of("target", "blobmark-fleet.jar"), submitted);
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(SparkProcess.MODULES);
        words.add(QUICK);
        words.addAll(List.of(
                "-Djava.io.tmpdir=" + directory, // as --driver-java-options of spark-submit
                "-cp",
                Files.readString(SPARK).strip(),
                "org.apache.spark.deploy.SparkSubmit",
                "--master",
                master,
                "--properties-file",
                file.toString(),
                "--conf",
                "spark.driver.host=127.0.0.1",
                "--conf",
                "spark.cores.max=2",
                "--conf",
                "spark.executor.extraJavaOptions=" + QUICK));
        words.addAll(more);
        words.addAll(List.of("--class", "dev.blobmark.fleet.Fleet", submitted.toString()));
        words.addAll(List.of(arguments));
        return start(directory, words, environment);
    }

    static FleetCommand start(Path directory, List<String> words, Map<String, String> environment) throws IOException {
        Path out = Files.createTempFile(directory, "out-", ".txt");
        ProcessBuilder command = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        command.environment().remove("SPARK_HOME");
        // for Spark's process, which gets no flags
        command.environment().put("JDK_JAVA_OPTIONS", QUICK);
        command.environment().putAll(environment);
        return new FleetCommand(command.start(), out);
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    String printed() throws IOException {
        return Files.readString(out);
    }
}
