package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.running.ClientOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A whole run on a server that was running before it. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class RunningServerRunIT {

    private final OwnServer server;
    private final Endpoint endpoint;

    @TempDir
    private Path directory;

    RunningServerRunIT(OwnServer server) {
        this.server = server;
        this.endpoint = server.endpoint();
    }

    @AfterEach
    void dropWhatIsLeft() throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS `" + RunLimits.DEFAULT_SCHEMA + "`");
        }
    }

    private Laboratory laboratory(String tls, String sslMode, Listener listener) {
        ClientOptions client = new ClientOptions(
                Map.of(
                        "ssl-mode",
                        sslMode,
                        "ssl-ca",
                        server.scratch().resolveSibling("tls-cert.pem").toString()),
                Optional.empty(),
                directory,
                account -> Optional.of(endpoint.password()));
        return new Laboratory(
                new StudyReader(Factors.VOCABULARY).read("""
                                study: small
                                metric: throughput
                                baseline: plain
                                methods: {plain: {}, mariadb: {driver: mariadb}}
                                conditions: [{workload: fetch, dataset: sites, size: 4KB, rows: 300, threads: 1, tls: [%s]}]
                                schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}
                                """.formatted(tls), "small.yaml", Optional.empty()),
                new RunOptions(
                        Servers.parse(
                                "mysql://" + endpoint.user() + "@" + endpoint.authority() + "/", client, List.of()),
                        directory.resolve("cache"),
                        new JvmLaunch(TestFork.class.getName(), TestFork.FLAGS),
                        "test"),
                listener);
    }

    @Test
    void aRunLeavesNoPasswordInAnyFileOrCommandLine() throws Exception {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        Laboratory laboratory = laboratory("verify-ca, verify-identity", "VERIFY_CA", new QuietListener() {
            @Override
            public void sampleRecorded(Sample sample) {
                assertNoPassword();
            }
        });

        assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples())
                .hasSize(4)
                .allMatch(sample ->
                        sample.outcome() instanceof Outcome.Measured || sample.outcome() instanceof Outcome.Unsteady);
        assertThat(run.manifest().servers().get("mysql").kind()).isEqualTo("address");
        assertThat(run.manifest().servers().get("mysql").proxy()).isEmpty();
        assertNoPassword();
    }

    /** In whatever there is below the test's directory, the server's private one among it, and in all command lines. */
    private void assertNoPassword() {
        try (Stream<Path> files = Files.walk(directory).filter(Files::isRegularFile)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(endpoint.password());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertThat(ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.contains(endpoint.password())))
                .isEmpty();
    }

    @Test
    void whoWantsAllConnectionsEncryptedGetsNoTrialWithLess() {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThatThrownBy(() -> laboratory("off, verify-identity", "REQUIRED", new QuietListener())
                        .run(run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("--ssl-mode REQUIRED", "tls=off", "--set tls=");
    }
}
