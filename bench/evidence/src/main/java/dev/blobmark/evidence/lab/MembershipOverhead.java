package dev.blobmark.evidence.lab;

import dev.blobmark.bench.Ratio;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.admission.RedisSession;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.KeyTable;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

/**
 * The lab's overhead in looking up keys of a set: its loop with one operation in flight, compared with a loop written
 * by hand on the bare driver, in MySQL and in Redis, on the same server with the same keys, alternately in one JVM,
 * with cores kept awake as in a run.
 *
 * <p>Arguments: pairs of windows (200), milliseconds per window (200), keys (1,000,000); all optional.
 */
public final class MembershipOverhead {

    private static final int WARM_UP_PAIRS = 10;
    private static final String SCHEMA = "bench";
    private static final String TABLE = "t";

    /** Looks up random keys one after another for this time; returns operations per second. */
    private interface Loop {
        double run(long nanos, int seed) throws Exception;
    }

    private MembershipOverhead() {}

    public static void main(String[] args) throws Exception {
        int pairs = args.length > 0 ? Integer.parseInt(args[0]) : 200;
        Duration window = Duration.ofMillis(args.length > 1 ? Integer.parseInt(args[1]) : 200);
        int count = args.length > 2 ? Integer.parseInt(args[2]) : 1_000_000;
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        EncodedValues set = EncodedValues.of(
                Datasets.parse("uuid:4").values(0, 42, count),
                Codecs.parse("none"),
                Files.createTempDirectory("blobmark-bench-"),
                bytes -> {});
        byte[][] keys = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] = set.stored(i);
        }
        System.out.printf("%d keys, 1 in flight, %d pairs of %d ms%n", count, pairs, window.toMillis());
        try (KeepAwake awake = KeepAwake.start();
                RedisServer redis = RedisServers.EMBEDDED.open(cache);
                RedisSession visit = RedisSession.begin(redis, "bench", reason -> {})) {
            awake.verifyAlive();
            Design levels = Design.of(Map.of());
            Store store = visit.store(TABLE, levels, set);
            store.load(set, bytes -> {});
            String key = visit.place(TABLE, levels, DiskSpace.UNKNOWN).table();
            Setup setup = setup(Map.of("store", "redis"), set, redis.endpoint(), key);
            compare(
                    RedisIdentity.read(redis.endpoint()),
                    setup,
                    (nanos, seed) -> lookUpInRedis(redis.endpoint(), key, keys, nanos, seed),
                    pairs,
                    window);
        }
        ServerOptions options = ServerOptions.of(1L << 30).withTls(false);
        try (KeepAwake awake = KeepAwake.start();
                OwnServer server = OwnServer.start(cache, options);
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            awake.verifyAlive();
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + SCHEMA);
            }
            KeyTable table =
                    new KeyTable(connection, SCHEMA, TABLE, Layout.FACTOR.parse("dynamic"), set, LoadOrder.GENERATED);
            table.create();
            table.load(set, bytes -> {});
            Setup setup = setup(Map.of(), set, server.endpoint(), TABLE);
            compare(
                    ServerIdentity.read(connection),
                    setup,
                    (nanos, seed) -> lookUpInMySql(server.endpoint(), keys, nanos, seed),
                    pairs,
                    window);
        }
    }

    private static Setup setup(Map<String, String> levels, EncodedValues set, Endpoint endpoint, String table) {
        Levels all =
                Levels.of(Map.of("workload", "membership", "dataset", "uuid:4")).with(Levels.of(levels));
        return new Setup(new Design(all), set, endpoint, SCHEMA, table);
    }

    private static void compare(ServerIdentity identity, Setup setup, Loop bareLoop, int pairs, Duration window)
            throws Exception {
        double[] logRatios = new double[pairs];
        for (int pair = -WARM_UP_PAIRS; pair < pairs; pair++) {
            // each is first in half of the pairs
            double bare = pair % 2 == 0 ? bareLoop.run(window.toNanos(), pair) : 0;
            double lab = lab(setup, window, pair);
            bare = pair % 2 == 0 ? bare : bareLoop.run(window.toNanos(), pair);
            if (pair >= 0) {
                logRatios[pair] = Math.log(lab / bare);
            }
        }
        System.out.printf("%s: lab / bare loop, operations per second: %s%n", identity, Ratio.of(logRatios));
    }

    private static double lab(Setup setup, Duration window, int pair) throws InterruptedException {
        TrialRun run = WindowedTrial.run(new TrialSpec(
                setup.design().get(Workload.FACTOR),
                setup,
                1,
                new Window.Time(window),
                Duration.ZERO,
                Clock.SYSTEM,
                pair));
        if (run.outcome() instanceof Outcome.Failed failed) {
            throw new IllegalStateException(failed.reason());
        }
        return run.operations().get("membership").operationsPerSecond();
    }

    private static double lookUpInRedis(Endpoint endpoint, String key, byte[][] keys, long nanos, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] name = key.getBytes();
        try (Jedis jedis = new Jedis(
                new HostAndPort(endpoint.host(), endpoint.port()),
                DefaultJedisClientConfig.builder()
                        .user(endpoint.user())
                        .password(endpoint.password())
                        .protocol(RedisProtocol.RESP2)
                        .build())) {
            long count = 0;
            long start = System.nanoTime();
            long end;
            do {
                if (!jedis.sismember(name, keys[random.nextInt(keys.length)]))
                    throw new IllegalStateException("a key is missing");
                count++;
                end = System.nanoTime();
            } while (end - start < nanos);
            return count * 1e9 / (end - start);
        }
    }

    private static double lookUpInMySql(Endpoint endpoint, byte[][] keys, long nanos, int seed) throws SQLException {
        SplittableRandom random = new SplittableRandom(seed);
        Properties properties = Driver.CONNECTOR_J.properties(endpoint, Tls.OFF, StatementProtocol.SERVER);
        try (Connection connection =
                        DriverManager.getConnection(Driver.CONNECTOR_J.jdbc().url(endpoint, SCHEMA), properties);
                PreparedStatement select = connection.prepareStatement("SELECT 1 FROM t WHERE id = ?")) {
            long count = 0;
            long start = System.nanoTime();
            long end;
            do {
                select.setBytes(1, keys[random.nextInt(keys.length)]);
                try (ResultSet result = select.executeQuery()) {
                    if (!result.next()) throw new IllegalStateException("a key is missing");
                }
                count++;
                end = System.nanoTime();
            } while (end - start < nanos);
            return count * 1e9 / (end - start);
        }
    }
}
