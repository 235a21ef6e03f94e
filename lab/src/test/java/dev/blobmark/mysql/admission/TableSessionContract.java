package dev.blobmark.mysql.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.admission.ForeignServer;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.TableValues;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.SampleLimits;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableSample;
import dev.blobmark.mysql.table.Whole;
import dev.blobmark.mysql.table.WholeColumn;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Samples of a table, on a server of either product. */
abstract class TableSessionContract {

    /** No limits, whatever else is going on there. */
    private static final ToleratedLoad FREE = new ToleratedLoad(Optional.of(LoadLimits.NONE), LoadLimits.NONE);

    /** A table of them, in SQL. */
    private static final String DIGITS = IntStream.range(1, 10)
            .mapToObj(digit -> " UNION ALL SELECT " + digit)
            .collect(Collectors.joining("", "(SELECT 0 d", ")"));

    private final OwnServer server;
    private final List<String> notes = new ArrayList<>();
    private Connection owner;
    private int files;

    @TempDir
    private Path directory;

    TableSessionContract(OwnServer server) {
        this.server = server;
    }

    @BeforeEach
    void makeSchema() throws SQLException {
        owner = JdbcDriver.connectForLoading(server.endpoint(), "");
        execute("CREATE DATABASE own");
    }

    @AfterEach
    void dropSchema() throws SQLException {
        execute("DROP DATABASE own");
        execute("DROP USER IF EXISTS 'reader'@'%'");
        owner.close();
    }

    private void execute(String sql) throws SQLException {
        ForeignServer.execute(owner, sql);
    }

    private Values read(String name) throws Exception {
        return read(server.endpoint(), name, FREE);
    }

    private Values read(Endpoint endpoint, String name, ToleratedLoad terms) throws Exception {
        return column(endpoint, name, terms).values(0, 0);
    }

    private TableValues column(Endpoint endpoint, String name, ToleratedLoad terms) throws Exception {
        return column(endpoint, name, SampleLimits.OF_STUDY, terms);
    }

    private TableValues column(Endpoint endpoint, String name, SampleLimits most, ToleratedLoad terms)
            throws Exception {
        TableValues column = (TableValues) Datasets.parse("table:" + name);
        Path file = directory.resolve("sample-" + files++);
        return column.with(TableSession.read(endpoint, column.column(), 42, most, terms, file, notes::add));
    }

    private static List<String> texts(Values values) {
        return IntStream.range(0, values.count())
                .mapToObj(i -> new String(values.get(i), StandardCharsets.UTF_8))
                .toList();
    }

    /** @param rows of which the value tells its number in eight digits, and is from there up to 200 bytes long */
    private void fill(String table, String keys, int rows) throws SQLException {
        execute("INSERT INTO own." + table + " SELECT " + keys + ", RPAD(LPAD(n, 8, '0'), 8 + n % 193, 'x') FROM"
                + " (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM " + DIGITS + " a, " + DIGITS + " b, "
                + DIGITS
                + " c, " + DIGITS + " e) numbers WHERE n < " + rows);
    }

