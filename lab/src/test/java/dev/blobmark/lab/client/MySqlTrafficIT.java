package dev.blobmark.lab.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.conduct.TestFork;
import dev.blobmark.lab.fork.Fork;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On MySQL. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlTrafficIT extends TrafficContract {

    @TempDir
    private Path directory;

    private final Endpoint endpoint;

    MySqlTrafficIT(OwnServer server) {
        endpoint = server.endpoint();
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void compressionThatTheServerForbidsIsUnavailableAndNoFailure(Driver driver) throws Exception {
        Design zlib = Design.of(Map.of("driver", driver.toString(), "wire-compression", "zlib"));
        set("uncompressed,zstd");
        try {
            assertThatThrownBy(() -> new MySqlConnector("", zlib)
                            .connect(endpoint, new Traffic())
                            .close())
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage("the server's protocol_compression_algorithms is 'uncompressed,zstd',"
                            + " and wire-compression is 'zlib'; add it to that variable");
        } finally {
            set("zlib,zstd,uncompressed");
        }
        new MySqlConnector("", zlib).connect(endpoint, new Traffic()).close();
    }

    @Test
    void aTrialOfItIsUnavailableInAllItsProcesses() throws Exception {
        EncodedValues values =
                EncodedValues.of(ListedValues.random(2, 100), Codecs.parse("none"), directory, bytes -> {});
        Trial trial = new Trial(
                "zlib",
                "zlib",
                Levels.of(Map.of("wire-compression", "zlib")),
                Levels.of(Map.of(
                        "workload", "fetch", "dataset", "sites", "size", "100", "threads", "2", "processes", "2")));
        ForkPlan.PlannedTrial planned = new ForkPlan.PlannedTrial(
                trial,
                values.path().toString(),
                Optional.of(new ForkPlan.LoadedTable(endpoint, "mysql", "t", DiskSpace.UNKNOWN)));
        ForkPlan plan = ForkPlan.ofAllForks(
                        0, new Schedule(1, 1, new Window.Count(10), Duration.ofMillis(50), 42), List.of(planned))
                .get(0);
        List<Sample> samples = new ArrayList<>();
        set("uncompressed");
        try (Fork fork = new Fork(plan, new JvmLaunch(TestFork.class.getName(), List.of("-Xmx128m")))) {
            fork.forEach(started -> {}, (measured, sample, latency) -> samples.add(sample));
        } finally {
            set("zlib,zstd,uncompressed");
        }

        assertThat(samples)
                .singleElement()
                .satisfies(sample -> assertThat(sample.outcome())
                        .isEqualTo(new Outcome.Unavailable("the server's protocol_compression_algorithms is"
                                + " 'uncompressed', and wire-compression is 'zlib'; add it to that variable")));
    }

    @Test
    void theAlgorithmIsReadBack() throws Exception {
        Design zlib = Design.of(Map.of("wire-compression", "zlib"));
        try (Connection connection = new MySqlConnector("", zlib).connect(endpoint, new Traffic())) {
            assertThat(JdbcDriver.status(connection, "Compression_algorithm")).isEqualTo("zlib");
        }
    }

    private void set(String algorithms) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL protocol_compression_algorithms = '" + algorithms + "'");
        }
    }
}
