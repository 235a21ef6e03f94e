package dev.blobmark.bench.reencode.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.bench.reencode.random.Result.Outcome;
import dev.blobmark.bench.reencode.random.Scenario.Act;
import dev.blobmark.bench.reencode.random.Scenario.After;
import dev.blobmark.bench.reencode.random.Scenario.Change;
import dev.blobmark.bench.reencode.random.Scenario.Statement;
import dev.blobmark.bench.reencode.random.Scenario.Step;
import dev.blobmark.bench.reencode.random.Table.Column;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A hundred random tables are changed while they are used, and the judge finds what is lost on purpose. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RandomChangesIT {

    /** Of each kind of server: 100 with MySQL. */
    private static final int SEEDS = 25;

    private static final int ALONE = 8;

    private static final Path CACHE = Path.of("target", "test-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();

    private static final Statement NOTHING = Statement.same("DO 0");

    private final Map<Seat, Stage> stages = new EnumMap<>(Seat.class);

    @AfterAll
    void stop() {
        stages.values().forEach(Stage::close);
    }

    private Stage stage(Seat seat) throws Exception {
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(base -> !base.isEmpty())
                .map(Path::of);
        Assumptions.assumeTrue(
                !seat.isMySql || mysql.isPresent(),
                "no MySQL to test with: set BLOBMARK_TEST_MYSQL to a base directory, see bench/real-mysql");
        Stage known = stages.get(seat);
        if (known == null) {
            known = Stage.open(seat, mysql, CACHE);
            stages.put(seat, known);
        }
        return known;
    }

    @ParameterizedTest
    @EnumSource
    void changedTablesAreAsTheirTwins(Seat seat) throws Exception {
        List<String> wrong = new ArrayList<>();
        int changed = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            Result result = Trial.run(stage(seat), Draw.scenario(seat, seed, false));
            changed += result.outcome() == Outcome.CHANGED ? 1 : 0;
            if (result.isViolation() || result.isDoubtful(false)) {
                wrong.add("bench/reencode-random --servers " + seat.id() + " --seed " + seed + ": " + result.outcome()
                        + " " + result.reason());
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(changed).isGreaterThan(SEEDS / 3);
    }

    @ParameterizedTest
    @EnumSource
    void statementsAloneLeaveTheSameTables(Seat seat) throws Exception {
        for (int seed = 1; seed <= ALONE; seed++) {
            Result result =
                    Trial.run(stage(seat), Draw.scenario(seat, seed, false).withoutChange());

            assertThat(result.outcome())
                    .as("seed %d: %s", seed, result.reason())
                    .isNotEqualTo(Outcome.LOST);
        }
    }

    @Test
    void aNumberThatWouldBeGivenAgainIsFound() throws Exception {
        List<Step> steps = List.of(
                step(0, Statement.same("DELETE FROM t WHERE id = 5")),
                step(1, new Statement("ALTER TABLE t AUTO_INCREMENT = 5", "DO 0")));

        Result result = Trial.run(stage(Seat.MARIADB), planted(Seat.MARIADB, steps, false));

        // the fifth row was there before the first step
        assertThat(result.kind()).isEqualTo("LOST counter");
    }

    private static Step step(int group, Statement statement) {
        return new Step(0, Act.EXECUTE, statement, group, 0, false, false);
    }

    /** A table of five rows, with statements of one session. */
    private static Scenario planted(Seat seat, List<Step> steps, boolean isMade) {
        Table table = new Table(
                "t",
                List.of(
                        new Column("id", "INT NOT NULL AUTO_INCREMENT"),
                        new Column("note", "VARCHAR(20)"),
                        new Column("payload", "BLOB")),
                "payload",
                List.of("PRIMARY KEY (id)"),
                "ENGINE=InnoDB",
                "");
        return new Scenario(
                seat,
                1,
                List.of(),
                table,
                List.of(
                        Statement.same("CREATE TABLE other (id INT PRIMARY KEY)"),
                        Statement.same("INSERT INTO t (payload) VALUES ('a'), ('b'), ('c'), ('d'), ('e')")),
                List.of(List.of()),
                steps,
                new Change(true, "none", "zstd:3", 100, 1, After.NOTHING),
                isMade);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rows       | INSERT INTO t (payload) VALUES ('new')",
                "rows       | REPLACE INTO t (id, payload) VALUES (2, 'b ')",
                "rows       | INSERT INTO t (id, note, payload) VALUES (3, 'n', 'c') ON DUPLICATE KEY UPDATE note = 'n'",
                "rows       | INSERT INTO other VALUES (1)",
                "rows       | TRUNCATE TABLE other",
                "definition | ALTER TABLE t COMMENT = 'another'",
                "definition | ALTER TABLE t MODIFY note VARCHAR(21)",
                "trigger    | CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
                "table      | CREATE TABLE third (id INT)",
                "answer     | UPDATE t SET note = 'x' WHERE id = 4",
                "answer     | DELETE FROM t WHERE id = 5",
            })
    void whatOnlyTheTwinHasIsFound(String kind, String sql) throws Exception {
        boolean isAdded = sql.startsWith("TRUNCATE");
        Statement lost = new Statement("DO 0", sql);
        List<Step> steps = new ArrayList<>();
        if (isAdded) {
            steps.add(step(0, Statement.same("INSERT INTO other VALUES (7)")));
        }
        // the kind of an answer is that of the statement on the table
        steps.add(step(1, kind.equals("answer") ? new Statement(sql.replaceAll("= \\d$", "= 9"), sql) : lost));

        Result result = Trial.run(stage(Seat.MARIADB), planted(Seat.MARIADB, steps, false));

        assertThat(result.kind()).isEqualTo("LOST " + kind);
    }

    @ParameterizedTest
    @EnumSource
    void aRowThatAChangeLosesIsFound(Seat seat) throws Exception {
        List<Step> steps = List.of(step(0, new Statement("DO 0", "UPDATE t SET payload = 'lost' WHERE id = 3")));

        Result result = Trial.run(stage(seat), planted(seat, steps, true));

        assertThat(result.kind()).isEqualTo("LOST rows");
        assertThat(result.reason()).contains("payload=63").contains("payload=6c6f7374");
    }

    @Test
    void whatIsLostIsShrunkToItsStatement() throws Exception {
        List<Step> steps = new ArrayList<>(IntStream.range(0, 20)
                .mapToObj(i -> step(i, Statement.same("INSERT INTO t (note) VALUES ('" + i + "')")))
                .toList());
        Step lost = step(20, new Statement("DO 0", "INSERT INTO t (note) VALUES ('lost')"));
        steps.add(7, lost);
        Scenario scenario = planted(Seat.MARIADB, steps, false);
        Stage stage = stage(Seat.MARIADB);

        Shrink.Shrunk shrunk = Shrink.run(stage, scenario, Trial.run(stage, scenario));

        assertThat(shrunk.scenario().steps()).containsExactly(lost);
        assertThat(shrunk.scenario().setup()).isEmpty();
        assertThat(shrunk.scenario().table().indexes()).hasSizeLessThanOrEqualTo(1);
        assertThat(shrunk.result().kind()).isEqualTo("LOST rows");
    }

    @Test
    void aSeedDrawsTheSameScenario() {
        for (Seat seat : Seat.values()) {
            assertThat(Draw.scenario(seat, 7, true)).isEqualTo(Draw.scenario(seat, 7, true));
        }
    }
}
