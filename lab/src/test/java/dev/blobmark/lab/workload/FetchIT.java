package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.MySqlConnector;
import dev.blobmark.lab.client.TimeAccount;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OneServer.class)
class FetchIT {

    private static final String SCHEMA = "fetch_test";
    private static final Workload FETCH = Workload.FACTOR.parse("fetch");

    private final OwnServer server;

    @TempDir
    private Path directory;

    private Connection connection;

    FetchIT(OwnServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
        sql("CREATE DATABASE " + SCHEMA);
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

    private EncodedValues load(ListedValues values, String codec) throws Exception {
        EncodedValues encoded = EncodedValues.of(values, Codecs.parse(codec), directory, bytes -> {});
        MySqlTable table = new MySqlTable(connection, SCHEMA, "t", Layout.FACTOR.parse("dynamic"), Column.MEDIUMBLOB);
        table.create();
        table.load(encoded, bytes -> {});
        return encoded;
    }

    private Setup setup(EncodedValues values, Map<String, String> levels) {
        return new Setup(Design.of(levels), values, server.endpoint(), SCHEMA, "t");
    }

    /** A value for each edge of MySQL's format, and two that the drivers read in several packets. */
    private static ListedValues edges() {
        byte[] random = new byte[100_000];
        new SplittableRandom(1).nextBytes(random);
        byte[] large = new byte[1 << 20];
        new SplittableRandom(2).nextBytes(large);
        return ListedValues.of(
                new byte[0],
                " ".getBytes(StandardCharsets.US_ASCII),
                "ends with a space ".getBytes(StandardCharsets.US_ASCII),
                new byte[1],
                random,
                large);
    }

    static Stream<Map<String, String>> combinations() {
        return Stream.of("connector-j", "mariadb")
                .flatMap(driver -> Stream.of("server", "text")
                        .flatMap(statement -> Stream.of("off", "on")
                                .flatMap(tls -> Stream.of("none", "zstd", "mysql")
                                        .flatMap(codec -> Stream.of("application", "server")
                                                .map(decode -> Map.of(
                                                        "driver",
                                                        driver,
                                                        "statement",
                                                        statement,
                                                        "tls",
                                                        tls,
                                                        "codec",
                                                        codec,
                                                        "decode",
                                                        decode))))))
                .filter(levels -> Factors.VOCABULARY.problems(Levels.of(levels)).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void givesEveryValueInEveryWay(Map<String, String> levels) throws Exception {
        EncodedValues values = load(edges(), levels.get("codec"));

        try (Operation fetch = FETCH.open(setup(values, levels))) {
            for (int pass = 0; pass < 2; pass++) {
                for (int row = 0; row < values.count(); row++) {
                    assertThat(fetch.perform(0, row)).isEqualTo(values.length(row));
                    fetch.verify(0, row, true);
                }
            }
            fetch.verifyEffective();
            // the last value had another content: what is checked is what was fetched
            assertThatThrownBy(() -> fetch.verify(0, 4, true)).isInstanceOf(WrongValueException.class);
        }
    }

    /**
     * Handshake, encryption and compression go over it like the values; none of them is there sooner than the link can
     * have it.
     */
    @ParameterizedTest
    @CsvSource({
        "connector-j, off, off",
        "connector-j, on, off",
        "connector-j, on, zlib",
        "mariadb, off, off",
        "mariadb, on, off",
        "mariadb, off, zlib"
    })
    void everyValueComesOverTheLink(String driver, String tls, String compression) throws Exception {
        EncodedValues values = load(edges(), "none");
        Design levels =
                Design.of(Map.of("driver", driver, "tls", tls, "wire-compression", compression, "link", "80mbit 2ms"));
        SharedLink link = SharedLink.of(levels.get(Link.FACTOR));
        Setup setup = new Setup(levels, values, server.endpoint(), SCHEMA, "t", 0, link, Optional.empty(), false);

        try (Operation fetch = FETCH.open(setup)) {
            for (int row = 0; row < values.count(); row++) {
                long before = System.nanoTime();
                fetch.perform(0, row);
                long took = System.nanoTime() - before;
                fetch.verify(0, row, true);
                assertThat(took).isGreaterThanOrEqualTo((long) (2e6 + 0.999 * values.length(row) * 8 / 80e-3));
            }
            fetch.verifyEffective();
        }
    }

    @ParameterizedTest
    @CsvSource({"connector-j, server", "connector-j, text", "mariadb, server", "mariadb, text"})
    void aPoolLendsItsConnections(String driver, String statement) throws Exception {
        EncodedValues values = load(edges(), "zstd");
        Design levels = Design.of(Map.of(
                "driver",
                driver,
                "statement",
                statement,
                "codec",
                "zstd",
                "connection",
                "hikari:1",
                "workload",
                "fetch"));

        try (ConnectionPool pool = pool(levels, 1);
                Operation one = FETCH.open(pooled(levels, values, pool, "t"));
                Operation another = FETCH.open(pooled(levels, values, pool, "t"))) {
            for (int row = 0; row < values.count(); row++) {
                for (Operation fetch : List.of(one, another)) {
                    long before = fetch.traffic().orElseThrow().bytesIn();
                    fetch.perform(0, row);
                    fetch.verify(0, row, true);
                    // each counts what it has borrowed the connection for
                    assertThat(fetch.traffic().orElseThrow().bytesIn() - before)
                            .isBetween((long) values.storedLength(row), values.storedLength(row) + 2_000L);
                }
            }
            one.verifyEffective();
            assertThat(asked(
                            "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.processlist WHERE db = ?",
                            SCHEMA.getBytes(StandardCharsets.US_ASCII)))
                    .isEqualTo("1".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private ConnectionPool pool(Design levels, int size) throws SQLException {
        return new ConnectionPool(
                List.of(server.endpoint()), new MySqlConnector(SCHEMA, levels), SharedLink.LOOPBACK, size);
    }

    private Setup pooled(Design levels, EncodedValues values, ConnectionPool pool, String table) {
        return new Setup(
                levels, values, server.endpoint(), SCHEMA, table, 0, SharedLink.LOOPBACK, Optional.of(pool), false);
    }

    /** Two milliseconds each, put where they can be told apart. */
    enum Slow {
        NOTHING(null),
        SERVER(TimeAccount.TimedPart.WAITING),
        LINK(TimeAccount.TimedPart.WAITING),
        DECODER(TimeAccount.TimedPart.DECODE),
        POOL(TimeAccount.TimedPart.POOL);

        private final TimeAccount.TimedPart part;

        Slow(TimeAccount.TimedPart part) {
            this.part = part;
        }
    }

    /** By medians: what else the machine does is in none of them. */
    @ParameterizedTest
    @EnumSource(Slow.class)
    void whatIsSlowShowsInItsPartAlone(Slow slow) throws Exception {
        EncodedValues values = load(ListedValues.random(50, 20_000), "zstd");
        sql("CREATE VIEW " + SCHEMA + ".slow AS SELECT id, data FROM " + SCHEMA + ".t WHERE SLEEP(0.002) = 0");
        Design levels =
                Design.of(Map.of("codec", "zstd", "connection", "hikari:1", "prepare", "cached", "workload", "fetch"));
        SharedLink link = SharedLink.of(Link.parse(slow == Slow.LINK ? "any 2ms" : "loopback"));
        Codec zstd = Codecs.parse("zstd");
        String table = slow == Slow.SERVER ? "slow" : "t";
        Traffic traffic = new Traffic(link);
        int operations = 50;
        long[][] parts = new long[TimeAccount.TimedPart.values().length][operations];
        long[] held = new long[operations];
        try (ConnectionPool pool =
                        new ConnectionPool(List.of(server.endpoint()), new MySqlConnector(SCHEMA, levels), link, 1);
                Operation fetch = new Fetch.Select(
                        Lease.of(pooled(levels, values, pool, table), traffic),
                        traffic,
                        pooled(levels, values, pool, table),
                        slow == Slow.DECODER ? new SlowCodec(zstd) : zstd)) {
            for (int i = 0; i < operations; i++) {
                Connection busy = slow == Slow.POOL ? pool.borrow(new Traffic()) : null;
                traffic.time().clear();
                long begin = System.nanoTime();
                traffic.time().begin(begin);
                CompletableFuture<Void> returned = busy == null
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.runAsync(() -> giveBackLater(pool, busy));
                fetch.perform(0, i);
                long took = traffic.time().charge(TimeAccount.TimedPart.CLIENT) - begin;
                returned.join();
                fetch.verify(0, i, true);
                for (TimeAccount.TimedPart part : TimeAccount.TimedPart.values()) {
                    parts[part.ordinal()][i] = traffic.time().nanos(part);
                    took -= traffic.time().nanos(part);
                }
                assertThat(took).as("time that is in no part").isZero();
                held[i] = traffic.time().linkNanos();
            }
        }
        for (TimeAccount.TimedPart part : TimeAccount.TimedPart.values()) {
            // a busy machine makes operations longer, but hardly all of them
            long[] sorted = sorted(parts[part.ordinal()]);
            assertThat(sorted[operations / 2])
                    .as(part.word())
                    .isGreaterThanOrEqualTo(part == slow.part ? 1_900_000 : 0);
            assertThat(sorted[0]).as(part.word()).isLessThan(part == slow.part ? 4_000_000 : 1_000_000);
        }
        long[] sorted = sorted(held);
        assertThat(sorted[operations / 2]).isGreaterThanOrEqualTo(slow == Slow.LINK ? 1_500_000 : 0);
        assertThat(sorted[0]).isLessThanOrEqualTo(slow == Slow.LINK ? 3_000_000 : 0);
    }

    private static long[] sorted(long[] some) {
        Arrays.sort(some);
        return some;
    }

    private static void giveBackLater(ConnectionPool pool, Connection busy) {
        LockSupport.parkNanos(SlowCodec.NANOS);
        try {
            pool.giveBack(busy);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Another one, that takes its time to decode. */
    private record SlowCodec(Codec of) implements Codec {

        static final long NANOS = 2_000_000;

        @Override
        public String id() {
            return of.id();
        }

        @Override
        public int maxEncodedLength(int length) {
            return of.maxEncodedLength(length);
        }

        @Override
        public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
            return of.encode(source, sourceOffset, sourceLength, target, targetOffset);
        }

        @Override
        public int decode(
                byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
            LockSupport.parkNanos(NANOS);
            return of.decode(source, sourceOffset, sourceLength, target, targetOffset, maxLength);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"connector-j", "mariadb"})
    void aDriverThatDoesNotPrepareAsAskedIsFoundOut(String driver) throws Exception {
        EncodedValues values = load(edges(), "none");
        sql("SET GLOBAL max_prepared_stmt_count = 0");
        try {
            // Connector/J falls back to text, the other driver passes the server's refusal on
            assertThatThrownBy(() -> {
                        try (Operation fetch = FETCH.open(setup(values, Map.of("driver", driver)))) {
                            fetch.perform(0, 0);
                            fetch.verifyEffective();
                        }
                    })
                    .isInstanceOf(SQLException.class)
                    .hasMessageMatching("statement is 'SERVER' by the study, but the server has not executed prepared"
                            + " statements on this connection|.*max_prepared_stmt_count.*");
        } finally {
            sql("SET GLOBAL max_prepared_stmt_count = 16382");
        }
    }

    @Test
    void encryptionThatCannotBeHadIsAnError() throws Exception {
        EncodedValues values = load(edges(), "none");
        sql("SET GLOBAL require_secure_transport = ON");
        try {
            assertThatThrownBy(() -> FETCH.open(setup(values, Map.of("tls", "off"))))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("prohibited");
            assertThatCode(() -> FETCH.open(setup(values, Map.of("tls", "on"))).close())
                    .doesNotThrowAnyException();
        } finally {
            sql("SET GLOBAL require_secure_transport = OFF");
        }
    }

    private TrialRun trial(EncodedValues values, Map<String, String> levels, int workers) throws InterruptedException {
        return trial(values, levels, workers, 200);
    }

    private TrialRun trial(EncodedValues values, Map<String, String> levels, int workers, int operations)
            throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                FETCH,
                setup(values, levels),
                workers,
                new Window.Count(operations),
                Duration.ofMillis(100),
                Clock.SYSTEM,
                42));
    }

    @Test
    void aTrialCountsWhatItFetched() throws Exception {
        EncodedValues values = load(ListedValues.random(100, 5_000), "zstd");

        // the JVM tells its CPU time in ticks of 10 ms: so many operations take a dozen of them
        TrialRun run = trial(values, Map.of("codec", "zstd:3"), 2, 4_000);

        var fetch = run.operations().get("fetch");
        assertThat(run.outcome().isMeasurement()).isTrue();
        assertThat(run.remarks().errors()).isEmpty();
        assertThat(fetch.count()).isEqualTo(4_000);
        assertThat(fetch.applicationBytes()).isEqualTo(4_000 * 5_000);
        assertThat(fetch.storedBytes().orElseThrow()).isBetween(4_000 * 2_500L, 4_000 * 2_600L);
        assertThat(fetch.throughputBytesPerSecond() / fetch.operationsPerSecond())
                .isCloseTo(5_000, within(1e-6));
        assertThat(run.usage().cpuNanosPerOp()).isPositive();
        assertThat(run.usage().allocatedBytesPerOp()).isGreaterThan(2_500);
    }

    /** The statement's id or text and the key go out; the value comes in, with what tells of its column. */
    @ParameterizedTest
    @ValueSource(strings = {"connector-j", "mariadb"})
    void aTrialCountsItsBytesOnTheWire(String driver) throws Exception {
        EncodedValues values = load(ListedValues.of("x".repeat(5_000).getBytes(StandardCharsets.US_ASCII)), "none");

        var plain = trial(values, Map.of("driver", driver), 2).operations().get("fetch");
        var compressed = trial(values, Map.of("driver", driver, "wire-compression", "zlib"), 2)
                .operations()
                .get("fetch");

        assertThat(plain.wireBytesIn().orElseThrow()).isBetween(200 * 5_000L, 200 * 5_150L);
        assertThat(plain.wireBytesOut().orElseThrow()).isBetween(200 * 14L, 200 * 60L);
        assertThat(compressed.wireBytesIn().orElseThrow()).isBetween(200 * 30L, 200 * 250L);
    }

    static Stream<Map<String, String>> storedWays() {
        return Stream.of(
                Map.of("codec", "none"),
                Map.of("codec", "gzip:6"),
                Map.of("codec", "zstd:3"),
                Map.of("codec", "lz4"),
                Map.of("codec", "brotli:6"),
                Map.of("codec", "mysql:6"),
                Map.of("codec", "mysql:6", "decode", "server"));
    }

    @ParameterizedTest
    @MethodSource("storedWays")
    void aFlippedByteInTheTableFailsTheTrialAndIsNamed(Map<String, String> levels) throws Exception {
        EncodedValues values = load(ListedValues.random(40, 5_000), levels.get("codec"));
        sql("UPDATE " + SCHEMA + ".t SET data = INSERT(data, 100, 1, CHAR(ASCII(SUBSTR(data, 100, 1)) ^ 85))"
                + " WHERE id = 37");

        TrialRun run = trial(values, levels, 1);

        assertThat(run.outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(run.outcome().reason()).startsWith("WrongValueException: key 37 ");
        assertThat(run.operations()).isEmpty();
    }

    @Test
    void aTruncatedValueAndAMissingRowFailTheTrialAndAreNamed() throws Exception {
        EncodedValues values = load(ListedValues.random(40, 5_000), "none");
        sql("UPDATE " + SCHEMA + ".t SET data = LEFT(data, 4999) WHERE id = 12");
        assertThat(trial(values, Map.of(), 1).outcome())
                .isEqualTo(new Outcome.Failed("WrongValueException: key 12 has 4999 bytes instead of 5000"));

        sql("DELETE FROM " + SCHEMA + ".t WHERE id = 12");
        assertThat(trial(values, Map.of(), 1).outcome())
                .isEqualTo(new Outcome.Failed("WrongValueException: key 12 is missing"));
    }

    @Test
    void anEmptyValueIsToldFromOneThatTheServerCannotDecode() throws Exception {
        EncodedValues values = load(ListedValues.of(new byte[0]), "mysql");
        Setup setup = setup(values, Map.of("codec", "mysql:6", "decode", "server"));
        try (Operation fetch = FETCH.open(setup)) {
            assertThat(fetch.perform(0, 0)).isZero();
            fetch.verify(0, 0, true);

            sql("UPDATE " + SCHEMA + ".t SET data = 'not compressed'");
            assertThatThrownBy(() -> fetch.perform(0, 0))
                    .isInstanceOf(WrongValueException.class)
                    .hasMessage("key 0 is NULL: the server could not decode the stored value");
        }
    }

    @Test
    void aLostConnectionIsNoErrorToTryAgain() throws Exception {
        EncodedValues values = load(ListedValues.random(40, 5_000), "none");
        try (Operation fetch = FETCH.open(setup(values, Map.of()))) {
            fetch.perform(0, 0);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT id FROM information_schema.processlist WHERE db = '" + SCHEMA + "'")) {
                assertThat(row.next()).isTrue();
                sql("KILL " + row.getLong(1));
            }
            assertThatThrownBy(() -> fetch.perform(0, 0))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(fetch.transientCode(e)).isEmpty());
        }
    }

    @Test
    void errorsOfABusyServerMayBeTriedAgainAndNoOthers() throws Exception {
        EncodedValues values = load(ListedValues.random(1, 10), "none");
        try (Operation fetch = FETCH.open(setup(values, Map.of()))) {
            for (int code : List.of(1213, 1205, 1637, 1297)) {
                assertThat(fetch.transientCode(new SQLTransactionRollbackException("busy", "40001", code)))
                        .contains(Integer.toString(code));
            }
            assertThat(fetch.transientCode(new SQLException("no such table", "42S02", 1146)))
                    .isEmpty();
            assertThat(fetch.transientCode(new WrongValueException("key 1"))).isEmpty();
        }
    }

    /**
     * The codec {@code mysql} and the server's two functions read what the other writes, and find the same length in
     * it.
     */
    @Test
    void compressAndUncompressOfTheServerAgreeWithTheCodec() throws Exception {
        for (int level : new int[] {1, 6, 9}) {
            Codec codec = Codecs.parse("mysql:" + level);
            for (byte[] value : edges().all()) {
                byte[] ours = new byte[codec.maxEncodedLength(value.length)];
                int length = codec.encode(value, 0, value.length, ours, 0);
                ours = Arrays.copyOf(ours, length);

                assertThat(asked("SELECT UNCOMPRESS(?)", ours)).isEqualTo(value);
                assertThat(new String(
                                asked("SELECT CAST(UNCOMPRESSED_LENGTH(?) AS CHAR)", ours), StandardCharsets.US_ASCII))
                        .isEqualTo(Integer.toString(value.length));
                byte[] theirs = asked("SELECT COMPRESS(?)", value);
                byte[] decoded = new byte[value.length];
                assertThat(codec.decode(theirs, 0, theirs.length, decoded, 0, decoded.length))
                        .isEqualTo(value.length);
                assertThat(decoded).isEqualTo(value);
            }
        }
    }

    /**
     * Some encoded values end with a space byte, to which the server adds a full stop: all of many short ones are read.
     */
    @Test
    void encodedValuesThatEndWithASpaceAreReadEitherWay() throws Exception {
        Codec codec = Codecs.parse("mysql");
        SplittableRandom random = new SplittableRandom(3);
        int ended = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] value = new byte[8];
            random.nextBytes(value);
            byte[] ours = new byte[codec.maxEncodedLength(value.length)];
            int length = codec.encode(value, 0, value.length, ours, 0);
            if (ours[length - 1] == '.' && ours[length - 2] == ' ') {
                ended++;
                assertThat(asked("SELECT UNCOMPRESS(?)", Arrays.copyOf(ours, length)))
                        .isEqualTo(value);
                byte[] theirs = asked("SELECT COMPRESS(?)", value);
                byte[] decoded = new byte[value.length];
                assertThat(theirs).endsWith(' ', '.');
                assertThat(codec.decode(theirs, 0, theirs.length, decoded, 0, decoded.length))
                        .isEqualTo(value.length);
                assertThat(decoded).isEqualTo(value);
            }
        }
        assertThat(ended).isPositive();
    }

    private byte[] asked(String sql, byte[] parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setBytes(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBytes(1);
            }
        }
    }
}
