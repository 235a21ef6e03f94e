package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.admission.postgres.PostgresStoreServers;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.postgres.OnePostgres;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs over tables in PostgreSQL. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class PostgresRunIT {

    @TempDir
    private Path directory;

    private final OwnServer server;

    PostgresRunIT(OwnServer server) {
        this.server = server;
    }

    private static Study study(String methods, String condition) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: p50
                        defaults: {store: postgresql, layout: dynamic, codec: none, decode: application,
                          driver: mariadb, statement: server, connection: thread-local}
                        baseline: pglz
                        methods: %s
                        conditions: [{dataset: sites, size: 8KB, rows: 50, link: loopback, tls: off, %s}]
                        schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 50ms, seed: 42}
                        """.formatted(methods, condition), "small.yaml", Optional.empty());
    }

    /** As if it had run before: at its address, and with the password of its owner. */
    private static ServerSource<PostgresServer> running(PostgresServer server) {
        return PostgresServers.parse(
                "postgresql://blobmark@127.0.0.1:" + server.endpoint().port() + "/postgres",
                List.of(),
                Map.of("PGPASSWORD", server.endpoint().password()));
    }

    private Ending run(Study study, RunDirectory run) throws Exception {
        RunOptions options = new RunOptions(OneServer.lent(server), OneServer.CACHE, ForkInside.LAUNCH, "test")
                .with(StoreKinds.POSTGRESQL, PostgresStoreServers.source(running(OnePostgres.embedded())));
        return new Laboratory(study, options, new QuietListener()).run(run);
    }

    @Test
    void tablesAreMeasuredInBothServersAndLeaveNothing() throws Exception {
        Study study = study(
                "{pglz: {}, lz4: {toast: lz4}, external: {toast: external}, text: {statement: text},"
                        + " zstd: {toast: external, codec: 'zstd:1'}, mysql: {store: mysql}}",
                "workload: [fetch, insert, update, 'mix:50'], threads: 2");
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(run(study, run)).isEqualTo(Ending.COMPLETE);

        List<Sample> samples = run.samples();
        assertThat(samples)
                .filteredOn(sample -> sample.method().equals("lz4"))
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(sample.outcome()).isInstanceOf(Outcome.Unavailable.class));
        assertThat(samples)
                .filteredOn(sample -> !sample.method().equals("lz4"))
                .hasSize(5 * 4 * 2)
                .allSatisfy(sample -> {
                    assertThat(sample.outcome().isMeasurement())
                            .as(sample.outcome().toString())
                            .isTrue();
                    assertThat(sample.operations().values()).allSatisfy(operations -> {
                        assertThat(operations.count()).isPositive();
                    });
                });
        Manifest manifest = run.manifest();
        assertThat(manifest.servers().get("postgresql").product()).isEqualTo("PostgreSQL");
        assertThat(manifest.stores())
                .filteredOn(store -> store.server().equals("postgresql"))
                .isNotEmpty()
                .allSatisfy(store -> {
                    assertThat(store.ddl()).startsWith("CREATE TABLE blobmark.");
                    assertThat(store.verified()).containsKeys("storage", "compression");
                });
        try (Connection connection = OnePostgres.connect(OnePostgres.embedded());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regnamespace('blobmark')")) {
            row.next();
            assertThat(row.getString(1)).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hikari", "per-operation"})
    void connectionsAreBorrowedOrOpenedForAnOperation(String connection) throws Exception {
        Study study = study("{pglz: {connection: " + connection + ", prepare: each}}", "workload: fetch, threads: 2");
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        assertThat(run(study, run)).isEqualTo(Ending.COMPLETE);
        assertThat(run.samples())
                .hasSize(2)
                .allSatisfy(sample -> assertThat(sample.outcome().isMeasurement())
                        .as(sample.outcome().toString())
                        .isTrue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workload: scan, threads: 1",
                "workload: fetch, threads: 1, pool: cold",
                "workload: fetch, threads: 1, working-set: 4"
            })
    void whatPostgresIsNotMeasuredByIsRefused(String condition) {
        assertThatThrownBy(() -> study("{pglz: {}}", condition).trials(Factors.VOCABULARY))
                .isInstanceOf(StudyException.class)
                .hasMessageContaining("postgresql");
    }
}
