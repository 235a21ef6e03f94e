package dev.blobmark.evidence.lab;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * How a pause of the server appears in figures: response and service times of fetches at a rate that the server
 * sustains, without a pause, with a pause (SIGSTOP, then SIGCONT) in the middle of the window, and in a closed loop
 * with the same pause.
 *
 * <p>Arguments, all optional: seconds per window (30), operations per second (2000), milliseconds of the pause (200),
 * threads (4).
 */
public final class Stall {

    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private Stall() {}

    public static void main(String[] args) throws Exception {
        Duration window = Duration.ofSeconds(args.length > 0 ? Integer.parseInt(args[0]) : 30);
        int rate = args.length > 1 ? Integer.parseInt(args[1]) : 2_000;
        long stallMillis = args.length > 2 ? Integer.parseInt(args[2]) : 200;
        int threads = args.length > 3 ? Integer.parseInt(args[3]) : 4;
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        EncodedValues stored = EncodedValues.of(
                Datasets.parse("random:62").values(1024, 42),
                Codecs.parse("none"),
                Files.createTempDirectory("blobmark-bench-"),
                bytes -> {});
        try (OwnServer server =
                        OwnServer.start(cache, ServerOptions.of(256L << 20).withTls(false));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE bench");
            MySqlTable table = new MySqlTable(
                    connection, "bench", "t", Layout.FACTOR.parse("dynamic"), Column.FACTOR.parse("mediumblob"));
            table.create();
            table.load(stored, bytes -> {});
            Setup setup = new Setup(Design.of(Map.of()), stored, server.endpoint(), "bench", "t");
            System.out.printf(
                    Locale.ROOT,
                    "%s, values of %d bytes, %d threads, windows of %d s, a pause of %d ms; milliseconds%n%n",
                    ServerIdentity.read(connection),
                    stored.maxLength(),
                    threads,
                    window.toSeconds(),
                    stallMillis);
            System.out.println("| load | pause | completed | time | p50 | p99 | p99.9 | max |");
            System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
            Load open = new Load.Open(Load.Spacing.POISSON, rate);
            print(open, false, run(setup, open, threads, window, nanos -> {}));
            LongConsumer stall = nanos -> pause(server.pid(), nanos, stallMillis);
            print(open, true, run(setup, open, threads, window, stall));
            print(new Load.Closed(), true, run(setup, new Load.Closed(), threads, window, stall));
        }
    }

    /**
     * @param stall receives at the trial's start the nanoseconds to the middle of a window after the longest warm-up
     */
    private static TrialRun run(Setup setup, Load load, int threads, Duration window, LongConsumer stall)
            throws InterruptedException {
        CompletableFuture<Void> stalled = CompletableFuture.runAsync(
                () -> stall.accept(WARM_UP.plus(window.dividedBy(2)).toNanos()));
        TrialRun run = WindowedTrial.run(new TrialSpec(
                Workload.FACTOR.parse("fetch"),
                setup,
                Share.whole(threads),
                load,
                new Window.Time(window),
                WARM_UP,
                Clock.SYSTEM,
                42));
        stalled.join();
        return run;
    }

    private static void pause(long pid, long delayNanos, long millis) {
        try {
            TimeUnit.NANOSECONDS.sleep(delayNanos);
            signal(pid, "STOP");
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            signal(pid, "CONT");
        }
    }

    private static void signal(long pid, String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new IllegalStateException("cannot run kill", e);
        }
    }

    private static void print(Load load, boolean paused, TrialRun run) {
        if (!run.outcome().reason().isEmpty()) {
            System.err.println(load + ": " + run.outcome().reason());
        }
        Operations fetch = run.operations().get("fetch");
        fetch.response().ifPresent(response -> print(load, paused, fetch.count(), "response", response));
        print(load, paused, fetch.count(), "service", fetch.latency());
        run.openLoop().ifPresent(o -> print(load, paused, o.offered(), "lag, of all offered", o.scheduleLag()));
    }

    private static void print(Load load, boolean paused, long count, String time, Latency nanos) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %,d | %s | %.3f | %.3f | %.3f | %.1f |%n",
                load,
                paused ? "yes" : "no",
                count,
                time,
                nanos.p50() / 1e6,
                nanos.p99() / 1e6,
                nanos.p999() / 1e6,
                nanos.max() / 1e6);
    }
}
