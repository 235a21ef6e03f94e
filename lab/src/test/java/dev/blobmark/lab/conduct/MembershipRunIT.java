package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.admission.RedisSession;
import dev.blobmark.lab.admission.RedisStoreServers;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.link.Clients;
import dev.blobmark.lab.link.ConnectionLimit;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.LinkProxy;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** Whole runs over sets in MySQL and in Redis. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class MembershipRunIT {

    private static final long POLL_NANOS = 1_000_000;

    private static final int KEYS = 5_000;

    @TempDir
    private Path directory;

    private final OwnServer server;
    private RedisServer redis;

    MembershipRunIT(OwnServer server) {
        this.server = server;
    }

    @BeforeEach
    void start() {
        redis = RedisServers.EMBEDDED.open(OneServer.CACHE);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private static Study study(String methods, String conditions, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: p50
                        defaults: {store: mysql, connection: thread-local, prepare: cached, client: blocking}
                        baseline: mysql
                        methods: %s
                        conditions: [%s]
                        schedule: %s
                        """.formatted(methods, conditions, schedule), "small.yaml", Optional.empty());
    }

    private static final String SET =
            "{workload: membership, dataset: 'uuid:4', rows: " + KEYS + ", hits: [100%, 50%], threads: 2}";

    /** On servers that go on running: the Redis is to be as it was. */
    private Laboratory laboratory(Study study, Listener listener) {
        RunOptions options = new RunOptions(OneServer.lent(server), OneServer.CACHE, ForkInside.LAUNCH, "test");
        return new Laboratory(
                study,
                options.with(StoreKinds.REDIS, RedisStoreServers.source((cache, environment, launch) -> lent())),
                listener);
    }

    private RedisServer lent() {
        return new RedisServer() {
            @Override
            public String kind() {
                return redis.kind();
            }

            @Override
            public Endpoint endpoint() {
                return redis.endpoint();
            }

            @Override
            public List<Long> pids() {
                return redis.pids();
            }

            @Override
            public void restart() {
                redis.restart();
            }

            @Override
            public void close() {
                // the test looks at it
            }
        };
    }

    private RunDirectory empty() {
        return RunDirectory.createAt(directory.resolve("run"));
    }

    @Test
    void setsAreMeasuredInBothServersAndLeaveNothing() throws Exception {
        Study study = study(
                "{mysql: {}, redis: {store: redis}, keys: {store: redis, structure: keys},"
                        + " flight: {store: redis, client: async}, mysql-flight: {client: async},"
                        + " hikari: {connection: 'hikari:1'}}",
                SET,
                "{rounds: 2, forks: 1, window: 50ms, warm-up: 50ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(6 * 2 * 2).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            Resources.ServerCounters beside = sample.resources().counters().orElseThrow();
            boolean isRedis = sample.trial().methodLevels().find("store").equals(Optional.of("redis"));
            assertThat(beside.pagesFlushed().isPresent()).isNotEqualTo(isRedis);
            assertThat(sample.disk().allocatedBytes().isPresent()).isNotEqualTo(isRedis);
            // of a MariaDB that runs already it is not known
            assertThat(sample.resources().serverCpuNanosPerOp().orElse(0) > 0).isEqualTo(isRedis);
            assertThat(sample.resources().pool().isEmpty())
                    .isNotEqualTo(sample.method().equals("hikari"));
            assertThat(run.manifest().storeOf(sample).orElseThrow().server()).isEqualTo(isRedis ? "redis" : "mysql");
        });
        Manifest manifest = run.manifest();
        assertThat(manifest.servers()).containsOnlyKeys("mysql", "redis");
        assertThat(manifest.servers().get("redis").kind()).isEqualTo("embedded");
        // the asynchronous clients have the same stores as those that block
        assertThat(manifest.stores()).hasSize(3).allSatisfy(store -> {
            assertThat(store.content().rows()).isEqualTo(KEYS);
            assertThat((double) store.placement().memoryBytes().orElseThrow() / KEYS)
                    .isBetween(16.0, 400.0);
        });
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            assertThat(jedis.dbSize()).isZero();
        }
    }

    /** Two processes, and more operations than keys. */
    @Test
    void aStudyMayTakeEachKeyOnce() throws Exception {
        Study study = study(
                "{mysql: {}, redis: {store: redis}, flight: {store: redis, client: async}}",
                SET.replace("threads: 2", "threads: 3, processes: 2, draw: once"),
                "{rounds: 1, forks: 1, window: 12000ops, warm-up: 50ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(3 * 2).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.trial().id()).contains("draw=once");
        });
    }

    /** Whether a thread waits for the answer or none does: the trial fails, and with it nothing else. */
    @ParameterizedTest
    @ValueSource(strings = {"blocking", "async"})
    void aRedisThatIsKilledCostsItsTrialAndTheSetIsLoadedAgain(String client) throws Exception {
        List<String> noted = new ArrayList<>();
        Listener killing = new QuietListener() {
            private boolean isDone;

            @Override
            public void stepStarted(String what) {
                if (what.startsWith("measuring redis") && !isDone) {
                    isDone = true;
                    new Thread(MembershipRunIT.this::killWhenAsked).start();
                }
            }

            @Override
            public void noticeIssued(String what) {
                noted.add(what);
            }
        };
        Study study = study(
                "{mysql: {}, redis: {store: redis, client: " + client + "}}",
                SET,
                "{rounds: 2, forks: 1, window: 1s, warm-up: 50ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, killing).run(run)).isEqualTo(Ending.TRIAL_FAILED);

        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        Map<Boolean, List<Sample>> byOutcome = run.samples().stream()
                .collect(Collectors.partitioningBy(sample -> sample.outcome().isMeasurement()));
        assertThat(byOutcome.get(true)).hasSize(7);
        assertThat(byOutcome.get(false)).singleElement().satisfies(sample -> {
            assertThat(sample.method()).isEqualTo("redis");
            assertThat(sample.outcome()).isInstanceOf(Outcome.Failed.class);
            assertThat(sample.outcome().reason()).isNotBlank();
            assertThat(sample.events()).containsExactly("Redis was lost during the trial");
        });
        assertThat(noted)
                .singleElement()
                .asString()
                .isEqualTo("Redis had lost the store of redis; it has been loaded again");
    }

    /** Once it has been asked so often that the trial is under way. */
    private void killWhenAsked() {
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            while (questions(jedis) < 2_000) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        ProcessHandle.of(redis.pids().get(0)).orElseThrow().destroyForcibly();
    }

    private static long questions(Jedis jedis) {
        return jedis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_sismember:calls="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(','))))
                .sum();
    }

    @Test
    void aRedisThatHasKeysOfAnotherRunIsLeftAlone() throws Exception {
        Study study = study(
                "{mysql: {}, redis: {store: redis}}", SET, "{rounds: 1, forks: 1, window: 50ms, warm-up: 0s, seed: 1}");
        try (RedisSession other = RedisSession.begin(redis, "other", reason -> {})) {
            assertThat(other.isAlive()).isTrue();
            assertThatThrownBy(() -> laboratory(study, new QuietListener()).run(empty()))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("has keys of run other, which is still at work");
            assertThat(RedisSession.leftover(redis.endpoint()))
                    .hasValueSatisfying(
                            leftover -> assertThat(leftover.isAlive()).isTrue());
        }
        assertThat(RedisSession.leftover(redis.endpoint())).isEmpty();
    }

    /**
     * What carries the token of the marker is the run's; keys of others stay, also those with a name as Blobmark's had.
     */
    @Test
    void onlyTheKeysOfAKilledRunAreRemoved() throws Exception {
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            jedis.set("blobmark:run", "1a2b3 killed");
            jedis.sadd("bm:1a2b3:t01", "member");
            jedis.set("bm:1a2b3:t02member", "");
            List<String> others = List.of("their:own", "blobmark:cache", "bm:1a2b4:t01", "bm:1a2b3");
            others.forEach(key -> jedis.set(key, "value"));

            assertThatThrownBy(() -> RedisSession.begin(redis, "next", reason -> {}))
                    .hasMessageContaining(
                            "has keys of run killed, which was killed: remove them with 'blobmark cleanup");
            StoreServers.Leftover leftover =
                    RedisSession.leftover(redis.endpoint()).orElseThrow();
            assertThat(leftover.run()).isEqualTo("killed");
            assertThat(leftover.description()).isEqualTo("2 keys bm:1a2b3:*");
            assertThat(leftover.isAlive()).isFalse();
            assertThat(leftover.remove()).isEqualTo("2 keys");
            assertThat(RedisSession.leftover(redis.endpoint())).isEmpty();
            assertThat(jedis.scan("0").getResult()).containsExactlyInAnyOrderElementsOf(others);
        }
    }

    @Test
    void aKeyThatIsNotTheMarkerOfARunRemovesNothing() {
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            for (String value : List.of("killed", "* killed", "????? killed", "1a2b3  x")) {
                jedis.set("blobmark:run", value);
                assertThat(RedisSession.leftover(redis.endpoint())).isEmpty();
                assertThatThrownBy(() -> RedisSession.begin(redis, "next", reason -> {}))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContaining("has a key blobmark:run that is not the marker of a run");
            }
            assertThat(jedis.scan("0").getResult()).containsExactly("blobmark:run");
        }
    }

    /** A server that others use too. */
    private RedisServer running() {
        return running(redis.endpoint().port());
    }

    /** @param port of the server, or of a relay to it */
    private RedisServer running(int port) {
        Endpoint its = redis.endpoint();
        return RedisServers.parse(
                        "redis://" + its.user() + "@" + its.host() + ":" + port, Optional.of(its.password()), List.of())
                .open(OneServer.CACHE);
    }

    /** A server that closes idle connections does not make a live run look dead. */
    @Test
    void aRunWhoseConnectionsAreClosedIsStillAlive() throws Exception {
        CompletableFuture<String> lost = new CompletableFuture<>();
        LinkProxy relay = relay(0);
        int port = relay.address().getPort();
        try (RedisSession visit = RedisSession.begin(running(port), "live", lost::complete);
                Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            relay.close(); // and all connections with it
            relay = relay(port);

            assertThat(visit.isAlive()).isTrue();
            assertThat(RedisSession.leftover(redis.endpoint()).orElseThrow().isAlive())
                    .isTrue();
            String alive = jedis.scan("0").getResult().stream()
                    .filter(key -> key.startsWith("blobmark:alive:"))
                    .findFirst()
                    .orElseThrow();
            jedis.pexpire(alive, 100_000_000);
            Waiting.until(() -> jedis.pttl(alive) <= 60_000); // it is renewed over a new connection
            assertThat(lost).isNotDone();
        } finally {
            relay.close();
        }
    }

    private LinkProxy relay(int port) throws IOException {
        Link link = Link.FACTOR.parse("loopback");
        return new LinkProxy(
                link,
                new InetSocketAddress("127.0.0.1", port),
                new InetSocketAddress("127.0.0.1", redis.endpoint().port()),
                ConnectionLimit.of(link),
                Clients.SAME_USER);
    }

    /** In the middle of a trial too, which does not look at it. */
    @Test
    void aMarkerThatIsLostIsNoticedWhileNobodyAsks() throws Exception {
        CompletableFuture<String> lost = new CompletableFuture<>();
        try (RedisSession visit = RedisSession.begin(running(), "live", lost::complete);
                Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            assertThat(visit.isAlive()).isTrue();
            jedis.del("blobmark:run");

            assertThat(lost.get(60, TimeUnit.SECONDS))
                    .startsWith("the marker of this run is no longer in the Redis 127.0.0.1:");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "zzzzz another"})
    void aMarkerThatIsLostEndsTheRun(String other) throws Exception {
        List<String> noted = new ArrayList<>();
        Listener taking = new QuietListener() {
            @Override
            public void sampleRecorded(Sample sample) {
                try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
                    jedis.del("blobmark:run");
                    if (!other.isEmpty()) {
                        jedis.set("blobmark:run", other);
                    }
                }
            }

            @Override
            public void noticeIssued(String what) {
                noted.add(what);
            }
        };
        Study study = study(
                "{mysql: {}, redis: {store: redis}}",
                SET,
                "{rounds: 300, forks: 1, window: 50ms, warm-up: 0s, seed: 1}");
        RunOptions options = new RunOptions(OneServer.lent(server), OneServer.CACHE, ForkInside.LAUNCH, "test");
        RunDirectory run = empty();

        assertThat(new Laboratory(
                                study,
                                options.with(
                                        StoreKinds.REDIS,
                                        RedisStoreServers.source((cache, environment, launch) -> running())),
                                taking)
                        .run(run))
                .isEqualTo(Ending.WATCH_LOST);

        assertThat(noted.get(noted.size() - 1))
                .startsWith("ended: the marker of this run is no longer in the Redis 127.0.0.1:");
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(run.samples())
                .isNotEmpty()
                .allMatch(sample -> sample.outcome().isMeasurement());
        try (Jedis jedis = RedisIdentity.connect(redis.endpoint())) {
            assertThat(jedis.scan("0").getResult())
                    .containsExactlyElementsOf(other.isEmpty() ? List.of() : List.of("blobmark:run"));
        }
    }
}
