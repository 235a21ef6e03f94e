package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A study of the values of a user's table, from the server that has it to the run directory. */
@ExtendWith(OneServer.class)
class TableSamplesIT {

    private static final String SECRET = "nothing of anybody else";

    private static final Study STUDY = new StudyReader(Factors.VOCABULARY).read("""
                    study: own
                    metric: p50
                    baseline: plain
                    methods: {plain: {}, zstd: {codec: zstd}}
                    conditions: [{workload: fetch, dataset: "table:own_values.photos.data", threads: 1}]
                    schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}
                    """, "own.yaml", Optional.empty());

    private final OwnServer server;

    @TempDir
    private Path directory;

    TableSamplesIT(OwnServer server) {
        this.server = server;
    }

    private RunOptions options(Path cache) {
        return new RunOptions(OneServer.lent(server), cache, ForkInside.LAUNCH, "test");
    }

    @Test
    void valuesOfATableAreMeasuredAndGoWithTheRun() throws Exception {
        Path cache = Files.createDirectory(directory.resolve("cache"));
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        Endpoint endpoint = server.endpoint();
        Servers.Source source = Servers.parse(
                "mysql://" + endpoint.user() + "@" + endpoint.authority() + "/",
                new ClientOptions(Map.of(), Optional.empty(), directory, account -> Optional.of(endpoint.password())),
                List.of());
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE own_values");
            try {
                statement.execute("CREATE TABLE own_values.photos (id INT PRIMARY KEY, data MEDIUMBLOB)");
                statement.execute("INSERT INTO own_values.photos VALUES (1, '" + SECRET + "'), (7, REPEAT('" + SECRET
                        + "', 1000)), (9, NULL)");
                try (TableSamples samples =
                        TableSamples.read(STUDY, source, cache, RunLimits.DEFAULT, new QuietListener())) {
                    assertThat(files(cache)).anyMatch(TableSamplesIT::tellsTheSecret);
                    statement.execute("DROP TABLE own_values.photos"); // read once, and not again
                    Laboratory laboratory =
                            new Laboratory(STUDY, options(cache).with(samples.datasets()), new QuietListener());
                    assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);
                }
            } finally {
                statement.execute("DROP DATABASE own_values");
            }
        }
        Manifest.MeasuredDataset dataset = run.manifest().datasets().get(0);
        assertThat(dataset.id()).isEqualTo("table:own_values.photos.data");
        assertThat(dataset.count()).isEqualTo(2);
        assertThat(dataset.distribution())
                .containsEntry("total", 1001L * SECRET.length())
                .containsEntry("skipped, NULL", 1L)
                .containsEntry("key ranges read", 1L)
                .containsEntry("of all keys, ppm", 1_000_000L);
        assertThat(run.samples()).hasSize(2).allSatisfy(sample -> {
            assertThat(sample.outcome()).isInstanceOfAny(Outcome.Measured.class, Outcome.Unsteady.class);
            Operations fetch = sample.operations().get("fetch");
            // a window on a busy machine may have a single operation
            assertThat(fetch.bySize().keySet()).isNotEmpty().isSubsetOf(SizeClass.TO_1KB, SizeClass.TO_64KB);
            if (fetch.bySize().containsKey(SizeClass.TO_64KB)) {
                assertThat(run.histogram(sample, "fetch.16KB-64KB")
                                .orElseThrow()
                                .getTotalCount())
                        .isEqualTo(fetch.bySize().get(SizeClass.TO_64KB).count());
            }
        });
        assertThat(files(cache)).noneMatch(TableSamplesIT::tellsTheSecret);
        assertThat(files(run.path())).noneMatch(TableSamplesIT::tellsTheSecret);
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static boolean tellsTheSecret(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(SECRET);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void withoutItsServerATableHasNoValues() {
        assertThatThrownBy(() -> new Laboratory(STUDY, options(directory), new QuietListener()))
                .hasMessage(
                        "table:own_values.photos.data: its values have not been read; name the running server that has the"
                                + " table with --data-server");
    }
}