    @Test
    void aSmallTableIsReadWholeInTheOrderOfItsKey() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v BLOB)");
        fill("some", "1000 - n", 100);

        Values values = read("own.some.v");

        assertThat(values.count()).isEqualTo(100);
        assertThat(texts(values))
                .isSortedAccordingTo((a, b) -> b.substring(0, 8).compareTo(a.substring(0, 8)));
        assertThat(values.origin()).containsEntry("of all keys, ppm", 1_000_000L);
        assertThat(values.sizes().skipped()).isEmpty();
        assertThat(read("own.some.v").digest()).isEqualTo(values.digest());
    }

    /** A frame is not what the application reads. */
    @Test
    void valuesInTheValueFormatAreDecoded() throws Exception {
        execute("CREATE TABLE own.framed (id INT PRIMARY KEY, v BLOB)");
        fill("framed", "n", 100);
        Values plain = read("own.framed.v");
        ValueFormat format = ValueFormat.builder()
                .writes("zstd:3")
                .policy(new EncodingPolicy(0, 0, false))
                .build();
        format.startWriting();
        List<byte[]> others = List.of(
                new byte[] {(byte) 0xBE, (byte) 0xC1, 1},
                "not encoded".repeat(20).getBytes(StandardCharsets.UTF_8));
        try (PreparedStatement insert = owner.prepareStatement("REPLACE INTO own.framed VALUES (?, ?)")) {
            for (int id = 0; id < 50; id++) {
                insert.setInt(1, id);
                insert.setBytes(2, format.encode(plain.get(id)));
                insert.executeUpdate();
            }
        }
        notes.clear();

        Values values = read("own.framed.v");

        assertThat(values.digest()).isEqualTo(plain.digest());
        assertThat(values.origin()).containsKey("decoded");
        assertThat(notes)
                .singleElement()
                .satisfies(note -> assertThat(note)
                        .matches(
                                "\\d+ of 100 values of table:own\\.framed\\.v are encoded in the value format; they were"
                                        + " decoded"));
        // what is no frame is a value
        try (PreparedStatement insert = owner.prepareStatement("REPLACE INTO own.framed VALUES (?, ?)")) {
            for (int id = 0; id < others.size(); id++) {
                insert.setInt(1, id);
                insert.setBytes(2, others.get(id));
                insert.executeUpdate();
            }
        }
        assertThat(read("own.framed.v").get(0)).isEqualTo(others.get(0));
        assertThat(read("own.framed.v").get(1)).isEqualTo(others.get(1));
        try (TableSession session = TableSession.open(server.endpoint(), FREE, () -> {}, notes::add)) {
            Path file = directory.resolve("stored");
            TableColumn.Sample stored =
                    session.read(TableColumn.named("own.framed.v"), 42, SampleLimits.OF_STUDY, file);
            assertThat(stored.origin()).doesNotContainKey("decoded");
            assertThat(stored.rows().get(40).bytes()).isLessThan(plain.get(40).length);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            JSON                                                     | json
            LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin       | longtext:utf8mb4_bin
            MEDIUMTEXT CHARACTER SET latin1 COLLATE latin1_german1_ci| mediumtext:latin1_german1_ci
            VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin   | text:utf8mb4_bin
            CHAR(20) CHARACTER SET ascii COLLATE ascii_general_ci    | text:ascii_general_ci
            TINYBLOB                                                 | blob
            LONGBLOB                                                 | longblob
            VARBINARY(200)                                           | varbinary(200)
            """)
    void theTypeOfTheColumnIsKnown(String type, String level) throws Exception {
        execute("CREATE TABLE own.typed (id INT PRIMARY KEY, v " + type + ")");
        execute("INSERT INTO own.typed VALUES (1, '{\"a\": 1}'), (2, NULL)");

        TableValues column = column(server.endpoint(), "own.typed.v", FREE);

        assertThat(column.nativeColumn()).contains(level);
        assertThat(texts(column.values(0, 0))).containsExactly("{\"a\": 1}");
    }

    @Test
    void textThatIsCheckedForSomethingElseIsNoJson() throws Exception {
        execute(
                "CREATE TABLE own.checked (id INT PRIMARY KEY, v LONGTEXT COLLATE utf8mb4_bin CHECK (CHAR_LENGTH(v) > 2))");
        execute("INSERT INTO own.checked VALUES (1, 'long')");
        assertThat(column(server.endpoint(), "own.checked.v", FREE).nativeColumn())
                .contains("longtext:utf8mb4_bin");
    }

    @Test
    void namesMayHavePointsAndBackquotes() throws Exception {
        execute("CREATE TABLE own.`odd.``table` (id INT PRIMARY KEY, `a.b``c` JSON)");
        execute("INSERT INTO own.`odd.``table` VALUES (1, '[1]')");
        assertThat(texts(read("own.`odd.``table`.`a.b``c`"))).containsExactly("[1]");
    }

    @Test
    void allOfASmallTableIsCounted() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v BLOB)");
        execute("INSERT INTO own.some VALUES (1, 'one'), (2, NULL), (3, 'three')");

        Whole whole = read("own.some.v").whole().orElseThrow();

        assertThat(whole.isEstimated()).isFalse();
        assertThat(whole.values()).isEqualTo(2);
        assertThat(whole.bytes()).isEqualTo(8);
        assertThat(whole.tableRows()).hasValue(3);
        assertThat(whole.tableBytes().getAsLong()).isGreaterThanOrEqualTo(4096);
        assertThat(whole.columnType()).contains("blob");
    }

    /** Half of the rows have a value. InnoDB's own estimate is within a third or so of the rows. */
    @Test
    void allOfALargeTableIsEstimated() throws Exception {
        execute("CREATE TABLE own.many (id INT PRIMARY KEY, v BLOB)");
        fill("many", "n", 8_000);
        execute("UPDATE own.many SET v = NULL WHERE id % 2 = 0");
        execute("ANALYZE TABLE own.many");

        Whole whole = read("own.many.v").whole().orElseThrow();

        assertThat(whole.isEstimated()).isTrue();
        assertThat(whole.tableRows().getAsLong()).isBetween(5_000L, 11_000L);
        assertThat(whole.values()).isBetween(2_300L, 6_000L);
        // values have 8 to 200 bytes
        assertThat(whole.bytes() / whole.values()).isBetween(94L, 114L);
        assertThat(whole.tableBytes().getAsLong()).isGreaterThan(8_000L * 60);
    }

    /** As long as another session has the table, there is no count. */
    @Test
    void rowsAreCountedInTheTimeThatThereIs() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v BLOB)");
        fill("some", "n", 100);
        TableColumn column = TableColumn.named("own.some.v");

        try (Connection reading = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            assertThat(TableSample.countRows(reading, column, 60_000)).hasValue(100);
            execute("LOCK TABLES own.some WRITE");
            assertThat(TableSample.countRows(reading, column, 100)).isEmpty();
            execute("UNLOCK TABLES");
            assertThat(TableSample.countRows(reading, column, 60_000)).hasValue(100);
        }
    }

    /**
     * A server reads all of a value to find its length: reading ends after 256 MB of them, as after so much that is
     * taken.
     */
    @Test
    void valuesThatAreTooLongAreNotAllLookedAt() throws Exception {
        execute("CREATE TABLE own.films (id INT PRIMARY KEY)");
        execute("INSERT INTO own.films (id) SELECT ones.d + 10 * tens.d FROM " + DIGITS + " ones, " + DIGITS + " tens");
        // added afterwards: MySQL would compute it for each row that is inserted
        execute("ALTER TABLE own.films ADD v LONGBLOB AS (IF(id % 10 = 0, 'short', REPEAT('x', 20000000))) VIRTUAL");

        Values values = read("own.films.v");

        // 13 of them are 248 MB
        assertThat(values.sizes().skipped()).isEqualTo(Map.of("longer than " + longest() + " bytes", 14));
        assertThat(texts(values)).hasSizeLessThan(10).containsOnly("short");
    }

    /** FORCE INDEX does not know it: error 1176. */
    @Test
    void anInvisibleIndexIsPassedOver() throws Exception {
        String invisible = isMariaDb() ? "IGNORED" : "INVISIBLE";
        // the first one stands for a primary key, which cannot be invisible
        execute("CREATE TABLE own.hidden (a INT NOT NULL, b INT NOT NULL, v BLOB, UNIQUE b (b), UNIQUE a (a) "
                + invisible + ")");
        execute("INSERT INTO own.hidden VALUES (1, 2, 'one'), (2, 1, 'two')");
        assertThat(texts(read("own.hidden.v"))).containsExactly("two", "one");
    }

    private boolean isMariaDb() throws SQLException {
        return ForeignServer.strings(owner, "SELECT VERSION()").get(0).contains("MariaDB");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id INT PRIMARY KEY                                             | n
            id BIGINT UNSIGNED PRIMARY KEY                                 | 18446744073709551615 - n * 1000000007
            id DECIMAL(20,3) PRIMARY KEY                                   | n / 8 - 300
            tenant INT, id INT, PRIMARY KEY (tenant, id)                   | n % 7, n
            kind VARCHAR(20), id INT, PRIMARY KEY (kind, id)               | CONCAT('kind ', n % 3), n
            id CHAR(32) CHARACTER SET latin1 PRIMARY KEY                   | MD5(n)
            id BINARY(16) PRIMARY KEY                                      | UNHEX(MD5(n))
            id CHAR(32) CHARACTER SET utf16 PRIMARY KEY                    | MD5(n)
            kind ENUM('b','a','c'), id INT, PRIMARY KEY (kind, id DESC)    | 1 + n % 3, n
            id INT, at DATETIME(3), PRIMARY KEY (id, at)                   | n, DATE_ADD('2026-01-01', INTERVAL n HOUR)
            at TIMESTAMP(6) NOT NULL, PRIMARY KEY (at DESC)                | DATE_ADD('2026-01-01', INTERVAL n HOUR)
            day DATE, length TIME, PRIMARY KEY (day, length)               | DATE_ADD('2026-01-01', INTERVAL n % 7 DAY), SEC_TO_TIME(n)
            id BIT(40) PRIMARY KEY                                         | n * 1000003
            id INT NULL, other INT NOT NULL, UNIQUE (id), UNIQUE u (other) | NULL, n
            """)
    void ofALargeTableASampleIsReadFromAllOverIt(String definition, String keys) throws Exception {
        execute("CREATE TABLE own.many (" + definition + ", v MEDIUMBLOB)");
        // MySQL may have no MD5(); SHA2() is like it
        fill("many", keys.replace("MD5(n)", "LEFT(SHA2(n, 256), 32)"), 10_000);

        Values values = read("own.many.v");

        List<Integer> numbers = texts(values).stream()
                .map(text -> Integer.valueOf(text.substring(0, 8)))
                .toList();
        assertThat(numbers).hasSize(SampleLimits.OF_STUDY.maxValues()).doesNotHaveDuplicates();
        for (int tenth = 0; tenth < 10; tenth++) {
            int its = tenth;
            assertThat(numbers.stream().filter(n -> n / 1_000 == its).count())
                    .as("of the rows %d000 to %d999", its, its)
                    .isGreaterThan(20);
        }
        if (!keys.contains(",") && !keys.contains("MD5")) {
            assertThat(values.origin().get("of all keys, ppm")).isBetween(80_000L, 200_000L);
        }
        assertThat(texts(read("own.many.v"))).isEqualTo(texts(values));
    }

    /** As the server's own log has it. */
    @Test
    void theServerIsOnlyReadAndOnlyInSmallRanges() throws Exception {
        execute("CREATE TABLE own.many (id INT PRIMARY KEY, v MEDIUMBLOB)");
        fill("many", "n", 5_000);
        execute("SET GLOBAL log_output = 'TABLE'");
        execute("TRUNCATE mysql.general_log");
        execute("SET GLOBAL general_log = ON");
        try {
            read("own.many.v");
        } finally {
            execute("SET GLOBAL general_log = OFF");
        }
        List<String> log = ForeignServer.strings(
                owner,
                "SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log WHERE command_type IN ('Query', 'Execute')"
                        + " AND thread_id <> CONNECTION_ID()");

        assertThat(log).contains("SET SESSION TRANSACTION READ ONLY");
        assertThat(log.stream().filter(sql -> sql.contains("`own`.`many`")))
                .hasSizeGreaterThan(100)
                .allMatch(sql -> sql.matches("(?s).* LIMIT (0|1|8|1001)"))
                .filteredOn(sql -> sql.contains("LENGTH("))
                .allMatch(sql -> sql.contains("FORCE INDEX (`PRIMARY`) WHERE (`id` >= "));
        assertThat(log)
                .noneMatch(
                        sql -> sql.matches("(?is).*\\b(COUNT|OFFSET|INSERT|UPDATE|DELETE|CREATE|LOCK)\\b.*\\bmany.*"));
    }

    @Test
    void asManyValuesAreReadAsTheLimitAllows() throws Exception {
        execute("CREATE TABLE own.many (id INT PRIMARY KEY, v MEDIUMBLOB)");
        fill("many", "n", 9_000);

        for (int most : new int[] {50, 5_000}) {
            Values values = column(server.endpoint(), "own.many.v", limits(most, 1 << 20, 10_000), FREE)
                    .values(0, 0);
            assertThat(texts(values)).hasSize(most).doesNotHaveDuplicates();
        }
        Values bytes = column(server.endpoint(), "own.many.v", limits(5_000, 10_000, 10_000), FREE)
                .values(0, 0);
        assertThat(texts(bytes).stream().mapToInt(String::length).sum()).isBetween(9_800, 10_000);
    }

    /** Limits that cut values at 1,000 bytes. */
    private static final SampleLimits CUT = new SampleLimits(200, 100_000, 10_000, OptionalInt.of(1_000));

    private TableColumn.Sample sample(String name, SampleLimits most) throws Exception {
        try (TableSession session = TableSession.open(server.endpoint(), FREE, () -> {}, notes::add)) {
            return session.read(TableColumn.named(name), 42, most, directory.resolve("sample"));
        }
    }

    @Test
    void longValuesAreCutAndTheirLengthIsKnown() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf16, j JSON)");
        execute(
                "INSERT INTO own.some VALUES (1, REPEAT('a', 2000), JSON_OBJECT('k', REPEAT('b', 5000))), (2, 'b', NULL)");

        TableColumn.Sample text = sample("own.some.v", CUT);
        assertThat(text.rows()).containsExactly(new TableColumn.Row(0, 1_000, 4_000), new TableColumn.Row(1_000, 2, 2));
        assertThat(Files.readAllBytes(text.file())).startsWith(0, 'a', 0, 'a').hasSize(1_002);
        assertThat(sample("own.some.j", CUT).rows()).containsExactly(new TableColumn.Row(0, 1_000, 5_009));
    }

    @Test
    void everyRowBelongsToARange() throws Exception {
        execute("CREATE TABLE own.many (id INT PRIMARY KEY, v BLOB)");
        fill("many", "n", 5_000);
        execute("UPDATE own.many SET v = NULL WHERE id % 2 = 0");

        TableColumn.Sample sample = sample("own.many.v", CUT);

        assertThat(sample.ranges()).hasSizeGreaterThan(16).allMatch(range -> range.rows() > 0);
        assertThat(sample.ranges().stream()
                        .mapToInt(TableColumn.KeyRange::values)
                        .sum())
                .isEqualTo(200)
                .isEqualTo(sample.rows().size());
        assertThat(sample.ranges().stream().mapToInt(TableColumn.KeyRange::rows).sum())
                .isEqualTo(200 + sample.skipped().get("NULL"));
        assertThat(sample.ranges().stream()
                        .mapToLong(TableColumn.KeyRange::bytes)
                        .sum())
                .isEqualTo(sample.rows().stream()
                        .mapToLong(TableColumn.Row::length)
                        .sum());
    }

    /** Few rows that are too long to be read whole. */
    @Test
    void fewLongValuesAreFromAllOverTheTable() throws Exception {
        execute("CREATE TABLE own.few (id INT PRIMARY KEY, v MEDIUMBLOB)");
        execute(
                "INSERT INTO own.few SELECT ones.d + 10 * tens.d, RPAD(LPAD(ones.d + 10 * tens.d, 8, '0'), 100000, 'x') FROM "
                        + DIGITS + " ones, " + DIGITS + " tens");
        execute("ANALYZE TABLE own.few");

        TableValues column = column(server.endpoint(), "own.few.v", limits(200, 2_500_000, 10_000), FREE);

        List<Integer> numbers = texts(column.values(0, 0)).stream()
                .map(text -> Integer.valueOf(text.substring(0, 8)))
                .toList();
        assertThat(numbers).hasSize(25).doesNotHaveDuplicates();
        assertThat(numbers.stream().filter(n -> n < 50).count()).isBetween(5L, 20L);
        assertThat(column.values(0, 0).whole().orElseThrow().isEstimated()).isTrue();
        assertThat(column(server.endpoint(), "own.few.v", limits(200, 20_000_000, 10_000), FREE)
                        .values(0, 0)
                        .whole()
                        .orElseThrow()
                        .isEstimated())
                .isFalse();
    }

    private static SampleLimits limits(int values, long bytes, int millis) {
        return new SampleLimits(values, bytes, millis);
    }

    /** A value for which the server computes the digest of 20 MB three times while it reads the row. */
    private static final String SLOW = IntStream.range(0, 3)
            .mapToObj(i -> "SHA2(REPEAT('" + i + "', 20000000), 512)")
            .collect(Collectors.joining(", ", "CONCAT(", ")"));

    @ParameterizedTest
    @CsvSource({"40", "3000"})
    void rowsThatTakeTooLongAreSkippedAndTheOthersRead(int rows) throws Exception {
        execute("CREATE TABLE own.slow (id INT PRIMARY KEY, s INT NOT NULL)");
        execute(
                "INSERT INTO own.slow (id, s) SELECT n, n FROM (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM "
                        + DIGITS + " a, " + DIGITS + " b, " + DIGITS + " c, " + DIGITS + " e) numbers WHERE n < "
                        + rows);
        // added afterwards: MySQL would compute it for each row that is inserted
        execute("ALTER TABLE own.slow ADD v LONGBLOB AS (IF(id % 20 = 7, " + SLOW + ", CONCAT('fast ', s))) VIRTUAL");

        Values values = column(server.endpoint(), "own.slow.v", limits(60, 1 << 20, 100), FREE)
                .values(0, 0);

        List<Integer> numbers = texts(values).stream()
                .map(text -> Integer.valueOf(text.replace("fast ", "")))
                .toList();
        assertThat(numbers)
                .hasSize(rows == 40 ? 38 : 60)
                .doesNotHaveDuplicates()
                .noneMatch(id -> id % 20 == 7);
        assertThat(values.sizes().skipped()).containsOnlyKeys("took longer than 100 ms");
        if (rows == 40) {
            assertThat(values.sizes().skipped()).containsValue(2);
        }
    }

    @Test
    void aColumnOfWhichNothingCanBeReadInTimeIsAnError() throws Exception {
        execute("CREATE TABLE own.slow (id INT PRIMARY KEY)");
        execute("INSERT INTO own.slow (id) SELECT d FROM " + DIGITS + " digits");
        execute("ALTER TABLE own.slow ADD v LONGBLOB AS (CONCAT(id, " + SLOW + ")) VIRTUAL");

        assertThatThrownBy(() -> column(server.endpoint(), "own.slow.v", limits(60, 1 << 20, 100), FREE))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("table:own.slow.v: no value could be read within 100 ms (the server ended ")
                .hasMessageEndingWith("allow more time for a statement, or read when the server has less to do");
    }

    @Test
    void rowsWithoutAValueAreCounted() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v LONGBLOB)");
        execute("INSERT INTO own.some VALUES (1, NULL), (2, ''), (3, 'three'), (4, NULL)");
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO own.some VALUES (5, ?)")) {
            insert.setBytes(1, new byte[TableColumn.MAX_BYTES + 1]);
            insert.execute();
        }

        Values values = read("own.some.v");

        assertThat(texts(values)).containsExactly("three");
        assertThat(values.sizes().skipped())
                .containsEntry("NULL", 2)
                .containsEntry("empty", 1)
                .hasSize(3)
                .hasEntrySatisfying(
                        "longer than " + longest() + " bytes",
                        n -> assertThat(n).isEqualTo(1));
    }

    private long longest() throws SQLException {
        long packet = Long.parseLong(
                ForeignServer.strings(owner, "SELECT @@max_allowed_packet").get(0));
        return Math.min(TableColumn.MAX_BYTES, packet - 65_536);
    }

    @Test
    void textAndJsonAreTheirBytesAndNamesMayHoldAnything() throws Exception {
        execute(
                "CREATE TABLE own.`my.table` (`select` INT PRIMARY KEY, l VARCHAR(9) CHARACTER SET latin1, j JSON, `a``b` TEXT)");
        execute("INSERT INTO own.`my.table` VALUES (1, 'ä', '{\"k\": \"ä\"}', 'ä')");

        assertThat(read("own.`my.table`.l").get(0)).containsExactly(0xE4);
        assertThat(texts(read("own.`my.table`.j"))).containsExactly("{\"k\": \"ä\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            own.none.v  | table:own.none.v: the server has no such table ( | ); correct the name, or name the server that has the table with --data-server
            other.t.v   | table:other.t.v: the server has no such table (  | with --data-server
            own.a.w     | table:own.a.w: the table has no column 'w'; it has id, v, n, t | it has id, v, n, t
            own.a.n     | the column is of type double, and holds neither bytes nor text | ; name one that does: v, t
            own.a.v     | table:own.a.v: the table is empty                | ; name one that has rows
            own.seen.v  | table:own.seen.v: it is a view                   | ; name the table that the view reads
            own.heap.v  | table:own.heap.v: the table has no primary key   | ; add one, or export a sample and use it as jsonl:FILE
            own.b.v     | table:own.b.v: none of the 2 rows that were read has a usable value (skipped: {NULL=2}) | bytes
            """)
    void whatCannotBeReadIsSaidWithItsMend(String name, String begins, String ends) throws Exception {
        execute("CREATE TABLE own.a (id INT PRIMARY KEY, v BLOB, n DOUBLE, t TEXT)");
        execute("CREATE TABLE own.b (id INT PRIMARY KEY, v BLOB)");
        execute("INSERT INTO own.b (id) VALUES (1), (2)");
        execute("CREATE VIEW own.seen AS SELECT * FROM own.a");
        execute("CREATE TABLE own.heap (id INT NULL UNIQUE, d DATE NULL UNIQUE, v BLOB, UNIQUE (v(5)))");

        assertThatThrownBy(() -> read(name))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(begins)
                .hasMessageEndingWith(ends);
    }

    @Test
    void anAccountThatMayNotReadIsToldTheGrant() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v BLOB)");
        fill("some", "n", 10);
        execute("CREATE USER 'reader'@'%' IDENTIFIED BY 'its own'");
        Endpoint door = server.endpoint();
        Endpoint reader = new Endpoint(door.host(), door.port(), "reader", "its own");
        String grant = "GRANT SELECT ON `own`.`some` TO 'reader'@'%'";

        assertThatThrownBy(() -> read(reader, "own.some.v", FREE))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("the account may not read the table")
                .hasMessageEndingWith("; " + grant);
        execute(grant);

        assertThat(read(reader, "own.some.v", FREE).count()).isEqualTo(10);
    }

    @Test
    void aServerWithTooMuchToDoIsLeftAlone() throws Exception {
        execute("CREATE TABLE own.some (id INT PRIMARY KEY, v BLOB)");
        fill("some", "n", 1_000);
        LoadLimits none = LoadLimits.parse("Uptime=0");
        ToleratedLoad critical = new ToleratedLoad(Optional.of(LoadLimits.NONE), none);

        assertThatThrownBy(() -> read(server.endpoint(), "own.some.v", critical))
                .isInstanceOf(CriticalLoadException.class)
                .hasMessageContaining("ended by --critical-load: uptime = ");

        ToleratedLoad own =
                new ToleratedLoad(Optional.of(LoadLimits.parse("Threads_connected=" + connections())), LoadLimits.NONE);
        assertThat(read(server.endpoint(), "own.some.v", own).count()).isEqualTo(SampleLimits.OF_STUDY.maxValues());
        assertThat(notes).isEmpty();
    }

    /** Of others than the reader's. */
    private long connections() throws SQLException {
        return new HashSet<>(ForeignServer.strings(owner, "SELECT id FROM information_schema.processlist")).size();
    }

    @ParameterizedTest
    @CsvSource({
        "id INT, id, n",
        "id BIGINT UNSIGNED, id, n * 1000000000000000",
        "'tenant VARCHAR(20) CHARACTER SET latin1, id BINARY(8)', 'tenant, id', 'IF(n < 4000, ''größer'', CONCAT(''t\\\\'', n)), UNHEX(LPAD(HEX(n * 7919), 16, ''0''))'",
        "'place DECIMAL(20,6)', place, n * 0.00001",
        "'id INT, at TIMESTAMP', 'id DESC, at', 'n, DATE_ADD(''2026-10-24'', INTERVAL n MINUTE)'",
        "'kind ENUM(''b'', ''a''), at TIME(2)', 'kind, at', '1 + n % 2, SEC_TO_TIME(n)'"
    })
    void aWholeColumnIsReadInParts(String columns, String names, String key) throws Exception {
        execute("CREATE TABLE own.whole (" + columns + ", v BLOB, PRIMARY KEY (" + names + "))");
        fill("whole", key, 5_000);
        execute("UPDATE own.whole SET v = NULL WHERE v LIKE '00001234%'");
        execute("UPDATE own.whole SET v = '' WHERE v LIKE '00001235%'");
        execute("ANALYZE TABLE own.whole");

        assertThat(inParts("own.whole.v", 50_000, Optional.empty())).isEqualTo(5_000);
        execute("DELETE FROM own.whole");
        assertThat(inParts("own.whole.v", 50_000, Optional.empty())).isZero();
    }

    @Test
    void valuesOfAWholeColumnAreWhatIsStored() throws Exception {
        execute("CREATE TABLE own.texts (id INT PRIMARY KEY, v TEXT CHARACTER SET latin1)");
        execute("INSERT INTO own.texts VALUES (1, 'größer')");
        assertThat(inParts("own.texts.v", 50_000, Optional.of("größer".getBytes(StandardCharsets.ISO_8859_1))))
                .isEqualTo(1);
        execute("CREATE TABLE own.large (id INT PRIMARY KEY, v LONGBLOB)");
        execute("INSERT INTO own.large VALUES (1, REPEAT('x', 9000000))");
        execute("UPDATE own.large SET v = CONCAT(v, v)");
        assertThatThrownBy(() -> inParts("own.large.v", 50_000, Optional.empty()))
                .hasMessageContaining("18000000 bytes");
        assertThatThrownBy(() -> inParts("own.large.w", 50_000, Optional.empty()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("no column 'w'");
    }

    /**
     * Reads all parts by connections of their own, and checks that no row is read twice. Returns the number of rows.
     */
    private int inParts(String column, long partBytes, Optional<byte[]> value) throws Exception {
        Endpoint endpoint = server.endpoint();
        List<WholeColumn.TablePart> parts;
        try (TableSession session = TableSession.open(endpoint, FREE, () -> {}, notes::add)) {
            parts = WholeColumn.parts(session.connection(), TableColumn.named(column), partBytes);
        }
        List<String> read = new ArrayList<>();
        for (WholeColumn.TablePart part : parts) {
            try (Connection connection = new org.mariadb.jdbc.Driver()
                            .connect(
                                    JdbcDriver.MARIADB.url(endpoint, ""),
                                    JdbcDriver.MARIADB.propertiesForReading(endpoint));
                    PreparedStatement select = connection.prepareStatement(part.sql())) {
                for (int i = 0; i < part.parameters().size(); i++) {
                    select.setObject(i + 1, part.parameters().get(i));
                }
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        byte[] bytes = row.getBytes(2);
                        if (bytes == null && row.getLong(1) > 0) {
                            throw new IllegalStateException(row.getLong(1) + " bytes");
                        }
                        value.ifPresent(expected -> assertThat(bytes).isEqualTo(expected));
                        read.add(bytes == null ? "NULL" : new String(bytes, StandardCharsets.UTF_8));
                    }
                }
            }
        }
        assertThat(read).doesNotHaveDuplicates();
        if (read.size() > 1) {
            assertThat(parts).hasSizeGreaterThan(5);
            assertThat(read).contains("NULL", "");
        }
        return read.size();
    }
}
