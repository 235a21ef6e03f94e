package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workloads that write, and those that read what was written, on a server. */
@Tag("long")
@Timeout(60)
@ExtendWith(OneServer.class)
class WriteIT {

    private static final long POLL_NANOS = 1_000_000;

    private static final String SCHEMA = "write_test";
    private static final int ROWS = 40;
    private static final int BYTES = 3_000;

    private final OwnServer server;

    @TempDir
    private Path directory;

    private Connection connection;

    WriteIT(OwnServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
        sql("CREATE DATABASE " + SCHEMA);
        sql("USE " + SCHEMA);
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

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private MySqlTable create(String name) throws SQLException {
        MySqlTable table = new MySqlTable(connection, SCHEMA, name, Layout.FACTOR.parse("dynamic"), Column.MEDIUMBLOB);
        table.create();
        return table;
    }

    private EncodedValues encode(String codec) throws Exception {
        ListedValues values = ListedValues.random(ROWS, BYTES);
        EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
        return EncodedValues.of(values, Codecs.parse(codec), directory, bytes -> {});
    }

    /** A table that is loaded, {@code t}, or two that are empty. */
    private Setup setup(String workload, Map<String, String> more) throws Exception {
        Map<String, String> levels = new HashMap<>(more);
        levels.put("workload", workload);
        EncodedValues values = encode(more.getOrDefault("codec", "none"));
        if (workload.equals("insert")) {
            create("t");
            create("w");
        } else {
            create("t").load(values, bytes -> {});
        }
        return new Setup(
                Design.of(levels),
                values,
                server.endpoint(),
                SCHEMA,
                "t",
                42,
                SharedLink.LOOPBACK,
                Optional.empty(),
                false);
    }

    private static Workload workload(Setup setup) {
        return setup.design().get(Workload.FACTOR);
    }

    private static TrialRun run(Setup setup, Share share, Load load, int operations) throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                workload(setup),
                setup,
                share,
                load,
                new Window.Count(operations),
                Duration.ofMillis(100),
                Clock.SYSTEM,
                42));
    }

    private static TrialRun run(Setup setup, int workers, int operations) throws InterruptedException {
        return run(setup, Share.whole(workers), new Load.Closed(), operations);
    }

    /** The numbers of the values in a table by key, as the server has them; fails on one that is none of them. */
    private Map<Integer, Integer> stored(String table, EncodedValues values) throws SQLException {
        Map<Integer, Integer> stored = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, data FROM " + table)) {
            while (row.next()) {
                byte[] value = row.getBytes(2);
                stored.put(
                        row.getInt(1),
                        IntStream.range(0, values.count())
                                .filter(i -> Arrays.equals(value, values.stored(i)))
                                .findFirst()
                                .orElseThrow(() -> new AssertionError("a value of no one's")));
            }
        }
        return stored;
    }

    static Stream<Map<String, String>> ways() {
        return Stream.of("connector-j", "mariadb")
                .flatMap(driver -> Stream.of("server", "text")
                        .flatMap(statement -> Stream.of(
                                Map.of("driver", driver, "statement", statement),
                                Map.of("driver", driver, "statement", statement, "batch", "5"),
                                Map.of(
                                        "driver",
                                        driver,
                                        "statement",
                                        statement,
                                        "batch",
                                        "5",
                                        "commit",
                                        "7",
                                        "codec",
                                        "zstd:3"))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void insertsEachRowOnceInEveryWay(Map<String, String> levels) throws Exception {
        Setup setup = setup("insert", levels);

        TrialRun run = run(setup, 1, 20);

        assertThat(run.outcome().isMeasurement()).as(run.outcome().reason()).isTrue();
        int rows = 20 * Integer.parseInt(levels.getOrDefault("batch", "1"));
        Operations insert = run.operations().get("insert");
        assertThat(insert.count()).isEqualTo(20);
        assertThat(insert.applicationBytes()).isEqualTo((long) rows * BYTES);
        assertThat(insert.storedBytes()).hasValue(number("SELECT SUM(OCTET_LENGTH(data)) FROM t"));
        Map<Integer, Integer> stored = stored("t", setup.values());
        assertThat(stored).hasSize(rows);
        stored.forEach((key, value) -> assertThat(value).isEqualTo(key % ROWS));
        assertThat(stored.keySet()).allMatch(key -> key < rows);
        assertThat(number("SELECT COUNT(*) FROM w")).isPositive();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void updatesToOtherValuesInEveryWay(Map<String, String> levels) throws Exception {
        Setup setup = setup("update", levels);

        TrialRun run = run(setup, 1, 20);

        assertThat(run.outcome().isMeasurement()).as(run.outcome().reason()).isTrue();
        assertThat(run.operations().get("update").applicationBytes())
                .isEqualTo(20L * Integer.parseInt(levels.getOrDefault("batch", "1")) * BYTES);
        Map<Integer, Integer> stored = stored("t", setup.values());
        assertThat(stored).hasSize(ROWS);
        assertThat(stored).anySatisfy((key, value) -> assertThat(value).isNotEqualTo(key));
    }

    /** What an operation has written is to be seen by others as soon as it is committed, and not before. */
    @ParameterizedTest
    @CsvSource({"each,1,1", "each,5,1", "3,1,3", "3,5,3", "all,1,9"})
    void commitsAsOftenAsItSays(String commit, int batch, int operations) throws Exception {
        for (String workload : List.of("insert", "update")) {
            Setup setup = setup(workload, Map.of("commit", commit, "batch", Integer.toString(batch)));
            try (Operation write = workload(setup).open(setup)) {
                write.beginWindow();
                for (int done = 1; done <= 8; done++) {
                    write.prepare(0, done - 1);
                    write.perform(0, done - 1);
                    write.verify(0, done - 1, true);
                    long seen = workload.equals("insert")
                            ? number("SELECT COUNT(*) FROM t")
                            : stored("t", setup.values()).entrySet().stream()
                                    .filter(row -> !row.getKey().equals(row.getValue()))
                                    .count();
                    assertThat(seen)
                            .as("%s, operation %d", workload, done)
                            .isEqualTo(done / operations * operations * batch);
                }
                write.endWindow();
            }
            long seen = stored("t", setup.values()).entrySet().stream()
                    .filter(row -> workload.equals("insert") || !row.getKey().equals(row.getValue()))
                    .count();
            assertThat(seen).isEqualTo(8L * batch);
            sql("DROP TABLE IF EXISTS t, w");
        }
    }

    @Test
    void processesAndWorkersShareTheKeysOfAnInsert() throws Exception {
        Setup setup = setup("insert", Map.of("threads", "3", "processes", "2"));

        assertThat(run(setup, new Share(0, 2, 3), new Load.Closed(), 100)
                        .outcome()
                        .isMeasurement())
                .isTrue();
        assertThat(run(setup, new Share(2, 1, 3), new Load.Closed(), 100)
                        .outcome()
                        .isMeasurement())
                .isTrue();

        assertThat(stored("t", setup.values()).keySet())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 100).boxed().toList());
    }

    @Test
    void anInsertIsOfferedAtARate() throws Exception {
        Setup setup = setup("insert", Map.of());

        TrialRun run = run(setup, Share.whole(2), new Load.Open(Load.Spacing.CONSTANT, 500), 100);

        long done = run.operations().get("insert").count();
        assertThat(run.openLoop().orElseThrow().offered()).isEqualTo(100);
        assertThat(stored("t", setup.values())).hasSize((int) done);
    }

    /** Whose JVM is fresh: what it does beforehand is not in the table, and in no key's way. */
    @Test
    void aRunInLeavesNoRows() throws Exception {
        Setup setup = setup("insert", Map.of());

        assertThat(run(setup.runIn(), 2, 50).outcome().isMeasurement()).isTrue();
        assertThat(number("SELECT COUNT(*) FROM t")).isZero();
        assertThat(run(setup, 2, 50).outcome().isMeasurement()).isTrue();

        assertThat(number("SELECT COUNT(*) FROM t")).isEqualTo(50);
    }

    @Test
    void randomKeysAreAPermutationOfTheSeed() throws Exception {
        Setup setup = setup("insert", Map.of("keys", "random"));

        run(setup, 2, 200);

        Map<Integer, Integer> stored = stored("t", setup.values());
        assertThat(stored).hasSize(200);
        stored.forEach((key, value) -> assertThat(value).isEqualTo(Keys.RANDOM.number(key, 42) % ROWS));
        assertThat(stored.keySet().stream().filter(key -> key > 1 << 30).count())
                .isBetween(60L, 140L);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 42, -1, Long.MIN_VALUE, 0x7fff_ffff_ffffL})
    void everyNumberHasAKeyAndEachKeyItsNumber(long seed) {
        for (Keys keys : Keys.values()) {
            for (int number : new int[] {0, 1, 2, 1_000, 1 << 16, (1 << 30) + 1, Integer.MAX_VALUE}) {
                assertThat(keys.key(number, seed)).isNotNegative();
                assertThat(keys.number(keys.key(number, seed), seed)).isEqualTo(number);
            }
        }
        assertThat(IntStream.range(0, 1_000)
                        .filter(n -> Keys.RANDOM.key(n, seed) == Keys.RANDOM.key(n, seed + 1))
                        .count())
                .isLessThan(5);
    }

    private void spoil(String event, String table, String when) throws SQLException {
        sql("CREATE TRIGGER spoil_" + table + " BEFORE " + event + " ON " + table + " FOR EACH ROW SET NEW.data = IF("
                + when + ", INSERT(NEW.data, 100, 1, CHAR(ASCII(SUBSTR(NEW.data, 100, 1)) ^ 85)), NEW.data)");
    }

    @ParameterizedTest
    @CsvSource({"insert,w,none", "insert,t,none", "insert,t,zstd", "update,t,none", "update,t,gzip", "mix:50,t,none"})
    void aValueThatIsNotWhatWasWrittenFailsTheTrialAndIsNamed(String workload, String table, String codec)
            throws Exception {
        Setup setup = setup(workload, Map.of("codec", Codecs.parse(codec).id()));
        spoil(workload.equals("insert") ? "INSERT" : "UPDATE", table, "NEW.id = 0");

        TrialRun run = run(setup, 1, 3_000); // enough to write key 0

        assertThat(run.outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(run.outcome().reason())
                .matches("WrongValueException: key 0 (has other bytes than were written|cannot be decoded: .*"
                        + "|has a value that was never written to it)");
        assertThat(run.operations()).isEmpty();
    }

    @Test
    void aRowThatIsNotThereToBeUpdatedFailsTheTrial() throws Exception {
        Setup setup = setup("update", Map.of());
        sql("DELETE FROM t WHERE id = 7");

        assertThat(run(setup, 1, 50).outcome())
                .isEqualTo(
                        new Outcome.Failed("WrongValueException: the server wrote 0 rows instead of 1, from key 7 on"));
    }

    @ParameterizedTest
    @CsvSource({"0,0,100", "50,50,50", "90,90,10", "100,100,0"})
    void aMixHasItsShareOfEachType(int percent, long fetches, long updates) throws Exception {
        Setup setup = setup("mix:" + percent, Map.of("codec", "zstd:3"));

        TrialRun run = run(setup, 1, 100);

        assertThat(run.outcome().isMeasurement()).as(run.outcome().reason()).isTrue();
        Map<String, Long> counts = new HashMap<>();
        run.operations().forEach((type, its) -> counts.put(type, its.count()));
        Map<String, Long> expected = new HashMap<>(Map.of("fetch", fetches, "update", updates));
        if (!expected.values().removeIf(count -> count == 0)) {
            expected.put(Sample.MIX, fetches + updates); // both are told together too
        }
        assertThat(counts).isEqualTo(expected);
        assertThat(run.latency()).containsOnlyKeys(expected.keySet());
        run.operations().values().forEach(its -> {
            assertThat(its.applicationBytes()).isEqualTo(its.count() * BYTES);
            assertThat(its.storedBytes().orElseThrow())
                    .isBetween(its.count() * BYTES / 2, its.count() * BYTES * 6 / 10);
        });
    }

    @Test
    void aMixWhoseServerDecodesIsReadBack() throws Exception {
        Setup setup = setup("mix:50", Map.of("codec", "mysql:6", "decode", "server", "threads", "2"));

        assertThat(run(setup, 2, 100).operations()).containsOnlyKeys("fetch", "update", Sample.MIX);
    }

    static Stream<Map<String, String>> scans() {
        return Stream.of("connector-j", "mariadb")
                .flatMap(driver -> Stream.of(
                        Map.of("driver", driver, "statement", "server", "codec", "none"),
                        Map.of("driver", driver, "statement", "text", "codec", "none"),
                        Map.of("driver", driver, "statement", "server", "codec", "zstd:3"),
                        Map.of("driver", driver, "statement", "text", "codec", "mysql:6", "decode", "server")));
    }

    @ParameterizedTest
    @MethodSource("scans")
    void aScanReadsEveryRow(Map<String, String> levels) throws Exception {
        Setup setup = setup("scan", levels);

        TrialRun run = run(setup, 1, 5);

        assertThat(run.outcome().isMeasurement()).as(run.outcome().reason()).isTrue();
        Operations scan = run.operations().get("scan");
        assertThat(scan.count()).isEqualTo(5);
        assertThat(scan.applicationBytes()).isEqualTo(5L * ROWS * BYTES);
        assertThat(scan.storedBytes()).hasValue(5 * setup.values().storedBytes());
    }

    @ParameterizedTest
    @MethodSource("scans")
    void aScanThatMeetsAFlippedByteAShortValueOrAnotherRowFails(Map<String, String> levels) throws Exception {
        Setup setup = setup("scan", levels);

        sql("UPDATE t SET data = INSERT(data, 100, 1, CHAR(ASCII(SUBSTR(data, 100, 1)) ^ 85)) WHERE id = 17");
        assertThat(run(setup, 1, 5).outcome().reason()).startsWith("WrongValueException: row 17 ");
        sql("DELETE FROM t WHERE id >= 17");
        assertThat(run(setup, 1, 5).outcome().reason())
                .isEqualTo("WrongValueException: a scan read 17 rows instead of 40");
    }

    /** The stream of one is to be read to its end before the next: rows are not held in memory. */
    @ParameterizedTest
    @ValueSource(strings = {"connector-j", "mariadb"})
    void aScanStreamsItsRows(String driver) throws Exception {
        create("t");
        ListedValues large = ListedValues.random(100, 1 << 20);
        EncodedValues values = EncodedValues.of(large, Codecs.parse("none"), directory, bytes -> {});
        new MySqlTable(connection, SCHEMA, "t", Layout.FACTOR.parse("dynamic"), Column.MEDIUMBLOB)
                .load(values, bytes -> {});
        Design levels = Design.of(Map.of("workload", "scan", "driver", driver, "statement", "text"));
        try (Connection streaming =
                        levels.get(Driver.FACTOR).connect(server.endpoint(), SCHEMA, Tls.OFF, StatementProtocol.TEXT);
                var select = streaming.prepareStatement("SELECT data FROM t ORDER BY id")) {
            select.setFetchSize(levels.get(Driver.FACTOR).jdbc().streamingFetchSize());
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(50 << 20);
            }
        }
    }

    @Test
    void updatesOfManyWorkersMeetDeadlocksAndGoOn() throws Exception {
        Setup setup = setup("update", Map.of("threads", "4", "commit", "5", "batch", "4"));

        TrialRun run = run(setup, 4, 400);

        assertThat(run.outcome().isMeasurement()).as(run.outcome().reason()).isTrue();
        assertThat(run.remarks().errors().getOrDefault("1213", 0L)).isPositive();
        assertThat(stored("t", setup.values())).hasSize(ROWS);
    }

    /** What the server has rolled back is done again with the operation that met the deadlock. */
    @Test
    void aDeadlockLosesNoOperation() throws Exception {
        Setup setup = setup("update", Map.of("commit", "all"));
        try (Operation update = workload(setup).open(setup);
                Connection other = JdbcDriver.connectForLoading(server.endpoint(), SCHEMA);
                Statement statement = other.createStatement()) {
            update.beginWindow();
            update.prepare(0, 1);
            update.perform(0, 1);
            // the heavier of two transactions is not the one that is rolled back
            other.setAutoCommit(false);
            statement.execute("UPDATE t SET data = REVERSE(data) WHERE id >= 2");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    statement.execute("UPDATE t SET data = REVERSE(data) WHERE id = 1");
                    other.rollback();
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            // INNODB_TRX would not do: InnoDB does not renew it while it is read more often than every 0.1 s
            while (number("SELECT variable_value FROM information_schema.global_status"
                            + " WHERE variable_name = 'Innodb_row_lock_current_waits'")
                    == 0) {
                assertThat(waiting).isNotDone();
                LockSupport.parkNanos(POLL_NANOS);
            }
            update.prepare(0, 2);
            assertThatThrownBy(() -> update.perform(0, 2))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(update.transientCode(e)).contains("1213"));
            waiting.get(30, TimeUnit.SECONDS);

            update.perform(0, 2);
            update.verify(0, 2, true);
            update.endWindow();
        }

        Map<Integer, Integer> stored = stored("t", setup.values());
        assertThat(stored.get(1)).isEqualTo(2);
        assertThat(stored.get(2)).isEqualTo(4);
        assertThat(stored.get(3)).isEqualTo(3);
    }

    @Test
    void whatCannotBeWrittenIsRefusedWithTheMend() throws Exception {
        Setup tooFew = setup("update", Map.of("batch", "41"));
        assertThatThrownBy(() -> workload(tooFew).open(tooFew))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the table has 40 rows, but an update needs 41 or more to change 41 at a time to other values;"
                                + " give more rows, or lower batch");
        assertThatThrownBy(() -> Workload.FACTOR.parse("mix:101"))
                .hasMessage("workload 'mix:101' fetches more than 100 %; write mix:0 to mix:100");
        assertThatThrownBy(() -> Workload.FACTOR.parse("inzert")).hasMessageContaining("insert");
        assertThatThrownBy(() -> Commit.FACTOR.parse("0")).hasMessageContaining("between 1 and 1000000");
        assertThatThrownBy(() -> Batch.FACTOR.parse("many")).hasMessageContaining("between 1 and 10000");
        assertThat(Commit.FACTOR.canonical("1")).isEqualTo("each");
    }
}
