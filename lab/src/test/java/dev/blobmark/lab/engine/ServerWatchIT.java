package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.MySqlProbe;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class ServerWatchIT {

    private final OwnServer server;

    ServerWatchIT(OwnServer server) {
        this.server = server;
    }

    private static ForkPlan.LoadedTable place(Endpoint endpoint, OptionalLong pid) {
        return new ForkPlan.LoadedTable(
                endpoint,
                List.of(),
                "s",
                "t",
                DiskSpace.UNKNOWN,
                pid.stream().boxed().toList());
    }

    private static ServerAccount watched(ForkPlan.LoadedTable place, Statement statement, String sql)
            throws SQLException {
        try (ServerWatch watch = ServerWatch.of(place, new MySqlProbe.MySqlProbeSource(Driver.CONNECTOR_J, false))) {
            watch.begin();
            statement.execute(sql);
            return watch.end();
        }
    }

    /** No processor computes a SHA-256 in 20 ns, and none takes a second of CPU time to do nothing. */
    @Test
    void theServersCpuIsThatOfItsWork() throws Exception {
        ForkPlan.LoadedTable place = place(server.endpoint(), OptionalLong.of(server.pid()));
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            ServerAccount busy = watched(place, statement, "SELECT BENCHMARK(2000000, SHA2('x', 256))");
            ServerAccount idle = watched(place, statement, "SELECT 1");

            assertThat(busy.cpuNanos().orElseThrow()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(40));
            assertThat(idle.cpuNanos().orElseThrow()).isLessThan(busy.cpuNanos().getAsLong() / 2);
            assertThat(busy.pagesRead()).isPresent();
            assertThat(busy.unknown()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void pagesAreReadWhereTheDataDoesNotFitTheBufferPool() throws Exception {
        long pool = 8 << 20;
        long page = 16 << 10;
        try (OwnServer small = OwnServer.start(OneServer.CACHE, ServerOptions.of(pool));
                Connection connection = JdbcDriver.connectForLoading(small.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE s");
            statement.execute("CREATE TABLE s.t (id INT PRIMARY KEY, data VARBINARY(8000)) ENGINE=InnoDB");
            statement.execute("INSERT INTO s.t SELECT seq, REPEAT('x', 7000) FROM s.seq_1_to_6000");
            String scan = "SELECT SUM(LENGTH(data)) FROM s.t";
            statement.execute(scan);

            ServerAccount scanned = watched(place(small.endpoint(), OptionalLong.of(small.pid())), statement, scan);

            ServerAccount idle = watched(place(small.endpoint(), OptionalLong.of(small.pid())), statement, "SELECT 1");

            // two rows fill a page, and at most what fits the pool was still there; chores after the load read some,
            // too
            assertThat(scanned.pagesRead().orElseThrow()).isBetween(3_000 - pool / page, 6_000L);
            assertThat(idle.pagesRead().orElseThrow()).isLessThan(1_000);
        }
    }

    @Test
    void whatCannotBeSeenIsUnknownAndSaysWhy() throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            ServerAccount foreign = watched(place(server.endpoint(), OptionalLong.empty()), statement, "SELECT 1");

            assertThat(foreign.cpuNanos()).isEmpty();
            assertThat(foreign.pagesRead()).isPresent();
            assertThat(foreign.unknown())
                    .containsOnlyKeys("server_cpu_ns_per_op")
                    .containsEntry(
                            "server_cpu_ns_per_op",
                            "Blobmark did not start the server on this machine, and the server does not report the CPU time of"
                                    + " statements; MySQL does if the consumer events_statements_cpu of the performance"
                                    + " schema is enabled");

            Endpoint closed = new Endpoint("127.0.0.1", server.endpoint().port(), "nobody", "hunter2");
            ServerAccount refused = watched(place(closed, OptionalLong.of(server.pid())), statement, "SELECT 1");

            assertThat(refused.cpuNanos()).isPresent();
            assertThat(refused.pagesRead()).isEmpty();
            assertThat(refused.unknown()).containsOnlyKeys("pages_read_per_op");
            assertThat(refused.unknown().get("pages_read_per_op"))
                    .startsWith("no connection for reading the server's status: ")
                    .contains("Access denied")
                    .doesNotContain("hunter2");
        }
    }

    /**
     * By statements of connections that are open before and after. A server counts one after it has answered it: before
     * it takes the next.
     */
    static void assertStatementsAreCounted(Endpoint endpoint) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement();
                ServerWatch watch = ServerWatch.of(
                        place(endpoint, OptionalLong.empty()),
                        new MySqlProbe.MySqlProbeSource(Driver.CONNECTOR_J, false))) {
            watch.begin();
            statement.execute("SELECT BENCHMARK(2000000, SHA2('x', 256))");
            statement.execute("SELECT 1");
            ServerAccount account = watch.end();

            assertThat(account.cpuNanos().orElseThrow())
                    .isBetween(TimeUnit.MILLISECONDS.toNanos(40), TimeUnit.SECONDS.toNanos(60));
            assertThat(account.unknown()).isEmpty();
        }
    }

    @Test
    void aServerThatHasEndedTellsNothing() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        try (ServerWatch watch = ServerWatch.of(
                place(server.endpoint(), OptionalLong.of(ended.pid())),
                new MySqlProbe.MySqlProbeSource(Driver.CONNECTOR_J, false))) {
            watch.begin();

            assertThat(watch.end().unknown())
                    .containsEntry(
                            "server_cpu_ns_per_op", "the system does not report the CPU time of the server's process");
        }
    }
}
