package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.HostDirectory;
import dev.blobmark.fleet.host.Ownership;
import dev.blobmark.fleet.host.SparkDriver;
import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A command of Blobmark as a Spark application, for those who submit by themselves: {@code spark-submit --class
 * dev.blobmark.fleet.Fleet blobmark-fleet.jar run blob-fetch --hosts 8 …}. The command runs in a process of its own,
 * next to the driver, with the jars in the directory of this one. Its hosts are the executors of the application.
 */
public final class Fleet {

    /** The master of a command that a submitted application has started. */
    static final String SUBMITTED = "submitted";

    /** The property with the socket of the application. */
    static final String SOCKET = "blobmark.fleet.socket";

    /** The command whose tasks may be done again. */
    private static final String SCANNING = "survey";

    private static final String SETTINGS_FILE = "--properties-file";

    private static final String TEMPORARY = "java.io.tmpdir";

    private static final String ADDRESS = "spark.driver.host";

    /** The words of this process, each with a zero byte behind it. */
    private static final Path COMMAND = Path.of("/proc/self/cmdline");

    private static final int REFUSED = 2;
    private static final int UNREACHABLE = 3;

    private Fleet() {}

    public static void main(String[] args) throws Exception {
        SparkConf conf = new SparkConf();
        conf.setIfMissing("spark.app.name", "blobmark");
        conf.setIfMissing(ClusterSecurity.INTERFACE, "false"); // it listens at all addresses
        conf.set(
                Application.PLUGINS,
                Stream.of(conf.get(Application.PLUGINS, ""), Application.PLUGIN)
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.joining(",")));
        conf.set(
                Application.JAVA_OPTIONS,
                Application.javaOptions(conf.get("spark.master", ""), conf.get(Application.JAVA_OPTIONS, "")));
        Application.USUAL.forEach(conf::setIfMissing);
        try {
            requireOwn(Path.of(System.getProperty(TEMPORARY)));
            require(settings(conf), Arrays.asList(args).contains(ClusterSecurity.INSECURE));
            conf.set(SparkRedaction.SETTING, SparkRedaction.of(settings(conf)).regex());
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("blobmark: " + e.getMessage());
            System.exit(e instanceof IOException ? UNREACHABLE : REFUSED);
        }
        if (args.length == 0 || !args[0].equals(SCANNING)) {
            Application.OF_HOSTS.forEach(conf::setIfMissing);
        }
        JavaSparkContext spark = new JavaSparkContext(SparkContext.getOrCreate(conf));
        HostDirectory directory =
                HostDirectory.make(Path.of(System.getProperty(TEMPORARY)).toAbsolutePath());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory), "fleet-end"));
        Path socket = directory.path().resolve("socket");
        int code;
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(socket));
            Thread serving = new Thread(() -> serve(listening, spark), "fleet");
            serving.setDaemon(true);
            serving.start();
            code = command(args, socket, spark.getConf().get(ADDRESS))
                    .inheritIO()
                    .start()
                    .waitFor();
        }
        spark.stop();
        System.exit(code);
    }

    private static void remove(HostDirectory directory) {
        try {
            directory.close();
        } catch (IOException e) {
            // the next application removes it
        }
    }

    /** Spark unpacks native libraries there, by names that others may know before. */
    static void requireOwn(Path temporary) throws IOException {
        Optional<String> problem = Ownership.problem(temporary);
        if (problem.isPresent()) {
            throw new IllegalArgumentException(problem.get() + ", so that they could replace libraries that Spark loads"
                    + " from its directory for temporary files, " + temporary + "; give spark-submit"
                    + " --driver-java-options -D" + TEMPORARY + "=DIRECTORY, with one of mode 700 of your own");
        }
    }

    /** Before anything is sent to the cluster. */
    private static void require(Map<String, String> settings, boolean isInsecure) throws IOException {
        Application.check(settings);
        SparkRedaction redaction = SparkRedaction.of(settings);
        List<String> words = words();
        redaction.refuseOnCommandLine("--conf", onCommandLine(words));
        SparkSettings.requireSafe(files(words), System::getenv);
        NamedFiles.requireOwn(settings);
        redaction.refuseInCommands(settings);
        if (!isInsecure) {
            ClusterSecurity.require(settings);
            Optional<Masters> masters = Masters.parse(settings.getOrDefault("spark.master", ""));
            if (masters.isPresent()) {
                ClusterSecurity.ask(masters.get(), settings);
            }
        }
    }

    /** The command of {@code spark-submit}. */
    private static List<String> words() throws IOException {
        if (Files.isReadable(COMMAND)) {
            String command = new String(Files.readAllBytes(COMMAND), StandardCharsets.UTF_8);
            return List.of(command.split("\0"));
        }
        Optional<String[]> words = ProcessHandle.current().info().arguments();
        if (words.isEmpty()) {
            throw new IOException("this system does not say how the application was started, so that it is not known"
                    + " whether a secret is on the command line");
        }
        return List.of(words.get());
    }

    /** @param words of the command, each as it was given */
    static Map<String, String> onCommandLine(List<String> words) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < words.size(); i++) {
            boolean isNext = (words.get(i).equals("--conf") || words.get(i).equals("-c")) && i + 1 < words.size();
            String word = isNext
                    ? words.get(i + 1)
                    : words.get(i).startsWith("--conf=") ? words.get(i).substring(7) : "";
            if (word.contains("=")) {
                settings.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
            }
        }
        return settings;
    }

    /**
     * The files of settings that {@code spark-submit} was given.
     *
     * @param words of the command, each as it was given
     */
    static List<Path> files(List<String> words) {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals(SETTINGS_FILE) && i + 1 < words.size()) {
                files.add(Path.of(words.get(i + 1)));
            } else if (words.get(i).startsWith(SETTINGS_FILE + "=")) {
                files.add(Path.of(words.get(i).substring(SETTINGS_FILE.length() + 1)));
            }
        }
        return files;
    }

    private static Map<String, String> settings(SparkConf conf) {
        Map<String, String> settings = new LinkedHashMap<>();
        Arrays.stream(conf.getAll()).forEach(setting -> settings.put(setting._1(), setting._2()));
        return settings;
    }

    /** Each connection is for the stages of one set of hosts. */
    private static void serve(ServerSocketChannel listening, JavaSparkContext spark) {
        while (listening.isOpen()) {
            try (SocketChannel command = listening.accept()) {
                BothWays streams = new BothWays(command);
                SparkDriver.serve(streams.in(), streams.out(), () -> spark);
            } catch (IOException e) {
                // the command has ended
            }
        }
    }

    private static ProcessBuilder command(String[] args, Path socket, String address) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dfile.encoding=UTF-8",
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-D" + SOCKET + "=" + socket,
                "-D" + TEMPORARY + "=" + Path.of(System.getProperty(TEMPORARY)).toAbsolutePath(),
                "-cp",
                classPath(),
                "dev.blobmark.cli.Main"));
        words.addAll(List.of(args));
        words.addAll(List.of("--on", SUBMITTED, "--spark-conf", ADDRESS + "=" + address));
        return new ProcessBuilder(words);
    }

    /** The jars next to the one of this class. */
    private static String classPath() throws IOException {
        try {
            Path here = Path.of(Fleet.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath()
                    .getParent();
            List<String> jars = new ArrayList<>();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(here, "*.jar")) {
                files.forEach(jar -> jars.add(jar.toString()));
            }
            if (jars.stream().noneMatch(jar -> jar.endsWith("blobmark-cli.jar"))) {
                throw new IOException(here + " has no blobmark-cli.jar; submit the blobmark-fleet.jar in the directory"
                        + " lib of a release, where all jars of Blobmark are");
            }
            jars.sort(null);
            return String.join(File.pathSeparator, jars);
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}
