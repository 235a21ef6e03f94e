package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.admission.RedisSession;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.MySqlConnector;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.KeyTable;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

@ExtendWith(OneServer.class)
class MembershipIT {

    private static final String SCHEMA = "membership_test";
    private static final int KEYS = 5_000;
    private static final Workload MEMBERSHIP = Workload.FACTOR.parse("membership");

    @TempDir
    private static Path directory;

    private static EncodedValues keys;
    private static RedisServer redis;

    private final OwnServer server;
    private Connection connection;
    private String redisKey;

    MembershipIT(OwnServer server) {
        this.server = server;
    }

    @BeforeAll
    static void start() throws Exception {
        keys = EncodedValues.of(
                Datasets.parse("uuid:4").values(0, 42, KEYS), Codecs.parse("none"), directory, bytes -> {});
        redis = RedisServers.EMBEDDED.open(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void load() throws SQLException {
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
        sql("CREATE DATABASE " + SCHEMA);
        KeyTable table = table(LoadOrder.GENERATED);
        table.create();
        table.load(keys, bytes -> {});
        table.readBack(keys);
    }

    private KeyTable table(LoadOrder order) {
        return new KeyTable(connection, SCHEMA, "t", Layout.FACTOR.parse("dynamic"), keys, order);
    }

    @AfterEach
    void drop() throws SQLException {
        sql("DROP DATABASE " + SCHEMA);
        connection.close();
    }

    private void sql(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Setup setup(Map<String, String> levels) {
        Map<String, String> all = new HashMap<>(Map.of("workload", "membership", "dataset", "uuid:4"));
        all.putAll(levels);
        boolean inRedis = "redis".equals(levels.get("store"));
        Endpoint endpoint = inRedis ? redis.endpoint() : server.endpoint();
        return new Setup(Design.of(all), keys, endpoint, SCHEMA, inRedis ? redisKey : "t");
    }

    private static TrialRun run(Setup setup, int inFlight) throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                MEMBERSHIP, setup, inFlight, new Window.Count(400), Duration.ofMillis(100), Clock.SYSTEM, 42));
    }

    private static Operations measured(TrialRun run) {
        assertThat(run.outcome()).isNotInstanceOf(Outcome.Failed.class);
        assertThat(run.operations()).containsOnlyKeys("membership");
        return run.operations().get("membership");
    }

    /** Else two threads would count in one account. */
    @ParameterizedTest
    @ValueSource(strings = {"mysql", "redis"})
    void whatAnAsynchronousClientIsGivenRunsOnItsThread(String store) throws Exception {
        redisKey = "t";
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (AsyncOperation operation = MEMBERSHIP.openAsync(setup(Map.of("store", store, "client", "async")), 2)) {
            for (int task = 0; task < 20_000; task++) {
                CountDownLatch done = new CountDownLatch(1);
                operation.execute(() -> {
                    threads.add(Thread.currentThread());
                    done.countDown();
                });
                done.await();
            }
        }
        assertThat(threads).hasSize(1).doesNotContain(Thread.currentThread());
        Thread thread = threads.iterator().next();
        thread.join(60_000);
        assertThat(thread.isAlive()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "connector-j, server, once,   100%, 1",
        "connector-j, text,   cached, 50%,  1",
        "connector-j, server, each,   0%,   1",
        "mariadb,     server, cached, 50%,  1",
        "mariadb,     text,   once,   50%,  20",
        "connector-j, server, once,   50%,  20",
        "connector-j, server, once,   0%,   20"
    })
    void tellsWhatIsThere(String driver, String statement, String prepare, String hits, String batch) throws Exception {
        Operations its = measured(run(
                setup(Map.of(
                        "driver", driver, "statement", statement, "prepare", prepare, "hits", hits, "batch", batch)),
                2));

        assertThat(its.count()).isEqualTo(400);
        assertThat(its.applicationBytes()).isEqualTo(400L * 16 * Integer.parseInt(batch));
        assertThat(its.time()).isPresent();
    }

