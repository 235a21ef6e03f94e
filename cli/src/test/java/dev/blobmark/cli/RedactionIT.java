package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run on a user's server says of that server: looked for in each file, and in what the page has packed. */
class RedactionIT {

    /** In names of hosts, directories, files and accounts of the server. */
    private static final String SECRET = "zaphod";

    /** By which the server is asked for; it is no address. */
    private static final String HOST = "localhost";

    private static final String STUDY = """
            study: guest
            question: What does it tell?
            metric: throughput
            baseline: plain
            methods: {plain: {}, zstd: {codec: zstd, driver: mariadb}, broken: {layout: "compressed:16"}}
            conditions:
              - {workload: fetch, dataset: "table:shopdb.clients.portrait", threads: 1}
              # fails, since nobody has signed the certificate: drivers then say where they tried to connect
              - {workload: fetch, dataset: "table:shopdb.clients.portrait", threads: 1, tls: verify-identity}
            schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}
            """;

    @TempDir
    private Path directory;

    @Test
    void nothingNamesTheServerOrItsHost() throws Exception {
        Path files = Files.createDirectory(directory.resolve(SECRET + "-files"));
        try (OwnServer server = OwnServer.start(
                BlobmarkProcess.CACHE,
                ServerOptions.of(64 << 20)
                        .with(new ServerLaunch(Optional.of(files), List.of()))
                        .with(Map.of(
                                "report_host", SECRET + ".example.org",
                                "report_user", SECRET + "-repl",
                                "report_port", "33777",
                                "server_id", "47114711",
                                "wsrep_cluster_name", SECRET + "-cluster",
                                "wsrep_node_name", SECRET + "-node",
                                "general_log_file", SECRET + ".log",
                                "slow_query_log_file", SECRET + "-slow.log",
                                "innodb_buffer_pool_filename", SECRET + "-pool",
                                "init_connect", "SET @who = '" + SECRET + "'")))) {
            try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE shopdb");
                statement.execute("CREATE TABLE shopdb.clients (id INT PRIMARY KEY, portrait MEDIUMBLOB)");
                statement.execute("INSERT INTO shopdb.clients SELECT seq, REPEAT(CHAR(64 + seq), 4000 + seq)"
                        + " FROM shopdb.seq_1_to_40");
            }
            Files.writeString(directory.resolve("study.yaml"), STUDY);
            List<String> hidden = hidden(server);

            Path run = run(server, "run");
            assertNothing(run, hidden);
            Manifest manifest = RunDirectory.open(run).manifest();
            assertThat(manifest.servers().get("mysql").variables())
                    .containsEntry("innodb_buffer_pool_size", Long.toString(64 << 20))
                    .containsEntry("transaction_isolation", "REPEATABLE-READ")
                    .doesNotContainKeys("hostname", "datadir", "server_id", "init_connect");
            assertThat(Files.readString(run.resolve("samples.jsonl"))).contains("table:shopdb.clients.portrait");

            List<String> names = new ArrayList<>(hidden);
            names.addAll(List.of("shopdb", "clients", "portrait", "acme_bench"));
            Path redacted = run(server, "redacted", "--redact", "--schema=acme_bench");
            assertNothing(redacted, names);
            Invocation resumed = Invocation.of("run", "--resume", redacted.toString());
            assertThat(resumed.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(resumed.err()).contains("was written with --redact");

            // a run that was not redacted can be shown so
            Path copy = directory.resolve("copy");
            assertThat(Invocation.of("merge", run.toString(), "--redact", "--out=" + copy)
                            .exitCode())
                    .isZero();
            assertNothing(copy, names);
            for (Format<?> format : Formats.OF_REPORT.all()) {
                Invocation shown = Invocation.of("report", run.toString(), "--redact", "--format=" + format.word());
                assertThat(shown.exitCode()).as(shown.err()).isZero();
                assertNothing(format.word(), shown.out(), names);
            }
            assertThat(Invocation.of("report", run.toString(), "--redact").out())
                    .contains("p99")
                    .isEqualToIgnoringWhitespace(
                            Invocation.of("report", copy.toString()).out().replaceAll("Merged.*\n", ""));
        }
    }

    private Path run(OwnServer server, String name, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "run",
                "study.yaml",
                "--server=mysql://" + server.endpoint().user() + "@" + HOST + ":"
                        + server.endpoint().port() + "/",
                "--out=" + name));
        words.addAll(List.of(more));
        try (BlobmarkProcess run = BlobmarkProcess.start(
                directory, Map.of("BLOBMARK_PASSWORD", server.endpoint().password()), words.toArray(String[]::new))) {
            assertThat(run.exitCode()).as(run.err()).isIn(0, 4);
        }
        return directory.resolve(name);
    }

    private List<String> hidden(OwnServer server) throws IOException {
        List<String> hidden = new ArrayList<>(List.of(
                SECRET,
                directory.toString(),
                "127.0.0.1",
                HOST,
                ":" + server.endpoint().port(),
                "\"33777\"", // without quotes it may be a part of a figure
                "47114711",
                "\"" + server.endpoint().port() + "\"",
                BlobmarkProcess.HOME.toString(),
                System.getProperty("user.home") + "/"));
        Path host = Path.of("/proc/sys/kernel/hostname");
        if (Files.exists(host)) {
            hidden.add("\"" + Files.readString(host).strip() + "\"");
        }
        return hidden;
    }

    private static void assertNothing(Path run, List<String> hidden) throws IOException {
        try (Stream<Path> all = Files.walk(run)) {
            for (Path file : all.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
                if (Files.isRegularFile(file)) {
                    assertNothing(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1), hidden);
                }
            }
        }
    }

    private static void assertNothing(String place, String text, List<String> hidden) throws IOException {
        assertThat(text).as(place).doesNotContain(hidden);
        Matcher packed = Pattern.compile("H4sI[A-Za-z0-9+/=]+").matcher(text);
        while (packed.find()) {
            byte[] bytes = Base64.getDecoder().decode(packed.group());
            assertNothing(
                    place + ", packed",
                    new String(
                            new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
                            StandardCharsets.UTF_8),
                    hidden);
        }
    }
}
