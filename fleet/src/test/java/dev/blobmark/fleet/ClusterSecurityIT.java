package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others get from a cluster and from a run on it: nothing. And what Blobmark refuses. */
class ClusterSecurityIT {

    private static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: operations
            baseline: plain
            methods:
              plain: {codec: none}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, rows: 100, link: loopback, tls: off, threads: 2}
            schedule: {rounds: ROUNDS, forks: 1, window: 200ms, warm-up: 100ms, seed: 1}
            """;

    /** What a stranger would ask of a master, of a worker and of an application. */
    private static final List<String> PATHS = List.of(
            "/",
            "/json/",
            "/app/?appId=app-1",
            "/app/kill/?id=app-1&terminate=true",
            "/driver/kill/?id=driver-1&terminate=true",
            "/workers/kill/?host=127.0.0.1",
            "/logPage/?appId=app-1&executorId=0&logType=stderr",
            "/environment/",
            "/jobs/",
            "/api/v1/applications",
            "/metrics/json/",
            "/metrics/master/json/",
            "/static/webui.js",
            "/v1/submissions/create",
            "/v1/submissions/status/driver-1",
            "/nothing");

    private static LocalCluster cluster;

    /** A run that goes on while tests look at it. */
    private static FleetCommand run;

    private static String secret;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "sockets and commands of processes are read from /proc");
        Files.writeString(directory.resolve("short.yaml"), STUDY.replace("ROUNDS", "2"));
        Files.writeString(directory.resolve("endless.yaml"), STUDY.replace("ROUNDS", "9000"));
        cluster = LocalCluster.start(2, Map.of());
        secret = properties(cluster.settings()).getProperty("spark.authenticate.secret");
        assertThat(secret).hasSize(64);
        run = FleetCommand.start(
                directory,
                Map.of(),
                "run",
                "endless.yaml",
                "--on",
                cluster.master(),
                "--hosts",
                "2",
                "--out",
                "endless");
        Path samples = directory.resolve("endless/samples.jsonl");
        await(
                "a sample",
                () -> Files.exists(samples) && Files.size(samples) > 0
                        || !run.process().isAlive());
        assertThat(run.process().isAlive()).as(run.printed()).isTrue();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (run != null) {
            run.process().destroyForcibly().waitFor();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Properties properties(Path file) throws IOException {
        Properties properties = new Properties();
        try (var text = Files.newBufferedReader(file)) {
            properties.load(text);
        }
        return properties;
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FleetCommand.PATIENCE_SECONDS);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    private static ProcessHandle driver(FleetCommand command) {
        return command.process()
                .descendants()
                .filter(process -> command(process).contains("dev.blobmark.fleet.host.SparkDriver"))
                .findFirst()
                .orElseThrow();
    }

    /** Of any length. */
    private static String command(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    @Test
    void noPortOfAClusterServesAStranger() throws Exception {
        Map<String, ProcessHandle> all = new LinkedHashMap<>();
        cluster.daemons().forEach(daemon -> all.put("daemon " + daemon.pid(), daemon));
        for (int worker = 1; worker <= 2; worker++) {
            cluster.executors(worker).forEach(executor -> all.put("executor " + executor.pid(), executor));
            cluster.measuring(worker).forEach(process -> all.put("measuring process " + process.pid(), process));
        }
        all.put("driver", driver(run));
        assertThat(Listening.of(run.process().toHandle())).hasSize(1).allSatisfy(socket -> {
            assertThat(socket.isLoopback()).as(socket.address()).isTrue();
            assertThat(MasterProbe.ask(new Masters.MasterAddress("127.0.0.1", socket.port())))
                    .isIn(MasterProbe.PortState.OTHER, MasterProbe.PortState.CLOSED);
        });
        int spark = 0;
        int web = 0;
        for (Map.Entry<String, ProcessHandle> process : all.entrySet()) {
            for (Listening socket : Listening.of(process.getValue())) {
                String place = process.getKey() + ", port " + socket.port();
                assertThat(socket.isLoopback())
                        .as(place + " on " + socket.address())
                        .isTrue();
                MasterProbe.PortState answer = MasterProbe.ask(new Masters.MasterAddress("127.0.0.1", socket.port()));
                assertThat(answer).as(place).isIn(MasterProbe.PortState.AUTHENTICATED, MasterProbe.PortState.OTHER);
                if (answer == MasterProbe.PortState.AUTHENTICATED) {
                    spark++;
                } else {
                    web++;
                    assertRefusesAll(place, socket.port());
                }
            }
        }
        // of the master, two workers, two executors, and two of the driver; the web interfaces of the first three
        assertThat(spark).isEqualTo(7);
        assertThat(web).isEqualTo(3);
    }

    private static void assertRefusesAll(String place, int port) throws Exception {
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        for (String path : PATHS) {
            for (String method : List.of("GET", "POST", "PUT", "TRACE")) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, HttpRequest.BodyPublishers.ofString("{\"action\":\"CreateSubmissionRequest\"}"))
                        .header("Content-Type", "text/plain")
                        .header("Origin", "http://example.org")
                        .build();
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                assertThat(response.statusCode())
                        .as(place + ": " + method + " " + path)
                        .isEqualTo(403);
            }
        }
    }

    @Test
    void anotherUserFindsNoSecretInProcessesAndFiles() throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root") && Files.isExecutable(Path.of("/usr/sbin/runuser")),
                "only root can look as another user does, by runuser");
        String seen = asNobody("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null; true", "");
        assertThat(seen).contains("dev.blobmark.fleet.host.SparkDriver", "CoarseGrainedExecutorBackend");
        assertThat(seen).doesNotContain(secret);

        Path open = Files.createTempDirectory("blobmark-readable-");
        try {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path known = Files.writeString(open.resolve("known"), secret);
            Files.setPosixFilePermissions(known, PosixFilePermissions.fromString("rw-r--r--"));
            String places = open + " " + cluster.directory() + " " + directory + " "
                    + Path.of("target").toAbsolutePath();
            // the words that are looked for are not in a command
            assertThat(asNobody("grep -rlsF -f - " + places + "; true", secret).strip())
                    .isEqualTo(known.toString());
        } finally {
            Files.deleteIfExists(open.resolve("known"));
            Files.delete(open);
        }
    }

    private static String asNobody(String script, String input) throws Exception {
        Process process = new ProcessBuilder("/usr/sbin/runuser", "-u", "nobody", "--", "sh", "-c", script)
                .directory(new java.io.File("/"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return printed;
    }

    /** Neither in logs nor in the run directory; the files that need it are their owner's alone. */
    @Test
    void theSecretIsInPrivateFilesOfSettingsOnly() throws Exception {
        List<Path> with = new ArrayList<>();
        for (Path root : List.of(cluster.directory(), directory)) {
            for (Path file : filesOf(root)) {
                if (!file.toString().endsWith(".jar") && hasSecret(file)) with.add(file);
            }
        }
        assertThat(with)
                .hasSize(3)
                .contains(cluster.settings(), cluster.directory().resolve("daemons.conf"))
                .anyMatch(file -> file.toString().endsWith(".properties"))
                .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
    }

    private static boolean hasSecret(Path file) throws IOException {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(secret);
        } catch (NoSuchFileException e) {
            return false; // removed since it was listed
        }
    }

    /** All regular files below a directory whose owner makes and removes files meanwhile. */
    private static List<Path> filesOf(Path root) throws IOException {
        List<Path> all = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) all.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) return FileVisitResult.CONTINUE;
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException e) throws IOException {
                if (e == null || e instanceof NoSuchFileException) return FileVisitResult.CONTINUE;
                throw e;
            }
        });
        return all;
    }

    /** Waits for a sample of a submitted command, and looks at it. */
    private static void whileSubmitted(Path settings, String out, Looking looking) throws Exception {
        FleetCommand command = FleetCommand.submit(
                directory,
                Map.of("SPARK_LOCAL_IP", "127.0.0.1"), // the web interface listens at all addresses otherwise
                List.of(),
                cluster.master(),
                settings,
                "run",
                "endless.yaml",
                "--hosts",
                "2",
                "--out",
                out,
                FleetCommand.QUICK_TO_MEASURE);
        List<ProcessHandle> all = new ArrayList<>(List.of(command.process().toHandle()));
        try {
            Path samples = directory.resolve(out).resolve("samples.jsonl");
            await(
                    "a sample",
                    () -> Files.exists(samples) && Files.size(samples) > 0
                            || !command.process().isAlive());
            command.process().descendants().forEach(all::add);
            looking.at(command);
        } finally {
            all.forEach(ProcessHandle::destroyForcibly);
            command.process().waitFor();
        }
    }

    private interface Looking {
        void at(FleetCommand command) throws Exception;
    }

    /** Whether the table of listening sockets has a row that begins so. */
    private static void assertInTable(String row) throws IOException {
        assertThat(Files.readAllLines(LocalCluster.ROOT.resolve("SECURITY.md"))).anyMatch(line -> line.startsWith(row));
    }

    /** Spark's own interface would listen at all addresses. */
    @Test
    void aSubmittedApplicationListensOnLoopbackOnlyAndAtASocketOfItsUser() throws Exception {
        whileSubmitted(cluster.settings(), "submitted", command -> {
            List<Listening> sockets = Listening.of(command.process().toHandle());
            assertThat(sockets).as(command.printed()).hasSize(2).allMatch(Listening::isLoopback);
            for (Listening socket : sockets) {
                assertThat(MasterProbe.ask(new Masters.MasterAddress("127.0.0.1", socket.port())))
                        .isEqualTo(MasterProbe.PortState.AUTHENTICATED);
            }
            List<Path> files = Listening.files(command.process().toHandle());
            assertThat(files).hasSize(1);
            Path own = files.get(0).getParent();
            assertThat(own.getParent().toRealPath()).isEqualTo(directory.toRealPath());
            assertThat(own.getFileName().toString()).startsWith("blobmark-host-");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                    .isEqualTo("rwx------");
            assertInTable("| `spark-submit` | Spark's driver | `unix blobmark-host-*/socket`");

            command.process().destroy();
            assertThat(command.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(own).doesNotExist();
        });
    }

    @Test
    void theInterfaceOfASubmittedApplicationListensOnLoopbackAndAnswersNobody() throws Exception {
        Properties all = properties(cluster.settings());
        all.setProperty("spark.ui.enabled", "true");
        all.setProperty("spark.ui.filters", "org.apache.spark.ui.JWSFilter");
        all.setProperty("spark.org.apache.spark.ui.JWSFilter.param.secretKey", secret);
        Path settings = PrivateFiles.createOrReplace(directory.resolve("shown.conf"));
        try (OutputStream out = Files.newOutputStream(settings)) {
            all.store(out, null);
        }
        whileSubmitted(settings, "shown", command -> {
            List<Listening> sockets = Listening.of(command.process().toHandle());
            assertThat(sockets).as(command.printed()).hasSize(3).allMatch(Listening::isLoopback);
            List<Integer> answers = new ArrayList<>();
            for (Listening socket : sockets) {
                if (MasterProbe.ask(new Masters.MasterAddress("127.0.0.1", socket.port()))
                        != MasterProbe.PortState.AUTHENTICATED) {
                    answers.add(HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + socket.port() + "/jobs/"))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode());
                }
            }
            assertThat(answers).containsExactly(403);
            assertInTable("| commands with `--on`, `spark-submit` | Spark's driver | `tcp`, `SPARK_LOCAL_IP`");
        });
        Files.delete(settings); // another test looks for files with the secret
    }

    @Test
    void aClusterWithoutAuthenticationIsRefused() throws Exception {
        try (OtherCluster open =
                OtherCluster.start(directory.resolve("open"), Map.of("spark.master.rest.enabled", "false"))) {
            assertRefused("spark.authenticate is not true", open.master());
            // not even by the settings of a cluster that has it
            assertRefused(
                    "reads messages without authentication",
                    open.master(),
                    LocalCluster.SETTINGS_FILE,
                    cluster.settings().toString());
            FleetCommand submitted = FleetCommand.submit(
                    directory,
                    Map.of(),
                    List.of(),
                    open.master(),
                    cluster.settings(),
                    "run",
                    "short.yaml",
                    "--hosts",
                    "1");
            assertThat(submitted.exitCode()).as(submitted.printed()).isEqualTo(2);
            assertThat(submitted.printed()).contains("reads messages without authentication", "--insecure-cluster");
            FleetCommand unset = FleetCommand.submit(
                    directory,
                    Map.of(),
                    List.of(),
                    open.master(),
                    open.settings(),
                    "run",
                    "short.yaml",
                    "--hosts",
                    "1");
            assertThat(unset.exitCode()).as(unset.printed()).isEqualTo(2);
            assertThat(unset.printed()).contains("spark.authenticate is not true");

            FleetCommand shown = FleetCommand.submit(
                    directory,
                    Map.of(),
                    List.of("--conf", "spark.authenticate.secret=shown"),
                    cluster.master(),
                    cluster.settings(),
                    "run",
                    "short.yaml",
                    "--hosts",
                    "1");
            assertThat(shown.exitCode()).as(shown.printed()).isEqualTo(2);
            assertThat(shown.printed()).contains("--conf spark.authenticate.secret is a secret");

            FleetCommand insecure = on(open.master(), "insecure", "--insecure-cluster");
            assertThat(insecure.exitCode()).as(insecure.printed()).isZero();
            assertThat(insecure.printed()).contains("can run programs there, and read what Spark sends");
        }
        // and the other way round: a secret that the cluster does not have
        Path other = OtherCluster.file(
                directory.resolve("other.conf"),
                Map.of(
                        "spark.authenticate", "true",
                        "spark.authenticate.secret", "not this one",
                        "spark.network.crypto.enabled", "true",
                        "spark.network.crypto.cipher", "AES/GCM/NoPadding"));
        FleetCommand stranger = on(cluster.master(), "stranger", LocalCluster.SETTINGS_FILE, other.toString());
        assertThat(stranger.exitCode()).as(stranger.printed()).isNotZero();
    }

    private static FleetCommand on(String master, String out, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("run", "short.yaml", "--hosts", "1", "--out", out));
        words.addAll(List.of(more));
        words.addAll(List.of("--on", master));
        return FleetCommand.start(directory, Map.of(), words.toArray(String[]::new));
    }

    private static void assertRefused(String reason, String master, String... more) throws Exception {
        FleetCommand command = on(master, "refused", more);
        assertThat(command.exitCode()).as(command.printed()).isEqualTo(2);
        assertThat(command.printed()).contains(reason, "--insecure-cluster").doesNotContain(secret);
    }

    @Test
    void aClusterThatSomebodyElseHasClosedIsUsedByItsFileAlone() throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of(
                "spark.master.rest.enabled", "false",
                "spark.authenticate", "true",
                "spark.authenticate.secret", "it's: \"another\" = secret\\",
                "spark.network.crypto.enabled", "true"));
        assertUsed("aes", settings);

        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "spark",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=spark",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor()).isZero();
        settings.remove("spark.network.crypto.enabled");
        settings.put("spark.ssl.rpc.enabled", "true");
        settings.put("spark.ssl.rpc.protocol", "TLSv1.3");
        settings.put("spark.ssl.rpc.keyPassword", "changeit");
        for (String kind : List.of("key", "trust")) {
            settings.put("spark.ssl.rpc." + kind + "Store", store.toString());
            settings.put("spark.ssl.rpc." + kind + "StorePassword", "changeit");
            settings.put("spark.ssl.rpc." + kind + "StoreType", "PKCS12");
        }
        assertUsed("tls", settings);
    }

    private static void assertUsed(String name, Map<String, String> settings) throws Exception {
        try (OtherCluster other = OtherCluster.start(directory.resolve(name), settings)) {
            FleetCommand command = on(
                    other.master(),
                    "by-" + name,
                    LocalCluster.SETTINGS_FILE,
                    other.settings().toString());
            assertThat(command.exitCode()).as(command.printed()).isZero();
            assertThat(RunDirectory.open(directory.resolve("by-" + name)).samples())
                    .hasSize(2)
                    .allSatisfy(sample ->
                            assertThat(sample.outcome().isMeasurement()).isTrue());
            // the libraries of the measuring processes, which are most of what was sent
            Path work = directory.resolve(name).resolve("work");
            await(
                    "the removal",
                    () -> filesOf(work).stream()
                            .noneMatch(file -> file.getFileName().toString().startsWith("mariadb-java-client")));
        }
    }

    @Test
    void daemonsOfAKilledScriptEndAndTheirFilesAreRemoved() throws Exception {
        try (LocalCluster own = LocalCluster.start(1, Map.of())) {
            List<ProcessHandle> daemons = own.daemons();
            assertThat(daemons).hasSize(2).allMatch(ProcessHandle::isAlive);
            own.kill();
            await(
                    "the end",
                    () -> daemons.stream().noneMatch(ProcessHandle::isAlive) && !Files.exists(own.directory()));
        }
    }

    /** Others could replace there what executors load. */
    @Test
    void executorsHavePrivateDirectoriesForTemporaryFiles() throws Exception {
        for (int worker = 1; worker <= 2; worker++) {
            assertThat(cluster.executors(worker)).isNotEmpty().allSatisfy(executor -> {
                assertThat(command(executor)).contains("-Djava.io.tmpdir=.");
                // unpacked before an executor can look at its directory
                assertThat(Files.readString(Path.of("/proc", Long.toString(executor.pid()), "maps")))
                        .doesNotContain("netty");
                Path place =
                        Path.of("/proc", Long.toString(executor.pid()), "cwd").toRealPath();
                assertThat(place).startsWith(cluster.directory());
                try (Stream<Path> files = Files.list(place)) {
                    assertThat(files.map(file -> file.getFileName().toString()))
                            .anyMatch(name -> name.startsWith("liblz4-java-"))
                            .anyMatch(name -> name.startsWith("blobmark-host-"));
                }
            });
        }
        for (ProcessHandle daemon : cluster.daemons()) {
            assertThat(command(daemon)).contains("-Djava.io.tmpdir=" + cluster.directory());
        }
    }

    @Test
    void workersRemoveWhatAnApplicationHasLeft() throws Exception {
        try (LocalCluster own = LocalCluster.start(1, Map.of())) {
            FleetCommand command = on(own.master(), "left");
            assertThat(command.exitCode()).as(command.printed()).isZero();
            Path work = own.directory().resolve("work-1");
            await("the removal", () -> {
                try (Stream<Path> files = Files.list(work)) {
                    return files.findAny().isEmpty();
                }
            });
        }
    }

    /**
     * Spark would start another executor for each that refuses, without an end. And none has unpacked anything before.
     */
    @Test
    void executorsThatRefuseTheirDirectoryEndASurveyWithTheirReason() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open-to-all"));
        Files.setAttribute(open, "unix:mode", 0777);
        Path data = Files.writeString(directory.resolve("data.json"), "{\"a\":\"one\"}\n");
        try (OtherCluster other = OtherCluster.start(
                directory.resolve("refusing"),
                Map.of(
                        "spark.master.rest.enabled", "false",
                        "spark.authenticate", "true",
                        "spark.authenticate.secret", "of this cluster",
                        "spark.network.crypto.enabled", "true"))) {
            FleetCommand command = FleetCommand.start(
                    directory,
                    Map.of(),
                    "survey",
                    "--data",
                    "file:" + data + "#a",
                    "--hosts",
                    "1",
                    LocalCluster.SETTINGS_FILE,
                    other.settings().toString(),
                    "--spark-conf",
                    "spark.executor.defaultJavaOptions=-Djava.io.tmpdir=" + open,
                    "--on",
                    other.master());
            assertThat(command.exitCode()).as(command.printed()).isNotZero();
            assertThat(command.printed())
                    .contains(
                            "no executor has worked for 120 s", "other users may write to " + open, "SPARK_WORKER_DIR");
            assertThat(open).isEmptyDirectory();
        }
    }

    /** It answers like one when it is asked, and then nothing. */
    @Test
    void aMasterThatDoesNotAcceptTheApplicationIsNamed() throws Exception {
        List<Socket> silent = new CopyOnWriteArrayList<>();
        try (ServerSocket listening = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread master = new Thread(() -> {
                try {
                    while (!listening.isClosed()) {
                        Socket socket = listening.accept();
                        silent.add(socket);
                        Thread answering = new Thread(() -> answerAsAMaster(socket));
                        answering.setDaemon(true);
                        answering.start();
                    }
                } catch (IOException e) {
                    // the test has ended
                }
            });
            master.setDaemon(true);
            master.start();
            String address = "spark://127.0.0.1:" + listening.getLocalPort();
            FleetCommand command = on(
                    address,
                    "silent",
                    LocalCluster.SETTINGS_FILE,
                    cluster.settings().toString());
            assertThat(command.exitCode()).as(command.printed()).isNotZero();
            assertThat(command.printed()).contains("the application was not accepted: the master " + address);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    /** The failure of a request of one byte by the handler that authenticates. */
    private static void answerAsAMaster(Socket socket) {
        try {
            byte[] request = socket.getInputStream().readNBytes(22);
            if (request.length < 22 || request[7] != 22) {
                return;
            }
            byte[] text = "at org.apache.spark.network.crypto.AuthRpcHandler.receive".getBytes(StandardCharsets.UTF_8);
            ByteBuffer answer = ByteBuffer.allocate(21 + text.length);
            answer.putLong(21 + text.length)
                    .put((byte) 5)
                    .putLong(1)
                    .putInt(text.length)
                    .put(text);
            socket.getOutputStream().write(answer.array());
        } catch (IOException e) {
            // it has gone
        }
    }
}