    /** Each operation must be answered as it should be: one key in a hundred that is gone is found out. */
    @Test
    void aKeyThatIsMissingFailsTheTrial() throws Exception {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + SCHEMA + ".t WHERE id = ?")) {
            for (int i = 0; i < KEYS; i += 100) {
                delete.setBytes(1, keys.stored(i));
                delete.executeUpdate();
            }
        }

        TrialRun run = run(setup(Map.of("hits", "100%")), 1);

        assertThat(run.outcome())
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.reason())
                                .matches("WrongValueException: key [0-9a-f]{32} is missing"));
    }

    @Test
    void aKeyThatShouldNotBeThereFailsTheTrial() throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + SCHEMA + ".t VALUES (?)")) {
            for (int i = 0; i < KEYS; i++) {
                byte[] absent = keys.stored(i);
                for (int at = 8; at < 16; at++) {
                    absent[at] = (byte) ~absent[at];
                }
                insert.setBytes(1, absent);
                insert.executeUpdate();
            }
        }

        assertThat(run(setup(Map.of("hits", "0%")), 1).outcome().reason()).contains("though it was never stored");
    }

    /** Pools and connections that are opened each time are told apart from what is done with them. */
    @Test
    void aConnectionThatIsOpenedForEachOperationIsBookedApart() throws Exception {
        Operations its =
                measured(run(setup(Map.of("connection", "per-operation", "prepare", "each", "hits", "50%")), 1));

        TimeSpent time = its.time().orElseThrow();
        assertThat(time.pool()).isGreaterThan(time.waiting() + time.transfer() + time.client());
        TimeSpent kept = measured(run(setup(Map.of("hits", "50%")), 1)).time().orElseThrow();
        assertThat(kept.pool()).isZero();
    }

    @Test
    void aPoolLendsConnections() throws Exception {
        Design levels = Design.of(Map.of(
                "workload",
                "membership",
                "dataset",
                "uuid:4",
                "connection",
                "hikari",
                "prepare",
                "cached",
                "hits",
                "50%"));
        try (ConnectionPool pool = new ConnectionPool(
                List.of(server.endpoint()), new MySqlConnector(SCHEMA, levels), SharedLink.LOOPBACK, 2)) {
            Setup setup = new Setup(
                    levels, keys, server.endpoint(), SCHEMA, "t", 0, SharedLink.LOOPBACK, Optional.of(pool), false);

            TrialRun run = run(setup, 3);

            assertThat(measured(run).time().orElseThrow().pool()).isPositive();
            assertThat(run.usage().pool())
                    .containsEntry("connections", "2")
                    .containsEntry("maximum_pool_size", "2")
                    .containsEntry("minimum_idle", "2")
                    .containsEntry("connection_timeout_ms", "30000");
        }
    }

    @ParameterizedTest
    @EnumSource(LoadOrder.class)
    void aTableHoldsItsKeysInWhicheverOrderTheyWereLoaded(LoadOrder order) throws Exception {
        sql("DROP TABLE " + SCHEMA + ".t");
        KeyTable table = table(order);
        assertThat(table.create()).containsEntry("column_type", "binary(16)");
        table.load(keys, bytes -> {});

        table.readBack(keys);

        assertThat(table.placement(keys).memoryBytes().orElseThrow()).isBetween(16L * KEYS, 100L * KEYS);
    }

    /** Whoever is told of what is loaded may wait for hours. */
    @Test
    void noTransactionIsOpenWhileLoadingWaits() throws Exception {
        EncodedValues many = EncodedValues.of(
                Datasets.parse("uuid:4").values(0, 42, 45_000), Codecs.parse("none"), directory, bytes -> {});
        KeyTable table =
                new KeyTable(connection, SCHEMA, "many", Layout.FACTOR.parse("dynamic"), many, LoadOrder.GENERATED);
        table.create();
        List<Long> told = new ArrayList<>();
        List<Long> open = new ArrayList<>();
        try (Connection other = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = other.createStatement()) {
            table.load(many, bytes -> {
                told.add(bytes);
                try (ResultSet row =
                        statement.executeQuery("SELECT COUNT(*) FROM " + SCHEMA + ".many LOCK IN SHARE MODE")) {
                    row.next();
                    open.add(row.getLong(1));
                } catch (SQLException e) {
                    throw new AssertionError("its rows are locked", e);
                }
            });
        }
        assertThat(open).containsExactly(20_000L, 40_000L, 45_000L);
        assertThat(told.stream().mapToLong(Long::longValue).sum()).isEqualTo(many.storedBytes());
    }

    /** Over one client, which blocks no thread, as many operations are in flight as blocking ones have threads. */
    @ParameterizedTest
    @CsvSource({"100%, 1, 4", "50%, 1, 1", "50%, 20, 4", "0%, 20, 3"})
    void anAsynchronousClientTellsToo(String hits, String batch, int inFlight) throws Exception {
        Operations its = measured(run(setup(Map.of("client", "async", "hits", hits, "batch", batch)), inFlight));

        assertThat(its.count()).isEqualTo(400);
    }

    @Test
    void anAsynchronousClientFindsOutWhatIsMissing() throws Exception {
        sql("DELETE FROM " + SCHEMA + ".t WHERE id < X'80'");

        assertThat(run(setup(Map.of("client", "async")), 4).outcome().reason()).contains("is missing");
    }

    /**
     * It has as many in flight as it says: with a server that takes 5 ms each, four at once are four times as fast as
     * one.
     */
    @Test
    void anAsynchronousClientHasManyInFlight() throws Exception {
        sql("RENAME TABLE " + SCHEMA + ".t TO " + SCHEMA + ".u");
        sql("CREATE VIEW " + SCHEMA + ".t AS SELECT id FROM " + SCHEMA + ".u WHERE SLEEP(0.005) = 0");
        double[] perSecond = new double[2];
        for (int i = 0; i < 2; i++) {
            perSecond[i] = measured(WindowedTrial.run(new TrialSpec(
                            MEMBERSHIP,
                            setup(Map.of("client", "async")),
                            i == 0 ? 1 : 4,
                            new Window.Count(80),
                            Duration.ofMillis(100),
                            Clock.SYSTEM,
                            42)))
                    .operationsPerSecond();
        }

        // the server's sleep bounds what n in flight can reach, however busy the machine is
        assertThat(perSecond[0]).isLessThanOrEqualTo(200);
        assertThat(perSecond[1]).isLessThanOrEqualTo(800).isGreaterThan(1.5 * perSecond[0]);
    }

    private Membership.KeyQuestion question(Map<String, String> levels, int first, int count, int total) {
        redisKey = "t";
        Membership.KeyQuestion question =
                new Membership.KeyQuestion(setup(levels).forProcess(first, count, total));
        question.beginWindow();
        return question;
    }

    /** The keys of the set that some questions have. */
    private static List<String> asked(Membership.KeyQuestion question, int questions) {
        Set<String> set = IntStream.range(0, KEYS)
                .mapToObj(row -> HexFormat.of().formatHex(keys.stored(row)))
                .collect(Collectors.toSet());
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < questions; i++) {
            question.draw(i % KEYS);
            Stream.of(question.keys())
                    .map(HexFormat.of()::formatHex)
                    .filter(set::contains)
                    .forEach(asked::add);
        }
        return asked;
    }

    @ParameterizedTest
    @CsvSource({"100%, 1, 5000", "100%, 20, 250", "50%, 1, 8000", "50%, 20, 400"})
    void eachKeyOfTheSetIsAskedOnce(String hits, String batch, int questions) {
        Map<String, String> levels = Map.of("draw", "once", "hits", hits, "batch", batch);

        List<String> asked = asked(question(levels, 0, 1, 1), questions);

        assertThat(asked).doesNotHaveDuplicates().hasSizeGreaterThan(3_500).hasSizeLessThanOrEqualTo(KEYS);
        assertThat(asked.size() == KEYS).isEqualTo(hits.equals("100%"));
    }

    @Test
    void processesAskOtherKeys() {
        Map<String, String> levels = Map.of("draw", "once");
        List<String> asked = asked(question(levels, 0, 2, 3), 3_332);
        asked.addAll(asked(question(levels, 2, 1, 3), 1_666));

        assertThat(asked).doesNotHaveDuplicates();
    }

    /** With one key in a question that is there twice, SQL returns one row, and Redis two answers. */
    @ParameterizedTest
    @CsvSource({"mysql, false", "redis, true"})
    void aQuestionOfTwoPassesMayHaveAKeyTwice(String store, boolean countsTwice) {
        Membership.KeyQuestion question = question(Map.of("draw", "once", "store", store, "batch", "4999"), 0, 1, 1);
        asked(question, 1);
        assertThat(question.members()).isEqualTo(4_999);

        Set<String> distinct = Set.copyOf(asked(question, 1));

        assertThat(distinct).hasSizeLessThan(4_999 + 1).hasSizeGreaterThanOrEqualTo(4_998);
        assertThat(question.members()).isEqualTo(countsTwice ? 4_999 : distinct.size());
    }

    @Test
    void aQuestionIsNotLargerThanTheShareOfAProcess() {
        Map<String, String> levels = Map.of("draw", "once", "batch", "2000");

        assertThatThrownBy(() -> question(levels, 0, 1, 3))
                .hasMessage("batch is 2000 and draw is once, but a process has only 1666 of the set's 5000 keys;"
                        + " lower batch or processes, or set draw to uniform");
        assertThatThrownBy(() -> new Membership.KeyQuestion(setup(levels))).isInstanceOf(IllegalStateException.class);
    }

    /** A window of as many operations as there are keys asks for each, so it finds the only one that is missing. */
    @ParameterizedTest
    @CsvSource({"blocking, 1, 3", "async, 1, 3", "blocking, 50, 2", "async, 50, 2"})
    void aWindowOverTheWholeSetFindsTheOnlyKeyThatIsMissing(String client, int batch, int inFlight) throws Exception {
        Map<String, String> levels = Map.of("draw", "once", "client", client, "batch", "" + batch);
        Duration none = Duration.ZERO;
        Window window = new Window.Count(KEYS / batch);
        assertThat(measured(WindowedTrial.run(
                                new TrialSpec(MEMBERSHIP, setup(levels), inFlight, window, none, Clock.SYSTEM, 42)))
                        .count())
                .isEqualTo(KEYS / batch);
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + SCHEMA + ".t WHERE id = ?")) {
            delete.setBytes(1, keys.stored(1_234));
            delete.executeUpdate();
        }

        TrialRun run =
                WindowedTrial.run(new TrialSpec(MEMBERSHIP, setup(levels), inFlight, window, none, Clock.SYSTEM, 42));

        assertThat(run.outcome().reason())
                .contains(
                        batch == 1
                                ? HexFormat.of().formatHex(keys.stored(1_234)) + " is missing"
                                : "of 50 keys, 49 were found instead of 50");
    }

    @ParameterizedTest
    @CsvSource({"blocking, set", "async, set", "blocking, keys", "async, keys"})
    void redisIsAskedForEachKeyOnce(String client, String structure) throws Exception {
        try (RedisSession visit = RedisSession.begin(redis, "test", reason -> {})) {
            load(visit, Map.of("structure", structure));
            Map<String, String> levels =
                    Map.of("store", "redis", "client", client, "structure", structure, "draw", "once", "batch", "64");
            // three passes, none of whole questions
            measured(WindowedTrial.run(new TrialSpec(
                    MEMBERSHIP, setup(levels), 2, new Window.Count(3 * KEYS / 64), Duration.ZERO, Clock.SYSTEM, 42)));
        }
    }

    private RedisSet load(RedisSession visit, Map<String, String> levels) {
        redisKey = visit.place("t", Design.of(levels), DiskSpace.UNKNOWN).table();
        RedisSet set = visit.store("t", Design.of(levels), keys);
        set.load(keys, keys.count(), bytes -> {});
        set.readBack(keys);
        return set;
    }

    @ParameterizedTest
    @CsvSource({"set, 100%, 1, 4", "set, 50%, 20, 2", "keys, 50%, 1, 4", "keys, 0%, 20, 1"})
    void anAsynchronousRedisClientTellsToo(String structure, String hits, String batch, int inFlight) throws Exception {
        try (RedisSession visit = RedisSession.begin(redis, "test", reason -> {})) {
            load(visit, Map.of("structure", structure));

            Operations its = measured(run(
                    setup(Map.of(
                            "store", "redis", "client", "async", "structure", structure, "hits", hits, "batch", batch)),
                    inFlight));
            assertThat(its.count()).isEqualTo(400);

            visit.drop("t");
            Outcome outcome = run(
                            setup(Map.of("store", "redis", "client", "async", "structure", structure, "hits", "100%")),
                            4)
                    .outcome();
            assertThat(outcome.reason()).contains("is missing");
        }
    }

    @ParameterizedTest
    @CsvSource({"set, 100%, 1", "set, 50%, 1", "set, 50%, 20", "keys, 50%, 1", "keys, 50%, 20", "keys, 0%, 1"})
    void redisTellsToo(String structure, String hits, String batch) throws Exception {
        try (RedisSession visit = RedisSession.begin(redis, "test", reason -> {})) {
            RedisSet set = load(visit, Map.of("structure", structure, "load-order", "sorted"));
            assertThat(set.placement(keys).memoryBytes().orElseThrow()).isBetween(16L * KEYS, 400L * KEYS);

            Operations its = measured(
                    run(setup(Map.of("store", "redis", "structure", structure, "hits", hits, "batch", batch)), 2));

            assertThat(its.count()).isEqualTo(400);
            assertThat(its.wireBytesIn().orElseThrow()).isPositive();
        }
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            assertThat(jedis.dbSize()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"set", "keys"})
    void aSetThatRedisHasLostIsLoadedAgain(String structure) {
        try (RedisSession visit = RedisSession.begin(redis, "test", reason -> {})) {
            load(visit, Map.of("structure", structure));
            assertThat(visit.restore("t")).isFalse();

            redis.restart();

            assertThat(visit.restore("t")).isTrue();
            assertThat(visit.restore("t")).isFalse();
        }
    }
}
