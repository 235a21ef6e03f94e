package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.WholeColumn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Surveys of all values of a table on a Spark cluster with two workers. */
class TableSurveyIT {

    private static final int ROWS = ParquetMaker.ROWS;

    private static final Map<String, String> PASSWORD = Map.of("BLOBMARK_PASSWORD", "secret");

    private static LocalCluster cluster;
    private static Server server;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws Exception {
        cluster = LocalCluster.start(2, Map.of());
        server = Servers.parse("embedded").open(FleetCommand.CACHE, ServerOptions.of(64 << 20));
        try (Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            for (String sql : List.of(
                    "CREATE USER 'you'@'%' IDENTIFIED BY 'secret'",
                    "CREATE DATABASE shop",
                    "CREATE TABLE shop.orders (id INT PRIMARY KEY, payload MEDIUMBLOB, state INT)",
                    "GRANT SELECT ON shop.* TO 'you'@'%'",
                    "CREATE DATABASE hidden",
                    "CREATE TABLE hidden.orders (id INT PRIMARY KEY, payload MEDIUMBLOB)")) {
                Sql.execute(owner, sql);
            }
            try (PreparedStatement insert = owner.prepareStatement("INSERT INTO shop.orders VALUES (?, ?, 0)")) {
                for (int i = 0; i < ROWS; i++) {
                    insert.setInt(1, i);
                    insert.setBytes(2, i % 100 == 7 ? null : ParquetMaker.value(i));
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            Sql.execute(owner, "ANALYZE TABLE shop.orders");
        }
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static List<String> survey(String column, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "survey",
                "--server",
                "mysql://you@127.0.0.1:" + server.endpoint().port() + "/",
                "--data",
                column,
                "--hosts",
                "2"));
        words.addAll(List.of(more));
        return words;
    }

    private static FleetCommand start(List<String> survey) throws Exception {
        survey.addAll(List.of("--on", cluster.master()));
        return FleetCommand.start(directory, PASSWORD, survey.toArray(String[]::new));
    }

    @Test
    void itIsShownToPeople() throws Exception {
        FleetCommand command = start(survey("shop.orders.payload"));

        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(command.printed())
                .contains("shop.orders.payload", "2,970 values", "30 rows without a value", "zstd:3", "smaller ×");
    }

    @Test
    void aSubmittedApplicationReadsATable() throws Exception {
        List<String> survey = survey("shop.orders.payload", "--format", "json", "--sample", "sampled");
        FleetCommand command = FleetCommand.submit(directory, PASSWORD, cluster, survey.toArray(String[]::new));

        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(command.printed()).contains("\"missing\":30");
        assertThat(directory.resolve("sampled").toFile().list()).hasSizeBetween(990, 992);
    }

    /** And nothing is lost or doubled if a host ends between two parts, and another one begins. */
    @Test
    void manyPartsAndALostHostGiveTheSameAnswer() throws Exception {
        System.setProperty(ClassPath.OF_SPARK, FleetCommand.SPARK.toString());
        TableColumn column = TableColumn.named("shop.orders.payload");
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Cluster spark = SparkCluster.open(new Cluster.Request(
                        cluster.master(),
                        2,
                        Map.of(),
                        Optional.of(cluster.settings()),
                        false,
                        directory,
                        notice -> {}))) {
            List<WholeColumn.TablePart> one = WholeColumn.parts(connection, column, Long.MAX_VALUE);
            List<WholeColumn.TablePart> many = WholeColumn.parts(connection, column, 100_000);
            assertThat(one).hasSize(1);
            assertThat(many).hasSizeGreaterThan(32);
            Cluster.Scanned whole = spark.scan(new Cluster.TableRows(server.endpoint(), one), done -> {});
            AtomicInteger groups = new AtomicInteger();
            Cluster.Scanned parts = spark.scan(new Cluster.TableRows(server.endpoint(), many), done -> {
                if (groups.incrementAndGet() == 2) {
                    kill();
                }
            });

            assertThat(groups).hasValueGreaterThan(2);
            assertThat(text(parts)).isEqualTo(text(whole)).contains("30 missing");
        }
    }

    private static void kill() {
        try {
            assertThat(cluster.executors(1)).isNotEmpty().allMatch(ProcessHandle::destroyForcibly);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Cluster.Scanned scanned) {
        StringBuilder text = new StringBuilder(scanned.missing() + " missing");
        scanned.classes().forEach(of -> {
            text.append("; ").append(List.of(of.size(), of.rows(), of.bytes(), of.longest(), of.distinct()));
            of.sample()
                    .forEach(value ->
                            text.append(' ').append(value.rows()).append('x').append(Arrays.hashCode(value.bytes())));
        });
        return text.toString();
    }

    @Test
    void badInputIsNamed() throws Exception {
        assertError("is not the name of a column", "orders");
        assertError("no column 'payloads'", "shop.orders.payloads");
        assertError("holds neither bytes nor text", "shop.orders.state");
        assertError("no such table", "shop.nothing.payload");
        assertError("GRANT SELECT ON", "hidden.orders.payload");
        assertError("leave out --max-read", "shop.orders.payload", "--max-read", "1GB");
    }

    private static void assertError(String message, String column, String... more) throws Exception {
        FleetCommand command = start(survey(column, more));
        assertThat(command.exitCode()).as(command.printed()).isNotZero();
        assertThat(command.printed()).contains(message);
    }
}
