package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.Ownership;
import dev.blobmark.lab.hosts.Cluster.Request;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The settings of a Spark application, from where {@code spark-submit} takes them: {@code --spark-conf} comes before
 * {@code --spark-conf-file}, which comes before {@code spark-defaults.conf}.
 *
 * @param inFiles those of both files
 * @param onCommandLine those of {@code --spark-conf}
 */
record SparkSettings(Map<String, String> inFiles, Map<String, String> onCommandLine) {

    static final String DRIVER_HOST = "spark.driver.host";

    private static final String MASTER = "spark.master";

    private static final String PREFIX = "spark.";

    private static final Set<PosixFilePermission> OF_OWNER =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /**
     * Reads the files.
     *
     * @param environment where {@code SPARK_CONF_DIR} and {@code SPARK_HOME} are
     * @throws IllegalArgumentException if a file or a setting is refused; the message has what to do, and no secret
     */
    static SparkSettings read(Request request, UnaryOperator<String> environment) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        Optional<Path> defaults = defaults(environment);
        if (defaults.isPresent()) {
            requireOwn(defaults.get());
            Map<String, String> found = properties(defaults.get());
            found.keySet().removeIf(key -> !key.startsWith(PREFIX)); // as spark-submit does
            files.putAll(found);
        }
        Map<String, String> ofDefaults = Map.copyOf(files);
        if (request.settingsFile().isPresent()) {
            Path file = request.settingsFile().get();
            requirePrivate(file, request.scratch());
            requireOwn(file);
            Map<String, String> found = properties(file);
            if (!found.keySet().stream().allMatch(key -> key.startsWith(PREFIX))) {
                throw new IllegalArgumentException(file + ":" + firstOther(file)
                        + ": this is not a setting of Spark: their names begin with " + PREFIX);
            }
            files.putAll(found);
        }
        SparkSettings settings = new SparkSettings(files, request.settings());
        SparkRedaction redaction = SparkRedaction.of(settings.all());
        redaction.refuseOnCommandLine("--spark-conf", request.settings());
        redaction.refuseInCommands(settings.all());
        if (request.settings().containsKey(MASTER)) {
            throw new IllegalArgumentException("--spark-conf " + MASTER + " is what --on names; leave it out");
        }
        if (ofDefaults.entrySet().stream().anyMatch(entry -> redaction.isSecret(entry.getKey(), entry.getValue()))) {
            requireUnreadableByOthers(defaults.orElseThrow());
        }
        NamedFiles.requireOwn(settings.all());
        return settings;
    }

    /** All of them, each with the value that counts. */
    Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>(inFiles);
        all.putAll(onCommandLine);
        return all;
    }

    /**
     * Those of an application for a request.
     *
     * @param bind address of this machine for the hosts
     * @param more settings that only the command line changes
     */
    Map<String, String> ofApplication(Request request, InetAddress bind, Map<String, String> more) {
        Map<String, String> settings = new LinkedHashMap<>(Application.USUAL);
        settings.put("spark.app.name", "blobmark");
        settings.put("spark.driver.bindAddress", bind.getHostAddress());
        settings.putAll(inFiles);
        settings.putAll(more);
        settings.put(DRIVER_HOST, bind.getHostAddress());
        settings.put(ClusterSecurity.INTERFACE, "false");
        settings.put("spark.cores.max", Integer.toString(request.hosts()));
        settings.put("spark.executor.instances", Integer.toString(request.hosts()));
        settings.putAll(onCommandLine);
        settings.merge(Application.PLUGINS, Application.PLUGIN, (users, ours) -> users + "," + ours);
        settings.put(
                Application.JAVA_OPTIONS,
                Application.javaOptions(request.master(), settings.getOrDefault(Application.JAVA_OPTIONS, "")));
        settings.put(SparkRedaction.SETTING, SparkRedaction.of(settings).regex());
        settings.put(MASTER, request.master());
        return settings;
    }

    private static Optional<Path> defaults(UnaryOperator<String> environment) {
        return Optional.ofNullable(environment.apply("SPARK_CONF_DIR"))
                .filter(directory -> !directory.isEmpty())
                .map(Path::of)
                .or(() -> Optional.ofNullable(environment.apply(ClassPath.SPARK_HOME))
                        .filter(directory -> !directory.isEmpty())
                        .map(directory -> Path.of(directory, "conf")))
                .map(directory -> directory.resolve("spark-defaults.conf"))
                .filter(Files::isRegularFile);
    }

    /** The number of a line, which may be a secret without its key. */
    private static int firstOther(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith(PREFIX) && !line.startsWith("#") && !line.startsWith("!")) {
                return i + 1;
            }
        }
        return 1;
    }

    /** Settings name code that the driver and executors run. */
    static void requireOwn(Path file) throws IOException {
        Optional<String> problem = Ownership.problem(file);
        if (problem.isPresent()) {
            throw new IllegalArgumentException(problem.get() + ". The settings of Spark in " + file
                    + " decide what runs on this machine and on hosts: make it yours or root's alone (chown, chmod go-w),"
                    + " or use settings in a directory of yours (SPARK_CONF_DIR, --spark-conf-file)");
        }
    }

    /**
     * Refuses files of settings that {@code spark-submit} has read.
     *
     * @param named those of its options
     * @throws IllegalArgumentException if others may write to one, or read its secrets
     */
    static void requireSafe(List<Path> named, UnaryOperator<String> environment) throws IOException {
        List<Path> files = new ArrayList<>(named);
        defaults(environment).ifPresent(files::add);
        for (Path file : files) {
            requireOwn(file);
            Map<String, String> settings = properties(file);
            SparkRedaction redaction = SparkRedaction.of(settings);
            if (settings.entrySet().stream().anyMatch(entry -> redaction.isSecret(entry.getKey(), entry.getValue()))) {
                requireUnreadableByOthers(file);
            }
        }
    }

    private static Map<String, String> properties(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader text = Files.newBufferedReader(file)) {
            properties.load(text);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("the settings of Spark in " + file + " cannot be read: " + e.getMessage(), e);
        }
        Map<String, String> settings = new LinkedHashMap<>();
        properties.stringPropertyNames().stream()
                .sorted()
                .forEach(key -> settings.put(key, properties.getProperty(key).strip()));
        return settings;
    }

    private static void requirePrivate(Path file, Path own) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("--spark-conf-file " + file + " is not a file");
        }
        if (!OF_OWNER.containsAll(Files.getPosixFilePermissions(file))) {
            throw new IllegalArgumentException("other users may have access to " + file + ": chmod 600 " + file);
        }
        Path ours = Files.createTempFile(own, "blobmark-owner-", "");
        try {
            if (!Files.getOwner(file).equals(Files.getOwner(ours))) {
                throw new IllegalArgumentException(file + " belongs to " + Files.getOwner(file)
                        + ", and this process to " + Files.getOwner(ours) + ": copy it into a file of your own");
            }
        } finally {
            Files.delete(ours);
        }
    }

    private static void requireUnreadableByOthers(Path file) throws IOException {
        if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            throw new IllegalArgumentException("every user can read the secrets in " + file + ": chmod 600 " + file
                    + ", or move them into a file of mode 600 that --spark-conf-file or, for spark-submit,"
                    + " --properties-file names");
        }
    }
}
