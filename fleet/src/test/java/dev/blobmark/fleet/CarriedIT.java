package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All that Spark carries and keeps during each kind of run has no password, no key and no value of a table: what goes
 * over the network, files and logs, event logs, command lines and environments, web interfaces. So that it can be read,
 * the cluster has no authentication, nothing is encrypted and nothing is compressed.
 */
class CarriedIT {

    /** Of this test alone, so that what others send is not looked at. */
    private static final String HOST = "127.0.0.77";

    private static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: operations
            baseline: plain
            methods:
              plain: {codec: none}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, rows: 50, link: loopback, tls: off, threads: 2, rate: 100}
            schedule: {rounds: 2, forks: 1, window: 200ms, warm-up: 100ms, seed: 1}
            """;

    private static final int ROWS = 300;
    private static final int LETTERS = 40;

    /** What a private key of Ed25519, and of P-256, begins with: PKCS #8. */
    private static final List<String> PRIVATE_KEYS =
            List.of("302e020100300506032b657004220420", "301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420");

    /** What is started. {@code advise} sends hosts what {@code run} sends them. */
    private enum Kind {
        RUN,
        SURVEY,
        REENCODE;

        List<String> words() {
            return switch (this) {
                case RUN -> List.of("run", "tiny.yaml", "--data", "shop.orders.payload", "--schema", "tried");
                case SURVEY -> List.of("survey", "--data", "shop.orders.payload");
                case REENCODE ->
                    List.of("reencode", "--table", "shop.changed.payload", "--to", "lz4", "--yes", "--speed", "100");
            };
        }
    }

    private static final String PASSWORD = random();
    private static final String VALUE = random();
    private static final Secrets PASSWORDS = new Secrets(Map.of("the password", PASSWORD), PRIVATE_KEYS);
    private static final Secrets VALUES = new Secrets(Map.of("a value", VALUE), List.of());

    private static Server server;

    @TempDir
    private static Path directory;

    private static String random() {
        StringBuilder text = new StringBuilder();
        new SecureRandom().ints(LETTERS, 'a', 'z' + 1).forEach(letter -> text.append((char) letter));
        return text.toString();
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root") && Files.exists(Path.of("/proc/net/tcp")),
                "only root can read what goes over the network");
        assumeTrue(hasPython(), "no python3 to read what goes over the network");
        Files.writeString(directory.resolve("tiny.yaml"), STUDY);
        server = Servers.parse("embedded").open(FleetCommand.CACHE, ServerOptions.of(64 << 20));
        try (Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            for (String sql : List.of(
                    "CREATE USER 'you'@'%' IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT ALL ON *.* TO 'you'@'%'",
                    "CREATE DATABASE shop",
                    "USE shop",
                    "CREATE TABLE orders (id INT PRIMARY KEY, payload MEDIUMBLOB)",
                    "INSERT INTO orders SELECT seq, CONCAT(seq, '" + VALUE + "', REPEAT('item ', 700)) FROM seq_1_to_"
                            + ROWS,
                    "CREATE TABLE changed LIKE orders",
                    "INSERT INTO changed SELECT * FROM orders",
                    "ANALYZE TABLE orders, changed")) {
                Sql.execute(owner, sql);
            }
        }
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** What was seen of a run. */
    private record Seen(Path traffic, Set<String> processes, Set<String> pages) {}

    /** Reads commands and environments of the cluster's processes, of all that they start, and of Spark's driver. */
    private static void look(List<ProcessHandle> roots, FleetCommand command, Set<String> processes) {
        List<ProcessHandle> all = new ArrayList<>();
        for (ProcessHandle root : roots) {
            all.add(root);
            root.descendants().forEach(all::add);
        }
        command.process().descendants().forEach(all::add);
        for (ProcessHandle process : all) {
            if (isBeingStarted(process)) {
                continue;
            }
            for (String file : List.of("cmdline", "environ")) {
                try {
                    processes.add(file + " of "
                            + Files.readString(
                                    Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                    // it has ended
                }
            }
        }
    }

    /**
     * Until a JVM's child has its own program, it is a copy of the JVM, with its environment, or a helper that starts
     * it.
     */
    private static boolean isBeingStarted(ProcessHandle process) {
        try {
            Path program = Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "exe"));
            return program.endsWith("jspawnhelper") || isCopyOfParent(process);
        } catch (IOException e) {
            return true; // it has ended
        }
    }

    private static boolean isCopyOfParent(ProcessHandle process) throws IOException {
        if (process.parent().isEmpty()) {
            return false;
        }
        Path own = Path.of("/proc", Long.toString(process.pid()), "cmdline");
        Path ofParent = Path.of("/proc", Long.toString(process.parent().get().pid()), "cmdline");
        return Files.readString(own, StandardCharsets.ISO_8859_1)
                .equals(Files.readString(ofParent, StandardCharsets.ISO_8859_1));
    }

    /** What a master and a worker without a filter show of an application and its executors. */
    private static void read(List<ProcessHandle> daemons, Set<String> pages) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (ProcessHandle daemon : daemons) {
            for (Listening socket : Listening.of(daemon)) {
                for (String path : List.of("/", "/json/", "/environment/", "/conf")) {
                    HttpRequest request = HttpRequest.newBuilder(
                                    URI.create("http://" + HOST + ":" + socket.port() + path))
                            .timeout(java.time.Duration.ofSeconds(2))
                            .build();
                    try {
                        HttpResponse<String> page = client.send(request, HttpResponse.BodyHandlers.ofString());
                        pages.add(page.statusCode() + " " + page.body());
                    } catch (IOException e) {
                        // no web interface
                    }
                }
            }
        }
    }

    private static Seen watched(
            String name, List<ProcessHandle> roots, FleetCommand command, Process sniffer, Path traffic)
            throws Exception {
        Set<String> processes = new LinkedHashSet<>();
        Set<String> pages = new LinkedHashSet<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FleetCommand.PATIENCE_SECONDS);
        while (command.process().isAlive() && System.nanoTime() < deadline) {
            look(roots, command, processes);
            read(roots, pages);
            command.process().waitFor(200, TimeUnit.MILLISECONDS);
        }
        // on a busy machine a rate may not be reached, which is no matter here
        assertThat(command.exitCode()).as(command.printed()).isIn(0, 5);
        sniffer.getOutputStream().close();
        String counts = new String(sniffer.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(sniffer.waitFor()).isZero();
        assertThat(counts)
                .as("packets of " + name + " that were seen, and lost")
                .endsWith(" 0");
        return new Seen(traffic, processes, pages);
    }

    private static Seen run(Kind kind, String master, List<ProcessHandle> roots, String... more) throws Exception {
        Path traffic = Files.createTempDirectory(directory, "traffic-");
        Process sniffer = new ProcessBuilder(
                        "python3",
                        Path.of("src/test/python/loopback.py").toAbsolutePath().toString(),
                        traffic.toString(),
                        HOST)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            BufferedReader lines = sniffer.inputReader(StandardCharsets.UTF_8);
            assertThat(lines.readLine()).isEqualTo("ready");
            List<String> words = new ArrayList<>(kind.words());
            words.addAll(List.of(
                    "--server", "mysql://you@127.0.0.1:" + server.endpoint().port() + "/", "--hosts", "2"));
            words.addAll(List.of("--spark-conf", "spark.driver.host=" + HOST));
            words.addAll(List.of(more));
            words.addAll(List.of("--on", master));
            FleetCommand command =
                    FleetCommand.start(directory, Map.of("BLOBMARK_PASSWORD", PASSWORD), words.toArray(String[]::new));
            return watched(kind.name(), roots, command, sniffer, traffic);
        } finally {
            sniffer.destroyForcibly().waitFor();
        }
    }

    private static Set<String> found(Secrets secrets, Iterable<String> texts) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String text : texts) {
            for (String what : secrets.in(text)) {
                found.add(text.replace('\0', ' ').substring(0, Math.min(text.length(), 200)) + ": " + what);
            }
        }
        return found;
    }

    private static List<ProcessHandle> roots(OtherCluster cluster) {
        return cluster.processes().stream().map(Process::toHandle).toList();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nothingThatSparkCarriesHasASecret(Kind kind) throws Exception {
        Path files = directory.resolve(kind.name());
        Path events = Files.createDirectories(files.resolve("events"));
        Map<String, String> open = new HashMap<>(Map.of("spark.master.rest.enabled", "false"));
        try (OtherCluster cluster = OtherCluster.start(files, HOST, open)) {
            List<String> settings = new ArrayList<>(List.of("--insecure-cluster"));
            for (String setting : List.of(
                    "spark.io.encryption.enabled=false",
                    "spark.broadcast.compress=false",
                    "spark.shuffle.compress=false",
                    "spark.shuffle.spill.compress=false",
                    "spark.eventLog.enabled=true",
                    "spark.eventLog.compress=false",
                    "spark.eventLog.dir=" + events.toUri())) {
                settings.addAll(List.of("--spark-conf", setting));
            }
            Seen seen = run(kind, cluster.master(), roots(cluster), settings.toArray(String[]::new));

            // what is looked for would be seen
            Secrets known = new Secrets(Map.of("a class", "dev.blobmark.fleet.host."), List.of());
            assertThat(known.below(seen.traffic(), Set.of())).isNotEmpty();
            assertThat(known.below(events, Set.of())).as("event logs").isNotEmpty();
            assertThat(seen.pages()).anyMatch(page -> page.startsWith("200") && page.contains("Running"));
            assertThat(seen.processes()).anyMatch(text -> text.contains("CoarseGrainedExecutorBackend"));
            assertThat(found(known, seen.processes())).isNotEmpty();

            assertThat(PASSWORDS.below(seen.traffic(), Set.of())).isEmpty();
            assertThat(PASSWORDS.below(files, Set.of())).isEmpty();
            assertThat(found(PASSWORDS, seen.processes())).isEmpty();
            assertThat(found(PASSWORDS, seen.pages())).isEmpty();
            if (kind != Kind.SURVEY) { // whose results are values, and are read by those who can read the cluster's
                // traffic
                assertThat(VALUES.below(seen.traffic(), Set.of())).isEmpty();
            }
            assertThat(VALUES.below(files, Set.of())).isEmpty();
            assertThat(found(VALUES, seen.processes())).isEmpty();
            assertThat(found(VALUES, seen.pages())).isEmpty();
        }
    }

    /** With authentication and encryption, the values of a survey are not to be read either. */
    @Test
    void nothingIsReadOfAClosedCluster() throws Exception {
        Map<String, String> closed = Map.of(
                "spark.master.rest.enabled", "false",
                "spark.authenticate", "true",
                "spark.authenticate.secret", random(),
                "spark.network.crypto.enabled", "true",
                "spark.network.crypto.cipher", "AES/GCM/NoPadding");
        try (OtherCluster cluster = OtherCluster.start(directory.resolve("closed"), HOST, closed)) {
            Seen seen = run(
                    Kind.SURVEY,
                    cluster.master(),
                    roots(cluster),
                    LocalCluster.SETTINGS_FILE,
                    cluster.settings().toString(),
                    "--spark-conf",
                    "spark.broadcast.compress=false",
                    "--spark-conf",
                    "spark.shuffle.compress=false");
            Secrets all = new Secrets(
                    Map.of(
                            "the password",
                            PASSWORD,
                            "a value",
                            VALUE,
                            "the secret",
                            closed.get("spark.authenticate.secret"),
                            "a class",
                            "dev.blobmark.fleet.host."),
                    PRIVATE_KEYS);
            try (DirectoryStream<Path> streams = Files.newDirectoryStream(seen.traffic())) {
                assertThat(streams).isNotEmpty();
            }
            assertThat(all.below(seen.traffic(), Set.of())).isEmpty();
        }
    }
}
