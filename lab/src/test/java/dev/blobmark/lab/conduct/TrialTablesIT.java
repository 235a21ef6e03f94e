package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Keys;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OneServer.class)
class TrialTablesIT {

    private static final int ROWS = 10;
    private static final long SEED = 7;

    private final OwnServer server;

    @TempDir
    private Path directory;

    private Connection connection;
    private ServerSession visit;

    TrialTablesIT(OwnServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
        visit = new ServerSession(server, connection, RunLimits.DEFAULT, note -> {});
        LoadVolume little = new LoadVolume(1, 1, 1, 1, 1);
        visit.begin(ServerIdentity.read(connection).variables(), little, "test", "own tables", over -> {});
    }

    @AfterEach
    void drop() throws SQLException {
        visit.close();
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

    /** Beside the mark of whose schema it is. */
    private long tablesLeft() throws SQLException {
        return number("SELECT COUNT(*) - 1 FROM information_schema.tables WHERE table_schema = DATABASE()");
    }

    private static Trial trial(String workload, Map<String, String> more) {
        Map<String, String> condition =
                new HashMap<>(Map.of("workload", workload, "dataset", "random:62", "size", "2KB"));
        condition.putAll(more);
        Levels all = Factors.VOCABULARY.effective(Levels.of(condition));
        return new Trial(Factors.VOCABULARY.identity(all), "plain", Levels.of(Map.of()), all);
    }

    private EncodedValues values() throws Exception {
        return EncodedValues.of(ListedValues.random(ROWS, 2_048), Codecs.parse("none"), directory, bytes -> {});
    }

    private TrialTables tables(Block block) throws Exception {
        return tables(block, false);
    }

    private TrialTables tables(Block block, boolean looksAlways) throws Exception {
        return new TrialTables(
                "mysql",
                block,
                Map.of(block.encodings().get(0), values()),
                Map.of(StoreKinds.MYSQL, visit),
                looksAlways);
    }

    private static Sample sample(Trial trial, String type, long operations) {
        return new Sample(
                trial,
                new Position(0, 0, 0, Instant.EPOCH),
                new Outcome.Measured(),
                new Remarks(
                        List.of(),
                        List.of(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of(
                                "disk",
                                "the server does not tell",
                                "pages_read_per_op",
                                "not asked",
                                "time_ns",
                                "not asked"))),
                Optional.of(new WarmUp(1, true)),
                new TreeMap<>(Map.of(
                        type,
                        new Operations(
                                operations,
                                1,
                                1,
                                new Latency(1, 1, 1, 1, 1, 1, 1),
                                new Operations.ByteCounts(
                                        1, OptionalLong.of(1), OptionalLong.of(1), OptionalLong.of(1))))),
                Optional.empty(),
                Resources.of(OptionalLong.of(1), OptionalDouble.of(1), OptionalDouble.of(1), OptionalDouble.of(1)),
                new DiskSpace(OptionalLong.empty(), OptionalLong.empty()),
                Optional.empty());
    }

    private void insert(String table, int rows, Keys keys) throws Exception {
        EncodedValues values = values();
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?)")) {
            for (int number = 0; number < rows; number++) {
                insert.setInt(1, keys.key(number, SEED));
                insert.setBytes(2, values.stored(number % ROWS));
                insert.executeUpdate();
            }
        }
    }

    @Test
    void trialsThatWriteShareNoTableAndThoseThatReadDo() {
        List<Trial> trials = List.of(
                trial("fetch", Map.of()),
                trial("scan", Map.of()),
                trial("fetch", Map.of("threads", "2")),
                trial("fetch", Map.of("rows", "500")),
                trial("insert", Map.of()),
                trial("insert", Map.of("threads", "2")),
                trial("update", Map.of()),
                trial("mix:50", Map.of()),
                trial("mix:60", Map.of()));
        Block block = new Block(0, trials);

        assertThat(block.sharedStores()).hasSize(2);
        assertThat(block.stores()).hasSize(7);
        assertThat(block.stores().stream().map(block::tableName))
                .doesNotHaveDuplicates()
                .allMatch(n -> n.length() <= 64);
        // as many values as rows are asked for, and the dataset's own number otherwise
        assertThat(ValuesSource.of(trials.get(3).design()).values(1).count()).isEqualTo(500);
        assertThat(ValuesSource.of(trials.get(0).design()).values(1).count()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @CsvSource({"ascending, false", "random, false", "ascending, true"})
    void anInsertBeginsWithTwoEmptyTablesAndEndsWithNone(String keys, boolean looksAlways) throws Exception {
        Trial trial = trial("insert", Map.of("keys", keys));
        Block block = new Block(0, List.of(trial));
        TrialTables tables = tables(block, looksAlways);
        String name = block.tableName(StoreDesign.of(trial));

        for (int window = 0; window < 3; window++) {
            LoadedStore store = tables.prepare(trial, bytes -> {});
            assertThat(store.table()).isEqualTo(name);
            assertThat(store.content().rows()).isZero();
            assertThat(number("SELECT COUNT(*) FROM " + name)).isZero();
            insert(name, 2_000, trial.design().get(Keys.FACTOR));
            insert("w" + name.substring(1), 3, Keys.ASCENDING);

            int fork = window == 2 ? 1 : 0;
            Sample finished =
                    tables.finish(trial, sample(trial, "insert", 2_000).renumbered(0, fork), SEED);

            if (window == 1 && !looksAlways) {
                assertThat(finished.disk().allocatedBytes()).isEmpty();
                assertThat(finished.unknown()).containsEntry("disk", "read after the first window of each fork");
            } else {
                assertThat(finished.disk().allocatedBytes().orElseThrow()).isGreaterThan(2_000 * 2_048);
                assertThat(finished.unknown()).containsOnlyKeys("pages_read_per_op", "time_ns");
            }
            assertThat(tablesLeft()).isZero();
        }
    }

    @Test
    void rowsThatAreNotWhatWasInsertedAreFound() throws Exception {
        Trial trial = trial("insert", Map.of("keys", "random"));
        Block block = new Block(0, List.of(trial));
        TrialTables tables = tables(block);
        String name = block.tableName(StoreDesign.of(trial));

        tables.prepare(trial, bytes -> {});
        insert(name, 50, Keys.RANDOM);
        assertThatThrownBy(() -> tables.finish(trial, sample(trial, "insert", 51), SEED))
                .isInstanceOf(WrongValueException.class)
                .hasMessage(name + " has 50 rows after 51 were inserted");

        tables.prepare(trial, bytes -> {});
        insert(name, 50, Keys.RANDOM);
        int key = Keys.RANDOM.key(33, SEED);
        sql("UPDATE " + name + " SET data = REVERSE(data) WHERE id = " + key);
        assertThatThrownBy(() -> tables.finish(trial, sample(trial, "insert", 50), SEED))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("key " + key + " of " + name + " has other bytes than those inserted");
        assertThat(tablesLeft()).isZero();
    }

    @Test
    void anUpdateFindsWhatWasLoadedWhateverTheOneBeforeHasLeft() throws Exception {
        Trial trial = trial("update", Map.of());
        Block block = new Block(0, List.of(trial));
        TrialTables tables = tables(block);
        String name = block.tableName(StoreDesign.of(trial));
        String sum = "SELECT SUM(CRC32(data)) FROM " + name;

        LoadedStore store = tables.prepare(trial, bytes -> {});
        assertThat(store.content().rows()).isEqualTo(ROWS);
        assertThat(store.content().storedBytes()).isEqualTo(ROWS * 2_048);
        long loaded = number(sum);
        sql("UPDATE " + name + " SET data = 'gone'");
        sql("DELETE FROM " + name + " WHERE id = 3");

        // without an end, as after a crash
        tables.prepare(trial, bytes -> {});

        assertThat(number(sum)).isEqualTo(loaded);
        assertThat(tables.finish(trial, sample(trial, "update", 5), SEED).disk().allocatedBytes())
                .isPresent();
    }

    /** Its name can be guessed: --dry-run prints it. */
    @ParameterizedTest
    @ValueSource(strings = {"insert", "update"})
    void aTableThatIsThereAlreadyIsNotTouched(String workload) throws Exception {
        Trial trial = trial(workload, Map.of());
        Block block = new Block(0, List.of(trial));
        TrialTables tables = tables(block);
        String name = block.tableName(StoreDesign.of(trial));
        sql("CREATE TABLE " + name + " (theirs INT PRIMARY KEY)");
        sql("INSERT INTO " + name + " VALUES (42)");
        try {
            assertThatThrownBy(() -> tables.prepare(trial, bytes -> {}))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("already exists");
            tables.finish(trial, sample(trial, "select", 1), SEED);

            assertThat(number("SELECT theirs FROM " + name)).isEqualTo(42);
        } finally {
            sql("DROP TABLE " + name);
        }
    }
}
