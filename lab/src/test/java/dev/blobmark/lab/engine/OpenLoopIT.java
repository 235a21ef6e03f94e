package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrivals at a server of its own, as this one is stopped for a while. */
@Timeout(180)
class OpenLoopIT {

    /** So many operations for each worker are in the window before the server is stopped. */
    private static final int MIDST = 50;

    private static final Workload FETCH = Workload.FACTOR.parse("fetch");

    private static OwnServer server;
    private static Setup setup;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        server = OwnServer.start(OneServer.CACHE, ServerOptions.of(64 << 20).withTls(false));
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE open_loop");
            MySqlTable table =
                    new MySqlTable(connection, "open_loop", "t", Layout.FACTOR.parse("dynamic"), Column.MEDIUMBLOB);
            table.create();
            EncodedValues values =
                    EncodedValues.of(ListedValues.random(100, 1_000), Codecs.parse("none"), directory, bytes -> {});
            table.load(values, bytes -> {});
            setup = new Setup(Design.of(Map.of()), values, server.endpoint(), "open_loop", "t");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TrialRun run(Workload workload, int workers, Load load, Duration window)
            throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                workload,
                setup,
                Share.whole(workers),
                load,
                new Window.Time(window),
                Duration.ofSeconds(1),
                Clock.SYSTEM,
                42));
    }

    /** Twice what can be done at most, as each of 4 workers spends 2 ms at least on each; and 500 times. */
    @ParameterizedTest
    @ValueSource(ints = {4_000, 1_000_000})
    void moreThanCanBeDoneAddsUpAndMemoryStaysBounded(int rate) throws Exception {
        Around slow = new Around(() -> () -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2)));
        TrialRun closed = run(slow, 4, new Load.Closed(), Duration.ofSeconds(1));
        long usedBefore = usedHeapBytes();

        TrialRun run = run(slow, 4, new Load.Open(Load.Spacing.POISSON, rate), Duration.ofSeconds(4));

        // an object for each arrival would be seen: 4 million are offered
        assertThat(run.openLoop().orElseThrow().offered() / (4.0 * rate)).isCloseTo(1, within(0.05));
        assertThat(usedHeapBytes() - usedBefore).isLessThan(8 << 20);
        assertThat(run.usage().allocatedBytesPerOp()).isLessThan(closed.usage().allocatedBytesPerOp() * 1.2);
        assertThat(run.outcome()).isInstanceOf(Outcome.Saturated.class);
        assertThat(run.outcome().reason())
                .matches("completed [\\d,]+ of [\\d,]+ offered per second; dropped [\\d,]+ of [\\d,]+; lower .*");
        OpenLoop open = run.openLoop().orElseThrow();
        assertThat(open.started() + open.dropped()).isEqualTo(open.offered());
        assertThat(open.completed()).isEqualTo(open.started());
        Operations fetch = run.operations().get("fetch");
        assertThat(fetch.count()).isEqualTo(open.completed());
        assertThat(run.latency().get("fetch.response").getTotalCount()).isEqualTo(open.completed());
        // it waits for a second at most, is begun late by the lab, and is done
        assertThat(fetch.response().orElseThrow().max())
                .isLessThan(TimeUnit.MILLISECONDS.toNanos(1_010)
                        + fetch.latency().max()
                        + open.scheduleLag().max());
    }

    private static long usedHeapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /**
     * The issue of every closed loop: it asks a stalled server nothing, and so does not see those who would have
     * waited.
     */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a process is stopped and continued by signals")
    void aStallShowsInTheResponseTimeAndNotInTheServiceTimeOfTheOthers() throws Exception {
        int workers = 2;
        int rate = 200;
        long stall = TimeUnit.MILLISECONDS.toNanos(200);
        CountDownLatch inWindow = new CountDownLatch(workers * MIDST);
        CompletableFuture<Void> stalled = CompletableFuture.runAsync(() -> {
            try {
                inWindow.await();
                signal("STOP");
                for (long end = System.nanoTime() + stall, left; (left = end - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                signal("CONT");
            }
        });

        TrialRun run = run(
                new Around(() -> inWindow::countDown),
                workers,
                new Load.Open(Load.Spacing.CONSTANT, rate),
                Duration.ofSeconds(10));

        stalled.join();
        Operations fetch = run.operations().get("fetch");
        Latency response = fetch.response().orElseThrow();
        Histogram service = run.latency().get("fetch");
        // 2 % of the arrivals are due while it lasts: those of its first half wait for longer than 100 ms
        assertThat(response.p999()).isGreaterThan(stall * 8 / 10);
        assertThat(response.max()).isGreaterThan(stall * 9 / 10);
        assertThat(fetch.latency().max()).isGreaterThan(stall * 8 / 10);
        // one of each worker, and some more if the machine itself stalls; at least 8 responses are as late
        assertThat(service.getCountBetweenValues(stall * 8 / 10, service.getMaxValue()))
                .isBetween(1L, 3L * workers);
        assertThat(fetch.latency().p99()).isLessThan(stall / 4);
        assertThat(run.openLoop().orElseThrow().started()).isEqualTo(fetch.count());
    }

    private static void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(server.pid()))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Fetches, and does something else at the start of each operation of the window. */
    private record Around(Supplier<Runnable> opened) implements Workload {

        @Override
        public String id() {
            return FETCH.id();
        }

        @Override
        public String description() {
            return FETCH.description();
        }

        @Override
        public List<String> operationTypes() {
            return FETCH.operationTypes();
        }

        @Override
        public Set<Factor.Use> uses() {
            return FETCH.uses();
        }

        @Override
        public boolean timesTypesSeparately() {
            return false;
        }

        @Override
        public Operation open(Setup setup) throws Exception {
            Operation fetch = FETCH.open(setup);
            Runnable before = opened.get();
            return new Operation() {
                private boolean window;

                @Override
                public long perform(int type, int row) throws Exception {
                    if (window) {
                        before.run();
                    }
                    return fetch.perform(type, row);
                }

                @Override
                public void verify(int type, int row, boolean content) throws Exception {
                    fetch.verify(type, row, content);
                }

                @Override
                public Optional<String> transientCode(Exception error) {
                    return fetch.transientCode(error);
                }

                @Override
                public void verifyEffective() throws Exception {
                    fetch.verifyEffective();
                    window = true;
                }

                @Override
                public void close() {
                    fetch.close();
                }
            };
        }
    }
}
