package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.KeyBounds;
import dev.blobmark.mysql.table.KeyColumn;
import dev.blobmark.mysql.table.KeyColumn.Kind;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.change.SqlFeedSession;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.verify.Verified;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.type.TypeReference;

/** Keys of all types, on a server of either product whose defaults are hostile. */
abstract class KeyContract extends OnServer {

    private static final int SEEDS = Integer.getInteger("blobmark.test.seeds", 40);
    private static final int ROWS = 80;
    private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

    /** Under these, dates are not stored, CHAR is read with spaces, and times are not UTC. */
    static final Map<String, String> HOSTILE =
            Map.of("sql_mode", "TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH", "default_time_zone", "+05:30");

    /** Makes tables as nobody would be allowed to under the server's defaults. */
    private Connection making() throws SQLException {
        Connection connection = users.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'");
        }
        return connection;
    }

    /** All collations with the names that a column takes. */
    abstract String collations();

    /** Whether a CHAR with a collation can be a key. */
    abstract boolean isForChar(String collation);

    private List<RandomKeys.Collation> readCollations() throws SQLException {
        List<RandomKeys.Collation> found = new ArrayList<>();
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(collations())) {
            while (row.next()) {
                found.add(new RandomKeys.Collation(
                        row.getString(1), row.getString(2), row.getInt(3), isForChar(row.getString(1))));
            }
        }
        assertThat(found).hasSizeGreaterThan(100);
        return found;
    }

    static List<Integer> seeds() {
        int first = Integer.getInteger("blobmark.test.firstSeed", 1);
        return IntStream.range(first, first + SEEDS).boxed().toList();
    }

    /** Each row has a number. The order of the index is that of comparisons which do not use it. */
    @ParameterizedTest
    @MethodSource("seeds")
    void eachRowIsReadOnceInOrderAndFoundByItsKey(int seed) throws Exception {
        RandomKeys random = new RandomKeys(seed, readCollations());
        int count = 1 + random.next(3);
        List<RandomKeys.Column> columns =
                IntStream.range(0, count).mapToObj(i -> random.column()).toList();
        String definition = IntStream.range(0, count)
                .mapToObj(i -> "k" + i + " " + columns.get(i).type() + " NOT NULL")
                .collect(Collectors.joining(", "));
        String parts = IntStream.range(0, count)
                .mapToObj(i -> "k" + i + (random.next(3) == 0 ? " DESC" : ""))
                .collect(Collectors.joining(", "));
        String name = random.next(2) == 0 ? "PRIMARY" : "u";
        String create = "CREATE TABLE shop.random (" + definition + ", n INT NOT NULL, payload BLOB, "
                + (name.equals("u") ? "UNIQUE KEY u" : "PRIMARY KEY") + " (" + parts + ")) ENGINE=InnoDB";
        List<Integer> expected = new ArrayList<>();
        try (Connection making = making();
                Statement statement = making.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS shop.random");
            statement.execute(create);
            for (int n = 0; n < ROWS; n++) {
                statement.execute("INSERT IGNORE INTO shop.random VALUES ("
                        + columns.stream().map(column -> column.literal().get()).collect(Collectors.joining(", "))
                        + ", " + n + ", '" + n + "')");
            }
            // not sorted: MySQL 9.7.4 sorts text of big5 and gb18030 otherwise than it compares it
            try (ResultSet row =
                    statement.executeQuery("SELECT n FROM shop.random FORCE INDEX (" + name + ") ORDER BY " + parts)) {
                while (row.next()) {
                    expected.add(row.getInt(1));
                }
            }
            try (ResultSet row =
                    statement.executeQuery("SELECT COUNT(*) FROM shop.random IGNORE INDEX (" + name + ")")) {
                row.next();
                assertThat(expected).hasSize(row.getInt(1)).doesNotHaveDuplicates();
            }
        }
        TableColumn column = TableColumn.named("shop.random.payload");
        try (Connection connection = users.connect();
                Connection other = JdbcDriver.connectForChanging(server.endpoint())) {
            WritingConnection.prepare(other);
            TableKey key = TableKey.of(connection, column);
            List<Row> rows = readAll(new RowReader(connection, column, key, 1 << 20), random);
            assertThat(numbers(rows)).as(create).isEqualTo(expected);
            assertThat(numbers(readBetween(connection, column, key, keys(rows), random)))
                    .as(create)
                    .isEqualTo(expected);
            for (int i = 0; i < rows.size(); i++) {
                List<Object> of = rows.get(i).key();
                assertThat(key.parse(key.texts(of))).isEqualTo(of);
                String json = State.MAPPER.writeValueAsString(key.texts(of));
                assertThat(key.parse(State.MAPPER.readValue(json, TEXTS))).isEqualTo(of);
                assertThat(key.readable(of)).doesNotContainPattern("[\\x00-\\x1F\\x7F]");
                String place = create + " " + key.readable(of);
                assertThat(found(other, key, of)).as(place).isEqualTo(List.of(expected.get(i)));
                assertThat(compared(other, key.after(of), name))
                        .as(place)
                        .containsExactlyInAnyOrderElementsOf(expected.subList(i + 1, expected.size()));
            }
            assertThat(numbers(new RowReader(other, column, key, 1 << 20).findAll(keys(rows))))
                    .as(create)
                    .containsExactlyInAnyOrderElementsOf(expected);
            other.rollback();
            List<List<Object>> bounds = KeyBounds.of(connection, key, 5, RandomSource.XO_RO_SHI_RO_128_PP.create(seed));
            assertThat(keys(rows)).containsAll(bounds);
            RowReader reader = new RowReader(connection, column, key, 1 << 20);
            List<Row> divided = new ArrayList<>();
            Optional<List<Object>> after = Optional.empty();
            for (List<Object> bound : bounds) {
                divided.addAll(reader.between(after, bound));
                after = Optional.of(bound);
            }
            divided.addAll(reader.between(after, rows.get(rows.size() - 1).key()));
            assertThat(numbers(divided)).as(create).isEqualTo(expected);
        }
    }

    private static List<Row> readAll(RowReader reader, RandomKeys random) throws SQLException {
        List<Row> rows = new ArrayList<>();
        Optional<List<Object>> after = Optional.empty();
        while (rows.size() <= ROWS) {
            List<Row> next = reader.next(after, Optional.empty(), 1 + random.next(8));
            if (next.isEmpty()) {
                break;
            }
            rows.addAll(next);
            after = Optional.of(next.get(next.size() - 1).key());
        }
        return rows;
    }

    /** In ranges between two keys, and within each by steps. */
    private static List<Row> readBetween(
            Connection connection, TableColumn column, TableKey key, List<List<Object>> keys, RandomKeys random)
            throws SQLException {
        RowReader reader = new RowReader(connection, column, key, 1 << 20);
        List<Row> rows = new ArrayList<>();
        Optional<List<Object>> after = Optional.empty();
        for (int i = random.next(6);
                after.isEmpty() || !after.get().equals(keys.get(keys.size() - 1));
                i += 1 + random.next(6)) {
            List<Object> last = keys.get(Math.min(i, keys.size() - 1));
            List<Row> range = reader.between(after, last);
            Optional<List<Object>> step = after;
            List<Row> steps = new ArrayList<>();
            for (List<Row> next = reader.next(step, Optional.of(last), 1);
                    !next.isEmpty() && steps.size() <= ROWS;
                    next = reader.next(step, Optional.of(last), 1)) {
                steps.addAll(next);
                step = Optional.of(next.get(next.size() - 1).key());
            }
            assertThat(keys(steps)).isEqualTo(keys(range));
            rows.addAll(range);
            after = Optional.of(last);
        }
        return rows;
    }

    private static List<List<Object>> keys(List<Row> rows) {
        return rows.stream().map(Row::key).toList();
    }

    private static List<Integer> numbers(List<Row> rows) {
        return rows.stream()
                .map(row -> Integer.parseInt(new String(row.stored().orElseThrow(), StandardCharsets.US_ASCII)))
                .toList();
    }

    /** Rows of a range. All are compared. */
    private static List<Integer> compared(Connection connection, TableKey.Range range, String index)
            throws SQLException {
        String sql = range.sql().replace("FORCE INDEX (`" + index + "`)", "IGNORE INDEX (`" + index + "`)");
        assertThat(sql).isNotEqualTo(range.sql());
        List<Integer> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT n" + sql)) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(row.getInt(1));
                }
            }
        }
        return found;
    }

    private static List<Integer> found(Connection connection, TableKey key, List<Object> of) throws SQLException {
        List<Integer> found = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("SELECT n FROM shop.random WHERE " + key.condition())) {
            key.bind(select, 1, of);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(row.getInt(1));
                }
            }
        }
        return found;
    }

    private static final int MANY = 2_000;

    /** Rows whose key is made from a number. */
    private TableKey many(Connection connection, String columns, String parts, String values) throws Exception {
        String digits = "(SELECT 0 AS d"
                + IntStream.range(1, 10).mapToObj(d -> " UNION ALL SELECT " + d).collect(Collectors.joining()) + ")";
        try (Connection making = making();
                Statement statement = making.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS shop.many");
            statement.execute("CREATE TABLE shop.many (" + columns + ", payload BLOB, PRIMARY KEY (" + parts
                    + ")) ENGINE=InnoDB");
            statement.execute("INSERT INTO shop.many SELECT " + values
                    + ", REPEAT('{\"paid\": true}, ', 30) FROM (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM "
                    + digits + " a, " + digits + " b, " + digits + " c, (SELECT 0 AS d UNION ALL SELECT 1) e) numbers");
            statement.execute("ANALYZE TABLE shop.many");
        }
        return TableKey.of(connection, TableColumn.named("shop.many.payload"));
    }

    /** A range is read from its first row on, wherever it begins. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "k BIGINT UNSIGNED | k | 18446744073709551615 - n",
                "k DECIMAL(30,6) | k | n / 8",
                "a YEAR, k INT | a, k | 2000 + n % 100, n",
                "k BIT(64) | k | 18446744073709551615 - n",
                "a ENUM('c','b','a'), k INT | a, k | 1 + n % 3, n",
                "a SET('c','b','a'), k INT | a, k | n % 8, n",
                "k DATE | k | DATE_ADD('2026-01-01', INTERVAL n DAY)",
                "k DATETIME(3) | k | DATE_ADD('2026-01-01', INTERVAL n HOUR)",
                "k TIMESTAMP | k | DATE_ADD('2026-01-01', INTERVAL n HOUR)",
                "k TIME(2) | k | SEC_TO_TIME(n - 1000)",
                "a INT, k DATETIME | a DESC, k | n % 5, DATE_ADD('2026-01-01', INTERVAL n HOUR)",
                "a INT, k INT | a, k DESC | n % 5, n",
                "k VARCHAR(20) CHARACTER SET latin1 | k | CONCAT(CONVERT(x'81' USING latin1), n)",
                "k VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin | k | CONCAT(CONVERT(x'9D' USING latin1), n)",
                "k CHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci | k | CONCAT('ß', n)",
                "k VARCHAR(20) CHARACTER SET utf8mb3 | k | CONCAT('é', n)",
                "k CHAR(20) CHARACTER SET ascii | k | n",
                "k VARCHAR(20) CHARACTER SET cp1251 | k | CONCAT('д', n)",
                "k VARCHAR(20) CHARACTER SET gbk | k | CONCAT('日', n)",
                "k VARCHAR(20) CHARACTER SET sjis | k | CONCAT('カ', n)",
                "k VARCHAR(20) CHARACTER SET utf16 | k | CONCAT('😀', n)",
                "a VARCHAR(20) COLLATE utf8mb4_general_ci, k INT | a, k | IF(n % 2, 'é ', 'E'), n",
                "k BINARY(16) | k | UNHEX(LEFT(SHA2(n, 256), 32))",
            })
    void rangesAreReadFromTheIndex(String columns, String parts, String values) throws Exception {
        try (Connection connection = users.connect()) {
            TableKey key = many(connection, columns, parts, values);
            List<List<Object>> keys = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(
                            "SELECT " + key.selected() + key.all().sql());
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    keys.add(key.read(row, 1));
                }
            }
            assertThat(keys).hasSize(MANY);
            for (int from : new int[] {0, MANY / 2, MANY - 30}) {
                List<Object> after = keys.get(from);
                List<Object> last = keys.get(from + 20);
                assertIsRange(connection, key.after(after), 10);
                assertIsRange(connection, key.between(Optional.of(after), last), 20);
            }
            assertThat(explained(
                            connection,
                            "SELECT payload FROM shop.many WHERE " + key.condition(),
                            select -> key.bind(select, 1, keys.get(7))))
                    .containsEntry("type", "const");
        }
    }

    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private static Map<String, String> explained(Connection connection, String sql, Binding binding)
            throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN FORMAT=TRADITIONAL " + sql)) {
            binding.bind(explain);
            try (ResultSet row = explain.executeQuery()) {
                row.next();
                return Map.of(
                        "type", String.valueOf(row.getString("type")), "extra", String.valueOf(row.getString("Extra")));
            }
        }
    }

    private static void assertIsRange(Connection connection, TableKey.Range range, int rows) throws SQLException {
        String sql = "SELECT payload" + range.sql() + " LIMIT " + rows;
        Map<String, String> plan = explained(connection, sql, range::bind);
        assertThat(plan).as(sql).containsEntry("type", "range");
        assertThat(plan.get("extra")).as(sql).doesNotContain("filesort");
        long before = handled(connection);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                int found = 0;
                while (row.next()) {
                    found++;
                }
                assertThat(found).as(sql).isEqualTo(rows);
            }
        }
        assertThat(handled(connection) - before).as("rows read by " + sql).isLessThan(2L * rows + 10);
    }

    /** Rows that the server's engine has read for this session. */
    private static long handled(Connection connection) throws SQLException {
        long sum = 0;
        for (String name : List.of("first", "key", "last", "next", "prev", "rnd", "rnd_next")) {
            sum += Long.parseLong(JdbcDriver.status(connection, "Handler_read_" + name));
        }
        return sum;
    }

    /** In place and back, while the server's defaults would compare with other values. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "k VARCHAR(20) CHARACTER SET latin1 | k | CONCAT(CONVERT(UNHEX(ELT(1 + n % 5, '81', '8D', '8F', '90', '9D')) USING latin1), n)",
                "id INT, created_at DATETIME(3) | id, created_at | n, DATE_ADD('2026-01-01 10:00:00.123', INTERVAL n HOUR)",
                "id INT, created_at DATE | id, created_at | n, IF(n % 2, '0000-00-00', IF(n % 4, '2026-02-31', '2026-11-00'))",
                "created_at TIMESTAMP(6), id INT | created_at, id | IF(n % 3, DATE_ADD('2026-10-25', INTERVAL n MINUTE), '0000-00-00'), n",
                "a TIME(1), b YEAR, c BIT(12) | a DESC, b, c | SEC_TO_TIME(n % 40 - 20), 2000 + n % 20, n",
                "a ENUM('c','b','a'), b SET('x','y','z'), c DECIMAL(20,4) | a, b DESC, c | 1 + n % 3, n % 8, n / 8",
                "a CHAR(10) CHARACTER SET gbk, b VARCHAR(10) CHARACTER SET utf16, c CHAR(4) CHARACTER SET sjis | a, b, c | CONCAT('日', n % 9), IF(n % 2, '', '😀 '), n",
            })
    void rowsAreChangedInPlaceAndBack(String columns, String parts, String values) throws Exception {
        try (Connection connection = users.connect()) {
            many(connection, columns, parts, values);
        }
        String digest = "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('#', "
                + Arrays.stream(parts.split(", "))
                        .map(part -> "HEX(" + part.split(" ")[0] + ")")
                        .collect(Collectors.joining(", "))
                + ", HEX(payload)))) FROM shop.many";
        String before = users.pair(digest);
        Outcome outcome = reencoding("shop.many.payload").change(Before.RAW, new Target("zstd:3", ALL));
        assertThat(outcome.last().rows()).isEqualTo(MANY);
        assertThat(outcome.last().changed()).isEqualTo(MANY);
        assertThat(users.single("SELECT COUNT(*) FROM shop.many WHERE payload LIKE CONCAT(x'BEC1', '%')"))
                .isEqualTo(Integer.toString(MANY));
        Verified verified = reencoding("shop.many.payload").verify();
        assertThat(verified.rows()).isEqualTo(MANY);
        assertThat(verified.same()).isEqualTo(verified.ranges());
        reencoding("shop.many.payload").revert();
        assertThat(users.pair(digest)).isEqualTo(before);
        reencoding("shop.many.payload").finish();
    }

    /** As most tables that are partitioned by time. */
    @Test
    void aTablePartitionedByTimeIsChangedInPlace() throws Exception {
        users.execute(
                "CREATE TABLE shop.events (id BIGINT NOT NULL, created_at DATETIME NOT NULL, payload BLOB, PRIMARY KEY (id,"
                        + " created_at)) ENGINE=InnoDB PARTITION BY RANGE COLUMNS (created_at) (PARTITION p1 VALUES LESS"
                        + " THAN ('2026-06-01'), PARTITION p2 VALUES LESS THAN (MAXVALUE))",
                "INSERT INTO shop.events VALUES (1, '2026-05-01 10:00:00', REPEAT('x', 500)), (1, '2026-07-01 10:00:00',"
                        + " REPEAT('y', 500)), (2, '2026-05-01 10:00:00', REPEAT('z', 500))");
        Outcome outcome = reencoding("shop.events.payload").change(Before.RAW, new Target("zstd:3", ALL));
        assertThat(outcome.last().changed()).isEqualTo(3);
        reencoding("shop.events.payload").revert();
        assertThat(users.single("SELECT GROUP_CONCAT(payload = REPEAT(LEFT(payload, 1), 500)) FROM shop.events"))
                .isEqualTo("1,1,1");
    }

    /** The clock of this zone is put back at 2026-10-25 01:00:00 UTC. */
    private void setAutumn() throws Exception {
        if (users.single("SELECT COUNT(*) FROM mysql.time_zone_name WHERE Name = 'Autumn'")
                .equals("0")) {
            users.execute(
                    "INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (77, 'N')",
                    "INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Autumn', 77)",
                    "INSERT INTO mysql.time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST,"
                            + " Abbreviation) VALUES (77, 0, 7200, 1, 'S'), (77, 1, 3600, 0, 'W')",
                    "INSERT INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES"
                            + " (77, 0, 0), (77, 1792890000, 1)");
        }
        users.execute("SET GLOBAL time_zone = 'Autumn'");
    }

    /** Two rows whose times are the same text in the time zone of the server. */
    @Test
    void anHourThatTheClockRepeatsIsTwoHours() throws Exception {
        setAutumn();
        try (Connection making = making();
                Statement statement = making.createStatement()) {
            statement.execute("CREATE TABLE shop.autumn (k TIMESTAMP PRIMARY KEY, payload BLOB, changed TIMESTAMP NULL"
                    + " DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP) ENGINE=InnoDB");
            statement.execute("INSERT INTO shop.autumn VALUES ('2026-10-25 00:30:00', REPEAT('x', 500), '2026-10-25"
                    + " 01:20:00'), ('2026-10-25 01:30:00', REPEAT('y', 500), '2026-10-25 00:20:00')");
        }
        String times = "SELECT GROUP_CONCAT(UNIX_TIMESTAMP(changed) ORDER BY payload) FROM shop.autumn";
        String before = users.single(times);
        try (Connection application = making();
                Statement statement = application.createStatement()) {
            statement.execute("SET time_zone = 'Autumn'");
            try (ResultSet row = statement.executeQuery("SELECT COUNT(DISTINCT CAST(k AS CHAR)) FROM shop.autumn")) {
                row.next();
                assertThat(row.getInt(1)).isOne();
            }
        }
        try {
            Outcome outcome = reencoding("shop.autumn.payload").change(Before.RAW, new Target("zstd:3", ALL));
            assertThat(outcome.last().changed()).isEqualTo(2);
            assertThat(outcome.last().rows()).isEqualTo(2);
            reencoding("shop.autumn.payload").revert();
            assertThat(users.single("SELECT GROUP_CONCAT(LENGTH(payload)) FROM shop.autumn"))
                    .isEqualTo("500,500");
            assertThat(users.single(times)).isEqualTo(before);
        } finally {
            users.execute("SET GLOBAL time_zone = '+05:30'");
        }
    }

    /** Triggers run in the application's session, whatever its time zone is and whatever dates it stores. */
    @Test
    void triggersWriteTheKeysThatAreRead() throws Exception {
        TableColumn column = TableColumn.named("shop.triggered.payload");
        setAutumn();
        try (Connection making = making();
                Statement statement = making.createStatement()) {
            statement.execute(
                    "CREATE TABLE shop.triggered (at TIMESTAMP(3) NOT NULL, day DATE NOT NULL, kind ENUM('b','a')"
                            + " NOT NULL, flags SET('b','a') NOT NULL, length TIME(1) NOT NULL, bits BIT(9) NOT NULL, name CHAR(9)"
                            + " CHARACTER SET latin1 NOT NULL, payload BLOB, PRIMARY KEY (at, day, kind, flags, length, bits,"
                            + " name)) ENGINE=InnoDB");
            statement.execute("INSERT INTO shop.triggered VALUES ('2026-10-25 00:30:00.5', '2026-02-31', 'a', 'a,b',"
                    + " '-838:59:59', 511, x'8120', 'x'), ('2026-10-25 01:30:00.5', '0000-00-00', 'b', '', '10:00:00.5', 0,"
                    + " '', 'x'), (0, '2026-00-00', 'b', 'a', 0, 1, x'9D', 'x')");
            statement.execute(
                    "INSERT IGNORE INTO shop.triggered VALUES ('2026-10-25 01:30:00.5', '2026-01-01', 'c', 'c', 0,"
                            + " 1, 'a', 'x')");
        }
        try (Connection connection = users.connect();
                Connection writing = JdbcDriver.connectForChanging(server.endpoint());
                Connection application = users.connect();
                Statement statement = application.createStatement()) {
            WritingConnection.prepare(writing);
            TableKey key = TableKey.of(connection, column);
            List<List<Object>> keys =
                    keys(new RowReader(connection, column, key, 100).next(Optional.empty(), Optional.empty(), 1 << 20));
            assertThat(keys).hasSize(4);
            try (Connection fresh = JdbcDriver.connectForChanging(server.endpoint())) {
                TriggerFeed.create(fresh, column, key);
            }
            statement.execute("SET SESSION sql_mode = 'TRADITIONAL'");
            statement.execute("UPDATE shop.triggered SET payload = 'y'");
            assertThat(new TriggerFeed().poll(new SqlFeedSession(server.endpoint(), writing, column, key), 100))
                    .hasSize(8)
                    .containsAll(keys);
            writing.rollback();
            TriggerFeed.drop(connection, column);
        } finally {
            users.execute("SET GLOBAL time_zone = '+05:30'");
        }
    }

    @Test
    void aSessionThatWasNotPreparedReadsNoKeys() throws Exception {
        users.execute("CREATE TABLE shop.unprepared (k TIMESTAMP PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        users.execute("INSERT INTO shop.unprepared VALUES ('2026-10-25 00:30:00', 'x')");
        try (Connection prepared = users.connect();
                Connection other = java.sql.DriverManager.getConnection(
                        JdbcDriver.MARIADB.url(server.endpoint(), "") + "?sslMode=disable&allowPublicKeyRetrieval=true",
                        server.endpoint().user(),
                        server.endpoint().password())) {
            TableKey key = TableKey.of(prepared, TableColumn.named("shop.unprepared.payload"));
            List<Object> of = key.parse(List.of("2026-10-25 00:30:00"));
            try (PreparedStatement select =
                    other.prepareStatement("SELECT payload FROM shop.unprepared WHERE " + key.condition())) {
                assertThatThrownBy(() -> key.bind(select, 1, of)).hasMessageContaining("time_zone +05:30");
            }
            try (PreparedStatement select =
                    other.prepareStatement("SELECT 1" + key.after(of).sql())) {
                assertThatThrownBy(() -> key.after(of).bind(select)).hasMessageContaining("time_zone +05:30");
            }
            try (Statement select = other.createStatement();
                    ResultSet row = select.executeQuery("SELECT " + key.selected() + " FROM shop.unprepared")) {
                row.next();
                assertThatThrownBy(() -> key.read(row, 1)).hasMessageContaining("time_zone +05:30");
            }
            assertThat(new RowReader(prepared, TableColumn.named("shop.unprepared.payload"), key, 100)
                            .next(Optional.empty(), Optional.empty(), 100))
                    .hasSize(1);
        }
    }

    /** The server would compare with NULL or with a question mark, and find no rows after it. */
    @Test
    void textThatIsNotFoundAgainEndsTheReading() throws Exception {
        TableColumn column = TableColumn.named("shop.recoded.payload");
        users.execute(
                "CREATE TABLE shop.recoded (k VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        try (Connection connection = users.connect()) {
            TableKey key = TableKey.of(connection, column);
            users.execute(
                    "ALTER TABLE shop.recoded MODIFY k VARCHAR(20) CHARACTER SET latin1",
                    "INSERT INTO shop.recoded VALUES ('a', 'x'), (CONVERT(x'81' USING latin1), 'x'), ('z', 'x')");
            RowReader reader = new RowReader(connection, column, key, 100);
            assertThatThrownBy(() -> reader.next(Optional.empty(), Optional.empty(), 1 << 20))
                    .hasMessageContaining("the key's column k has a value that the server does not find again")
                    .hasMessageContaining("utf8mb4");
        }
    }

    @Test
    void keysAreShownAsTextOrAsDigits() throws Exception {
        try (Connection connection = users.connect()) {
            users.execute(
                    "CREATE TABLE shop.shown (a VARCHAR(20) CHARACTER SET latin1, b VARCHAR(20) CHARACTER SET utf16,"
                            + " c VARBINARY(20), d BINARY(2), e INT, payload BLOB, PRIMARY KEY (a, b, c, d, e)) ENGINE=InnoDB");
            TableKey key = TableKey.of(connection, TableColumn.named("shop.shown.payload"));
            assertThat(key.readable(key.parse(List.of("gr\u00f6\u00dfer", "\u0000a", "id-7", "\u00be\u00c1", "7"))))
                    .isEqualTo("größer, a, id-7, 0xBEC1, 7");
            assertThat(key.readable(key.parse(List.of("\u0081", "\u0000", "\n", "ab", "-7"))))
                    .isEqualTo("0x81, 0x00, 0x0A, ab, -7");
        }
    }

    /** Others make the same keys from the binary log. */
    @Test
    void aKeyHasOneForm() throws Exception {
        TableColumn column = TableColumn.named("shop.form.payload");
        try (Connection making = making();
                Statement statement = making.createStatement();
                Connection connection = users.connect()) {
            statement.execute(
                    "CREATE TABLE shop.form (a DECIMAL(10, 3), b YEAR, c BIT(64), d ENUM('b', 'a'), e SET('b', 'a'),"
                            + " f DATETIME(3), g TIMESTAMP(2) NOT NULL, h TIME(1), i DATE, j CHAR(5) CHARACTER SET latin1, k CHAR(5)"
                            + " CHARACTER SET utf16, l BINARY(3), m BIGINT UNSIGNED, payload BLOB, PRIMARY KEY (a, b, c, d, e, f, g,"
                            + " h, i, j, k, l, m)) ENGINE=InnoDB");
            statement.execute(
                    "INSERT INTO shop.form VALUES (-1.5, 0, 18446744073709551615, 'a', 'a', '2026-11-26 10:00:00.1',"
                            + " '2026-11-26 10:00:00', '-00:00:00.5', '0000-00-00', x'8120', 'a', x'20', 18446744073709551615, 'x')");
            TableKey key = TableKey.of(connection, column);
            List<Row> rows =
                    new RowReader(connection, column, key, 100).next(Optional.empty(), Optional.empty(), 1 << 20);
            assertThat(key.texts(rows.get(0).key()))
                    .containsExactly(
                            "-1.500",
                            "0",
                            "18446744073709551615",
                            "2",
                            "2",
                            "2026-11-26 10:00:00.100",
                            "2026-11-26 10:00:00.00",
                            "-00:00:00.5",
                            "0000-00-00",
                            "\u0081",
                            "\u0000a",
                            " \u0000\u0000",
                            "18446744073709551615");
        }
    }

    /** What is wrong with each unique index is said, in words about changing rows. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "k FLOAT PRIMARY KEY | k is of type float, whose values are approximate",
                "k DOUBLE NOT NULL UNIQUE | k is of type double, whose values are approximate",
                "k VARCHAR(20) NOT NULL, UNIQUE (k(3)) | only the first 3 characters of k",
                "k INT UNIQUE | k may be NULL",
                "k SET('a','b','c','d','e','f','g','h','i','j','k') PRIMARY KEY | k is of type set with more than 900 possible values",
                "k INT | usable",
            })
    void aTableWithoutAnExactKeyIsRefused(String definition, String reason) throws Exception {
        users.execute(
                "DROP TABLE IF EXISTS shop.keyless",
                "CREATE TABLE shop.keyless (" + definition + ", payload BLOB) ENGINE=InnoDB");
        assertRefused(reason);
    }

    void assertRefused(String reason) {
        assertThatThrownBy(() -> reencoding("shop.keyless.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .hasMessageContaining(
                        "no primary key or other unique index that is usable, by which each row is found again")
                .hasMessageContaining(reason)
                .hasMessageNotContainingAny("sample", "jsonl");
    }

    /** A position that was written as characters is not one of bytes. */
    @Test
    void aPositionOfAnotherFormIsNotContinued() throws Exception {
        table("shop.older");
        assertThatThrownBy(() -> work("shop.older", begun("zstd:3"), stoppingAfter(2)))
                .isInstanceOf(StoppedException.class);
        users.execute("UPDATE shop.blobmark_reencode SET state = REPLACE(state, ' as bytes', '')");
        assertThat(forced("shop.older.payload")
                        .change(Before.RAW, new Target("zstd:3", ALL))
                        .last()
                        .rows())
                .isEqualTo(300);
        reencoding("shop.older.payload").finish();
    }

    @Test
    void anEnumOfManyMembersIsRefused() throws Exception {
        users.execute(
                "DROP TABLE IF EXISTS shop.keyless",
                "CREATE TABLE shop.keyless (k ENUM("
                        + IntStream.range(0, 1_000)
                                .mapToObj(i -> "'m" + i + "'")
                                .collect(Collectors.joining(","))
                        + ") PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        assertRefused("k is of type enum with more than 900 possible values");
    }

    @Test
    void anotherIndexIsUsedIfThePrimaryKeyIsNotExact() throws Exception {
        users.execute("CREATE TABLE shop.second (k DOUBLE PRIMARY KEY, d DATE NOT NULL, n INT NOT NULL, payload BLOB,"
                + " UNIQUE KEY u (d, n)) ENGINE=InnoDB");
        try (Connection connection = users.connect()) {
            TableKey key = TableKey.of(connection, TableColumn.named("shop.second.payload"));
            assertThat(key.names()).containsExactly("d", "n");
            assertThat(key.parts()).extracting(KeyColumn::position).containsExactly(1, 2);
            assertThat(key.parts()).extracting(KeyColumn::kind).containsExactly(Kind.DATE, Kind.NUMBER);
        }
    }
}
