package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.KeyBounds;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.throttle.Signal;
import dev.blobmark.reencode.verify.Verified;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ValueFormat;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of tables on a server of either product, while others use them. */
abstract class ReencodeContract extends OnServer {

    private static final long POLL_NANOS = 1_000_000;

    /** All kinds of values, by their key. */
    private static Map<String, byte[]> values() {
        ValueFormat writing = ValueFormat.builder().writes("lz4").policy(ALL).build();
        writing.startWriting();
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            values.put("a" + i, json(i));
        }
        values.put("b-null", null);
        values.put("b-empty", new byte[0]);
        values.put("b-short", "x".getBytes(StandardCharsets.UTF_8));
        values.put("b-noise", noise(5_000, 1));
        values.put("b-long", json(7).length > 0 ? repeated(json(7), 2_000_000) : new byte[0]);
        values.put("b-long-noise", noise(1_500_000, 2));
        values.put("c-begins-like-a-frame", concat(new byte[] {(byte) 0xBE, (byte) 0xC1}, json(8)));
        values.put("c-begins-like-a-frame-and-is-noise", concat(new byte[] {(byte) 0xBE, (byte) 0xC1}, noise(90, 3)));
        values.put("c-framed", writing.encode(json(9)));
        values.put(
                "c-escaped",
                ValueFormat.builder().build().encode(concat(new byte[] {(byte) 0xBE, (byte) 0xC1}, noise(50, 4))));
        return values;
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    @ParameterizedTest
    @CsvSource({"zstd:3", "lz4", "mysql:6", "none"})
    void valuesStayTheSameAndTheWayBackGivesTheSameBytes(String to) throws Exception {
        String schema = "to_" + to.replace(":", "_");
        String table = schema + ".t";
        users.execute("CREATE DATABASE " + schema);
        users.execute("CREATE TABLE " + table
                + " (id VARCHAR(40) PRIMARY KEY, payload LONGBLOB, note INT NOT NULL DEFAULT 1, updated TIMESTAMP(6) NOT"
                + " NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)) ENGINE=InnoDB");
        Map<String, byte[]> values = values();
        fill(table, values);
        String times = users.single("SELECT SHA2(GROUP_CONCAT(updated ORDER BY id), 256) FROM " + table);
        // of those that are frames, the values
        ValueFormat reader = ValueFormat.builder().collisionsAreLegacy().build();
        Map<String, byte[]> expected = new LinkedHashMap<>();
        values.forEach((key, value) -> expected.put(key, reader.decode(value)));

        Outcome outcome = reencoding(table + ".payload")
                .change(new Before("none", true), new Target(to, EncodingPolicy.STANDARD));
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(values.size());

        ValueFormat after = to.startsWith("mysql")
                ? ValueFormat.builder().readsSql().build()
                : ValueFormat.builder().build();
        Map<String, Optional<byte[]>> stored = users.stored(table);
        stored.forEach((key, bytes) ->
                assertThat(after.decode(bytes.orElse(null))).as(key).isEqualTo(expected.get(key)));
        if (!to.equals("none")) {
            assertThat(stored.get("a1").orElseThrow().length).isLessThan(values.get("a1").length / 2);
        }
        if (to.startsWith("mysql")) {
            assertThat(users.single("SELECT COUNT(*) FROM " + table + " WHERE UNCOMPRESS(payload) IS NULL"))
                    .isEqualTo("1");
        }
        Verified verified = reencoding(table + ".payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        assertThat(verified.rows()).isEqualTo(values.size());
        assertThat(verified.unreadable()).isZero();

        // once more changes nothing
        Outcome again = reencoding(table + ".payload")
                .change(new Before("none", true), new Target(to, EncodingPolicy.STANDARD));
        assertThat(again.last().changed()).isZero();

        assertThat(reencoding(table + ".payload").revert().isComplete()).isTrue();
        assertSameBytes(table, values);
        assertThat(users.single("SELECT SHA2(GROUP_CONCAT(updated ORDER BY id), 256) FROM " + table))
                .isEqualTo(times);
        reencoding(table + ".payload").finish();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '" + schema + "'"))
                .isEqualTo("1");
    }

    /** Between reading and writing, each row gets a new value, a key is changed, and a row is deleted and added. */
    @Test
    void whoeverWritesMeanwhileWins() throws Exception {
        Map<String, byte[]> values = table("shop.busy");
        ValueFormat format = ValueFormat.builder().build();
        AtomicInteger round = new AtomicInteger();
        try (Connection other = users.connect();
                PreparedStatement update = other.prepareStatement("UPDATE shop.busy SET payload = ? WHERE id = ?");
                PreparedStatement move = other.prepareStatement("UPDATE shop.busy SET id = ? WHERE id = ?");
                PreparedStatement delete = other.prepareStatement("DELETE FROM shop.busy WHERE id = ?")) {
            Signal writer = () -> {
                int version = round.incrementAndGet();
                try {
                    for (Map.Entry<String, byte[]> value : values.entrySet()) {
                        value.setValue(json(1_000 * version + value.getValue().length));
                        update.setBytes(1, value.getValue());
                        update.setString(2, value.getKey());
                        assertThat(update.executeUpdate()).isOne();
                    }
                    List<String> keys = List.copyOf(values.keySet());
                    String moved = keys.get(version % keys.size());
                    move.setString(1, moved + "-moved" + version);
                    move.setString(2, moved);
                    assertThat(move.executeUpdate()).isOne();
                    values.put(moved + "-moved" + version, values.remove(moved));
                    String deleted = List.copyOf(values.keySet()).get((7 * version) % values.size());
                    delete.setString(1, deleted);
                    assertThat(delete.executeUpdate()).isOne();
                    values.remove(deleted);
                    values.put("s" + version, json(version));
                    users.insert("shop.busy", "s" + version, values.get("s" + version));
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
                return Optional.empty();
            };
            State ended = work("shop.busy", begun("zstd:3"), writer);
            assertThat(ended.counts().overtaken()).isGreaterThan(200);
            assertThat(ended.counts().changed()).isGreaterThan(200);
        }
        assertThat(round.get()).isPositive();
        Map<String, Optional<byte[]>> stored = users.stored("shop.busy");
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        stored.forEach((key, bytes) ->
                assertThat(format.decode(bytes.orElseThrow())).as(key).isEqualTo(values.get(key)));
    }

    /** Stopped after each transaction, and taken back from the end and from the middle. */
    @Test
    void whatIsStoppedContinuesAndAnyPartIsTakenBack() throws Exception {
        Map<String, byte[]> values = table("shop.stopped");
        ValueFormat format = ValueFormat.builder().build();
        StateTable states = new StateTable(TableColumn.named("shop.stopped.payload"), "");
        int stops = 0;
        State state = begun("zstd:3");
        while (state.isUnderWay()) {
            try {
                state = work("shop.stopped", state, stoppingAfter(stops % 3 + 1));
            } catch (StoppedException e) {
                stops++;
                try (Connection connection = users.connect()) {
                    state = states.read(connection).orElseThrow();
                }
            }
        }
        assertThat(stops).isGreaterThan(1);
        assertThat(state.counts().rows()).as("each row once").isEqualTo(values.size());
        assertThat(state.counts().changed()).isEqualTo(values.size());
        users.stored("shop.stopped").forEach((key, bytes) -> {
            assertThat(bytes.orElseThrow().length).isLessThan(values.get(key).length);
            assertThat(format.decode(bytes.orElseThrow())).as(key).isEqualTo(values.get(key));
        });
        Verified verified = reencoding("shop.stopped.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges());
        assertThat(reencoding("shop.stopped.payload").revert().last().changed()).isEqualTo(values.size());
        assertSameBytes("shop.stopped", values);

        assertThatThrownBy(() -> work("shop.stopped", begun("lz4"), stoppingAfter(1)))
                .isInstanceOf(StoppedException.class);
        assertThat(reencoding("shop.stopped.payload").revert().last().changed()).isBetween(1L, 299L);
        assertSameBytes("shop.stopped", values);
    }

    @Test
    void anotherChangeIsRefusedWhileOneIsUnderWay() throws Exception {
        table("shop.half");
        assertThatThrownBy(() -> work("shop.half", begun("zstd:3"), stoppingAfter(1)))
                .isInstanceOf(StoppedException.class);
        assertThatThrownBy(() -> reencoding("shop.half.payload").change(Before.RAW, new Target("lz4", ALL)))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("a change to zstd:3 is under way")
                .hasMessageContaining("--to zstd:3");
        assertThatThrownBy(() -> reencoding("shop.half.payload").finish())
                .hasMessageContaining("a change to zstd:3 is under way");
        assertThat(reencoding("shop.half.payload")
                        .change(Before.RAW, new Target("zstd:3", ALL))
                        .last()
                        .rows())
                .isEqualTo(300);
    }

    @Test
    void twoAtOnceAreRefusedAndOneThatWasTakenOverWritesNothing() throws Exception {
        table("shop.twice");
        Reencoding second = reencoding("shop.twice.payload");
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> work("shop.twice", begun("zstd:3"), () -> {
                    if (calls.getAndIncrement() == 1) {
                        // the first one does not hold the lock, as if its connection had been lost
                        try {
                            second.change(Before.RAW, new Target("zstd:3", ALL));
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }
                    return Optional.empty();
                }))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("another process has taken over");
        try (Connection connection = users.connect()) {
            State state = new StateTable(TableColumn.named("shop.twice.payload"), "")
                    .read(connection)
                    .orElseThrow();
            assertThat(state.phase()).isEqualTo(State.Phase.CHANGED);
            assertThat(state.counts().rows()).isEqualTo(300);
        }
        try (Connection holder = users.connect()) {
            ChangeLock.take(holder, TableColumn.named("shop.twice.payload"));
            assertThatThrownBy(() -> reencoding("shop.twice.payload").revert())
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("another process is changing it");
        }
    }

    @Test
    void aStateOfANewerVersionIsRefused() throws Exception {
        table("shop.newer");
        reencoding("shop.newer.payload").change(Before.RAW, new Target("zstd:3", ALL));
        version("99");
        assertThatThrownBy(() -> reencoding("shop.newer.payload").revert())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("its state has version 99")
                .hasMessageContaining("continue with test");
        version("2,\"later\":[1]"); // what a newer program adds to the same version is ignored
        assertThat(reencoding("shop.newer.payload").revert().isComplete()).isTrue();
    }

    /** Most of the key's values are not used, and most rows have few of them. */
    @ParameterizedTest
    @CsvSource({
        "id BIGINT, id, 'IF(n < 20000, n, n * 1000000000)'",
        "'tenant INT, id BIGINT', 'tenant, id', 'IF(n < 19990, 7, n), n'",
        "'tenant VARCHAR(20), id BINARY(16)', 'tenant, id', 'IF(n < 19000, ''large'', CONCAT(''t'', n)), UNHEX(LEFT(SHA2(n, 256), 32))'",
        "'place DECIMAL(20,6)', place, n * 0.00001"
    })
    void rowsAreDividedHoweverTheirKeysAreDistributed(String columns, String names, String key) throws Exception {
        String digits = "(SELECT 0 AS d"
                + IntStream.range(1, 10).mapToObj(d -> " UNION ALL SELECT " + d).collect(Collectors.joining()) + ")";
        users.execute(
                "DROP TABLE IF EXISTS shop.spread",
                "CREATE TABLE shop.spread (" + columns + ", payload BLOB, PRIMARY KEY (" + names + ")) ENGINE=InnoDB",
                "INSERT INTO shop.spread SELECT " + key
                        + ", REPEAT('x', 20) FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d +"
                        + " 1000 * e.d + 10000 * f.d AS n FROM " + digits + " a, " + digits + " b, " + digits + " c, "
                        + digits
                        + " e, (SELECT 0 AS d UNION ALL SELECT 1) f) numbers",
                "ANALYZE TABLE shop.spread");
        try (Connection connection = users.connect()) {
            TableKey of = TableKey.of(connection, TableColumn.named("shop.spread.payload"));
            List<List<Object>> bounds = KeyBounds.of(connection, of, 16, RandomSource.XO_RO_SHI_RO_128_PP.create(1));
            assertThat(bounds).hasSizeBetween(8, 31);
            List<Long> rows = new ArrayList<>();
            Optional<List<Object>> after = Optional.empty();
            for (List<Object> bound : bounds) {
                rows.add(count(connection, of.between(after, bound)));
                after = Optional.of(bound);
            }
            rows.add(count(connection, of.after(after.orElseThrow())));
            assertThat(rows.stream().mapToLong(n -> n).sum()).isEqualTo(20_000);
            assertThat(rows).allMatch(n -> n > 0 && n <= 3 * 20_000 / 16, "at most three times the average: " + rows);
        }
    }

    private static long count(Connection connection, TableKey.Range range) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT COUNT(*)" + range.sql())) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void version(String text) throws Exception {
        users.execute(
                "UPDATE shop.blobmark_reencode SET state = REGEXP_REPLACE(state, '\"version\":[0-9]+', '\"version\":"
                        + text + "') WHERE of_table = 'newer' AND of_column = 'payload'");
    }

    /** Another transaction holds a row until this one waits for it. */
    @Test
    void aRowThatOthersHoldIsWaitedFor() throws Exception {
        Map<String, byte[]> values = table("shop.held");
        try (Connection holder = users.connect()) {
            holder.setAutoCommit(false);
            try (PreparedStatement update =
                    holder.prepareStatement("UPDATE shop.held SET payload = 'mine' WHERE id = 'r17'")) {
                update.executeUpdate();
            }
            Thread release = new Thread(() -> {
                try {
                    // innodb_trx shows what was so before, while it is read all the time
                    while (users.pair("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")
                            .equals("0")) {
                        LockSupport.parkNanos(POLL_NANOS);
                    }
                    holder.commit();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            release.start();
            Outcome outcome = reencoding("shop.held.payload").change(Before.RAW, new Target("zstd:3", ALL));
            release.join();
            assertThat(outcome.last().rows()).isEqualTo(values.size());
        }
        values.put("r17", "mine".getBytes(StandardCharsets.UTF_8));
        ValueFormat format = ValueFormat.builder().build();
        users.stored("shop.held")
                .forEach((key, bytes) ->
                        assertThat(format.decode(bytes.orElseThrow())).as(key).isEqualTo(values.get(key)));
    }

    @Test
    void rowsWithoutAValueAreCountedAsSuch() throws Exception {
        Map<String, byte[]> values = table("shop.sparse");
        users.execute("UPDATE shop.sparse SET payload = IF(id < 'r2', NULL, '') WHERE id < 'r3'");
        long bytes = values.entrySet().stream()
                .filter(value -> value.getKey().compareTo("r3") >= 0)
                .mapToLong(value -> value.getValue().length)
                .sum();
        Preview preview = reencoding("shop.sparse.payload").preview(Before.RAW, new Target("zstd:3", ALL));
        assertThat(preview.amount().sampled()).isBetween(1, 200);
        assertThat(preview.amount().rows()).isEqualTo(300);
        assertThat(preview.amount().bytes()).isCloseTo(bytes, within(1.0));
        assertThat(preview.amount().share()).isCloseTo(preview.amount().sampled() / 300.0, within(1e-9));
    }

    /** What the change itself encoded is not what others had encoded before it. */
    @Test
    void aPreviewCountsOriginalsBeforeTheFirstChangeOnlyAndNamesAnotherOneUnderWay() throws Exception {
        ValueFormat writing = ValueFormat.builder().writes("lz4").policy(ALL).build();
        writing.startWriting();
        Map<String, byte[]> values = table("shop.previewed");
        users.insert("shop.previewed", "z", writing.encode(json(1)));
        Target target = new Target("zstd:3", ALL);
        Preview first = reencoding("shop.previewed.payload").preview(Before.RAW, target);
        assertThat(first.amount().originals()).isEqualTo(1.0 / (values.size() + 1));
        assertThat(first.underWay()).isEmpty();

        reencoding("shop.previewed.payload").change(Before.RAW, target);
        Preview second = reencoding("shop.previewed.payload").preview(Before.RAW, target);
        assertThat(second.amount().originals()).isZero();
        assertThat(second.problems()).isEmpty();
        assertThat(second.underWay()).contains("it was changed to zstd:3 before");

        StateTable states = new StateTable(TableColumn.named("shop.previewed.payload"), "test");
        State begun = State.begin("test", Before.RAW, target, true, List.of(), Instant.now());
        try (Connection connection = users.connect()) {
            states.own(connection, begun);
        }
        Preview same = reencoding("shop.previewed.payload").preview(Before.RAW, target);
        assertThat(same.problems()).isEmpty();
        assertThat(same.underWay()).contains("a change to zstd:3 is under way: 0 rows are done");
        assertThat(Plan.conflict(begun, target, true))
                .contains(
                        "a change to zstd:3 is under way: 0 rows are done, in place; continue it without --mode copy, or"
                                + " take it back with --revert");
        Preview other = reencoding("shop.previewed.payload").preview(Before.RAW, new Target("lz4", ALL));
        assertThat(other.problems())
                .containsExactly("a change to zstd:3 is under way: 0 rows are done; continue that with --to zstd:3 and"
                        + " the same policy, or take it back with --revert");
    }

    /** Numbers, bytes with all kinds of characters, and text, together. */
    @Test
    void compositeKeysOfAllKinds() throws Exception {
        users.execute("CREATE TABLE shop.composite (a DECIMAL(20, 3) NOT NULL, b VARBINARY(20) NOT NULL, c VARCHAR(20)"
                + " CHARACTER SET latin1 NOT NULL, payload MEDIUMBLOB, PRIMARY KEY (a, b, c)) ENGINE=InnoDB");
        try (Connection connection = users.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO shop.composite VALUES (?, ?, ?, ?)")) {
            Random random = new Random(3);
            for (int i = 0; i < 400; i++) {
                insert.setBigDecimal(1, BigDecimal.valueOf(random.nextInt(200) - 100, 3));
                insert.setBytes(2, noise(1 + random.nextInt(10), i));
                insert.setString(3, "Ä" + (char) ('a' + i % 20) + i);
                insert.setBytes(4, json(i));
                insert.executeUpdate();
            }
        }
        String digest = "SELECT SUM(CRC32(CONCAT(a, HEX(b), HEX(c), HEX(payload)))) FROM shop.composite";
        String before = users.single(digest);
        Outcome outcome = reencoding("shop.composite.payload").change(Before.RAW, new Target("zstd:3", ALL));
        assertThat(outcome.last().rows()).isEqualTo(400);
        assertThat(outcome.last().changed()).isEqualTo(400);
        assertThat(users.single(digest)).isNotEqualTo(before);
        Verified verified = reencoding("shop.composite.payload").verify();
        assertThat(verified.rows()).isEqualTo(400);
        assertThat(verified.same()).isEqualTo(verified.ranges());
        reencoding("shop.composite.payload").revert();
        assertThat(users.single(digest)).isEqualTo(before);
    }

    @Test
    void verifyingFindsWhatWasChangedAndWhatIsDamaged() throws Exception {
        table("shop.damaged");
        reencoding("shop.damaged.payload").change(Before.RAW, new Target("zstd:3", ALL));
        users.execute("UPDATE shop.damaged SET payload = LEFT(payload, 40) WHERE id = 'r5'");
        Verified verified = reencoding("shop.damaged.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges() - 1);
        assertThat(verified.unreadable()).isOne();
        assertThat(verified.firstUnreadable()).isEqualTo("r5");
        assertThatThrownBy(() -> reencoding("shop.damaged.payload").revert())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("key r5")
                .hasMessageContaining("the same command continues");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id INT PRIMARY KEY, payload TEXT || encoded bytes are not text",
                "id INT PRIMARY KEY, payload BINARY(100) || need BLOB or VARBINARY",
                "id INT PRIMARY KEY, payload VARBINARY(100), UNIQUE KEY u (payload) || the index u is on it",
                "id INT PRIMARY KEY, payload BLOB, KEY k (payload(10)) || no longer find values",
                "id INT PRIMARY KEY, payload BLOB, n INT AS (LENGTH(payload)) STORED || the generated column n",
                "id INT PRIMARY KEY, payload BLOB, ts TIMESTAMP NULL, day DATE AS (DATE(ts)) STORED || day is stored, and may depend"
                        + " on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, ts TIMESTAMP NULL, day DATE AS (DATE(ts)) VIRTUAL, KEY (day) || day is in an index,"
                        + " and may depend on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, s VARCHAR(20), d DATE AS (s) VIRTUAL, KEY (d) || d is in an index, and may depend",
                "id INT PRIMARY KEY, payload BLOB, at DATETIME(6), d DATE AS (CAST(at AS DATE)) STORED || d is stored, and may"
                        + " depend",
                "id INT PRIMARY KEY, payload BLOB, ts TIMESTAMP NULL, day DATE AS (DATE(ts)) VIRTUAL, text VARCHAR(20) AS (CONCAT(day, '')) STORED || text is stored, and may depend on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, at DATETIME, same TIMESTAMP AS (at) STORED || same is stored, and may depend on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, s VARCHAR(20), d DATE AS (CAST(s AS DATE)) STORED || d is stored, and may depend on"
                        + " settings of a session",
                "id INT PRIMARY KEY, payload BLOB, n INT, m INT AS (MONTH(n)) STORED || m is stored, and may depend on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, amount INT, third DECIMAL(20, 10) AS (amount / 3) STORED || third is stored, and may"
                        + " depend on settings of a session",
                "id INT PRIMARY KEY, payload BLOB, CHECK (LENGTH(payload) > 3) || looks at its content",
                "id INT PRIMARY KEY, payload BLOB | ENGINE=MyISAM | its engine is MyISAM",
                "id INT, payload BLOB || no primary key",
                "id FLOAT PRIMARY KEY, payload BLOB || id is of type float, whose values are approximate",
            })
    void whatCannotBeChangedSafelyIsRefused(String columns, String options, String reason) throws Exception {
        users.execute(
                "DROP TABLE IF EXISTS shop.refused",
                "CREATE TABLE shop.refused (" + columns + ") " + (options == null ? "ENGINE=InnoDB" : options),
                "INSERT INTO shop.refused (id, payload) VALUES (1, 'value')");
        String before = users.single("SELECT HEX(payload) FROM shop.refused");
        Preview preview =
                reencoding("shop.refused.payload").preview(Before.RAW, new Target("zstd:3", EncodingPolicy.STANDARD));
        assertThat(preview.problems()).anyMatch(problem -> problem.contains(reason));
        assertThatThrownBy(() -> reencoding("shop.refused.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .hasMessageContaining(reason);
        assertThat(users.single("SELECT HEX(payload) FROM shop.refused")).isEqualTo(before);
    }

    /** A row that was written without checks, as an import may do: the server would refuse it now. */
    @Test
    void aRowThatItsOwnDefinitionRefusesIsExplained() throws Exception {
        assumeTrue(users.single("SELECT VERSION()").contains("MariaDB"), "MySQL has no setting that leaves out checks");
        users.execute(
                "CREATE TABLE shop.unchecked (id INT PRIMARY KEY, payload BLOB, n INT, CHECK (n > 0)) ENGINE=InnoDB",
                "SET check_constraint_checks = 0",
                "INSERT INTO shop.unchecked VALUES (1, REPEAT('value', 200), 1), (2, REPEAT('value', 200), -1),"
                        + " (3, REPEAT('value', 200), 1)");
        assertThatThrownBy(() -> reencoding("shop.unchecked.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining(
                        "shop.unchecked.payload, key 2: a row would be refused by the table's own definition")
                .hasMessageContaining("drop the CHECK");
    }

    @Test
    void whatDependsOnItsColumnsAloneIsAccepted() throws Exception {
        users.execute(
                "USE shop",
                "CREATE TABLE pure (id INT PRIMARY KEY, payload BLOB, amount INT, name VARCHAR(40), at DATETIME,"
                        + " ts TIMESTAMP NULL, meta JSON, twice INT AS (amount * 2 + 1) STORED, lower_name VARCHAR(80)"
                        + " AS (CONCAT('n', LOWER(name))) STORED, day DATE AS (DATE(at)) STORED, kind VARCHAR(20)"
                        + " AS (JSON_UNQUOTE(JSON_EXTRACT(meta, '$.kind'))) STORED, digest VARCHAR(64)"
                        + " AS (CRC32(CONCAT_WS('#', amount, name))) VIRTUAL, hour_of_ts INT AS (HOUR(ts)) VIRTUAL, KEY (twice), KEY (digest), is_set INT AS (ts IS NULL) STORED, exact DATETIME(6),"
                        + " hour_of_exact INT AS (HOUR(exact)) STORED, due DATE AS (JSON_UNQUOTE(JSON_EXTRACT(meta, '$.due'))) STORED,"
                        + " month_of_at INT AS (MONTH(at)) VIRTUAL, KEY (month_of_at))"
                        + " ENGINE=InnoDB");
        assertThat(reencoding("shop.pure.payload")
                        .preview(Before.RAW, new Target("zstd:3", EncodingPolicy.STANDARD))
                        .problems())
                .isEmpty();
    }

    @Test
    void triggersAndViewsAreRefused() throws Exception {
        table("shop.triggered");
        users.execute(
                "CREATE TRIGGER shop.audit BEFORE UPDATE ON shop.triggered FOR EACH ROW SET NEW.id = OLD.id",
                "CREATE VIEW shop.orders_view AS SELECT id, payload FROM shop.triggered");
        assertThatThrownBy(() -> reencoding("shop.triggered.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("the trigger audit would run");
        Preview preview =
                reencoding("shop.triggered.payload").preview(Before.RAW, new Target("zstd:3", EncodingPolicy.STANDARD));
        assertThat(preview.dependents()).contains("the view shop.orders_view names it");
        assertThatThrownBy(() -> reencoding("shop.orders_view.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .hasMessageContaining("it is a view");
    }

    /** The former values stay as they are, byte for byte, where the codec could make others. */
    @Test
    void valuesOfAnotherCodecBecomeFramesAndGoBack() throws Exception {
        users.execute("CREATE TABLE shop.zipped (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        Codec gzip = Codecs.parse("gzip:1");
        Map<String, byte[]> values = new LinkedHashMap<>();
        Map<String, byte[]> plain = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            byte[] value = i == 50 ? noise(3_000, 1) : json(i);
            byte[] target = new byte[gzip.maxEncodedLength(value.length)];
            values.put("r" + i, Arrays.copyOf(target, gzip.encode(value, 0, value.length, target, 0)));
            plain.put("r" + i, value);
        }
        fill("shop.zipped", values);
        reencoding("shop.zipped.payload")
                .change(new Before("gzip", false), new Target("zstd:3", EncodingPolicy.STANDARD));
        ValueFormat reader =
                ValueFormat.builder().reads(Legacy.encodedBy("gzip")).build();
        users.stored("shop.zipped")
                .forEach((key, bytes) ->
                        assertThat(reader.decode(bytes.orElseThrow())).as(key).isEqualTo(plain.get(key)));
        reencoding("shop.zipped.payload").revert();
        assertSameBytes("shop.zipped", values);
    }

    @Test
    void aReaderThatCannotReadTheTargetStopsItBeforeItBegins() throws Exception {
        users.execute("CREATE DATABASE announced");
        users.execute("CREATE TABLE announced.t (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        users.insert("announced.t", "r1", json(1));
        ReaderRegistry registry = ReaderRegistry.in(new Connections(server.endpoint()), "announced");
        registry.create();
        try (ReaderRegistry.Announcement old =
                registry.announce(new ReaderRegistry.Reader("old service", 1, Set.of("lz4")))) {
            assertThat(old).isNotNull();
            assertThatThrownBy(() -> reencoding("announced.t.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("old service cannot read it");
            assertThat(reencoding("announced.t.payload")
                            .preview(Before.RAW, new Target("lz4", ALL))
                            .readers())
                    .containsExactly("old service (version 1: lz4)");
            reencoding("announced.t.payload").change(Before.RAW, new Target("lz4", ALL));
        }
    }

    /** What the change did not come to stays as it is: there, others may have written frames. */
    @Test
    void takingAPartBackLeavesTheRest() throws Exception {
        Map<String, byte[]> values = table("shop.part");
        ValueFormat writing = ValueFormat.builder().writes("lz4").policy(ALL).build();
        writing.startWriting();
        for (int i = 0; i < 300; i += 3) {
            values.put("r" + i, writing.encode(json(i)));
        }
        users.execute("DELETE FROM shop.part");
        fill("shop.part", values);
        assertThatThrownBy(() -> work("shop.part", begun("zstd:3"), stoppingAfter(2)))
                .isInstanceOf(StoppedException.class);
        Outcome outcome = reencoding("shop.part.payload").revert();
        assertThat(outcome.last().rows()).isBetween(1L, 299L);
        assertThat(outcome.last().changed()).isPositive();
        assertSameBytes("shop.part", values);

        assertThatThrownBy(() -> work("shop.part", begun("zstd:3"), stoppingAfter(0)))
                .isInstanceOf(StoppedException.class);
        outcome = reencoding("shop.part.payload").revert();
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isZero();
        assertThat(outcome.last().step()).isEqualTo("reverted");
        assertSameBytes("shop.part", values);
    }

    /** A position means nothing for another key. */
    @Test
    void anotherKeyBeginsAgain() throws Exception {
        Map<String, byte[]> values = table("shop.rekeyed");
        assertThatThrownBy(() -> work("shop.rekeyed", begun("zstd:3"), stoppingAfter(2)))
                .isInstanceOf(StoppedException.class);
        users.execute("ALTER TABLE shop.rekeyed ADD COLUMN number INT NOT NULL AUTO_INCREMENT, DROP PRIMARY KEY,"
                + " ADD PRIMARY KEY (number)");
        // the table is made anew with its key, and what is remembered of the other key cannot be compared
        assertThatThrownBy(() -> reencoding("shop.rekeyed.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .hasMessageContaining("this is not the table that was changed")
                .hasMessageContaining("--force");
        Outcome outcome = forced("shop.rekeyed.payload").change(Before.RAW, new Target("zstd:3", ALL));
        assertThat(outcome.last().rows()).isEqualTo(values.size());
        users.stored("shop.rekeyed")
                .forEach((key, bytes) -> assertThat(bytes.orElseThrow()).as(key).startsWith(0xBE, 0xC1));
        Verified verified = reencoding("shop.rekeyed.payload").verify();
        assertThat(verified.rows()).isEqualTo(values.size());
        assertThat(verified.same()).isEqualTo(verified.ranges());
        users.execute("ALTER TABLE shop.rekeyed DROP COLUMN number, ADD PRIMARY KEY (id)");
        assertThatThrownBy(() -> reencoding("shop.rekeyed.payload").verify())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("the key of the table has changed since");
        forced("shop.rekeyed.payload").revert();
        assertSameBytes("shop.rekeyed", values);
    }

    /** The server takes the names of columns in any case. */
    @Test
    void aNameInAnotherCaseIsTheSameColumn() throws Exception {
        Map<String, byte[]> values = table("shop.cased");
        assertThatThrownBy(() -> work("shop.cased", begun("zstd:3"), stoppingAfter(2)))
                .isInstanceOf(StoppedException.class);
        assertThatThrownBy(() -> reencoding("shop.cased.PayLoad").change(Before.RAW, new Target("lz4", ALL)))
                .hasMessageContaining("a change to zstd:3 is under way");
        assertThat(reencoding("shop.cased.PAYLOAD").revert().last().changed()).isPositive();
        assertSameBytes("shop.cased", values);
    }

    @Test
    void anEmptyTableIsDoneAtOnce() throws Exception {
        users.execute("CREATE TABLE shop.empty (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        Target target = new Target("zstd:3", ALL);
        Preview preview = reencoding("shop.empty.payload").preview(Before.RAW, target);
        assertThat(preview.problems()).isEmpty();
        assertThat(preview.remarks()).anyMatch(remark -> remark.startsWith("there is no sample"));
        Outcome outcome = reencoding("shop.empty.payload").change(Before.RAW, target);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isZero();
        assertThat(reencoding("shop.empty.payload").verify().ranges()).isZero();
    }

    /** As writers that append to a value make them. */
    @Test
    void aValueOfSeveralMembersOfGzipIsRead() throws Exception {
        Codec gzip = Codecs.parse("gzip");
        byte[] member = new byte[gzip.maxEncodedLength(json(1).length)];
        member = Arrays.copyOf(member, gzip.encode(json(1), 0, json(1).length, member, 0));
        byte[] broken = Arrays.copyOf(member, member.length - 1);
        users.execute("CREATE TABLE shop.members (id VARCHAR(40) PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        byte[] again = new byte[gzip.maxEncodedLength(member.length)];
        again = Arrays.copyOf(again, gzip.encode(member, 0, member.length, again, 0));
        Map<String, byte[]> values = new LinkedHashMap<>(
                Map.of("one", member, "two", concat(member, member), "wrapped", again, "since", member));
        fill("shop.members", values);
        Before before = new Before("gzip", false);
        users.insert("shop.members", "it's broken", broken);
        Target none = new Target("none", ALL);
        assertThat(reencoding("shop.members.payload").preview(before, none).problems())
                .singleElement()
                .asString()
                .startsWith("shop.members.payload, key it's broken: the value cannot be read");
        users.execute("DELETE FROM shop.members WHERE id LIKE '%broken'");
        assertThat(reencoding("shop.members.payload").preview(before, none).problems())
                .isEmpty();
        reencoding("shop.members.payload").change(before, none);
        assertThat(users.stored("shop.members").get("two").orElseThrow()).isEqualTo(concat(json(1), json(1)));
        assertThat(users.stored("shop.members").get("wrapped").orElseThrow()).isEqualTo(member);
        Verified verified = reencoding("shop.members.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        assertThat(verified.unreadable()).isZero();
        users.execute(
                "UPDATE shop.members SET payload = X'" + HexFormat.of().formatHex(member) + "' WHERE id = 'since'");
        reencoding("shop.members.payload").revert();
        assertSameBytes("shop.members", values);
        assertThat(reencoding("shop.members.payload").verify().unreadable()).isZero();
    }

    /** A reader that cannot read the target is a reason to take it back. */
    @Test
    void theWayBackAsksNoReaders() throws Exception {
        users.execute("CREATE DATABASE rollback");
        users.execute("CREATE TABLE rollback.t (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        users.insert("rollback.t", "r1", json(1));
        reencoding("rollback.t.payload").change(Before.RAW, new Target("zstd:3", ALL));
        ReaderRegistry registry = ReaderRegistry.in(new Connections(server.endpoint()), "rollback");
        registry.create();
        try (ReaderRegistry.Announcement old =
                registry.announce(new ReaderRegistry.Reader("old service", 1, Set.of("lz4")))) {
            assertThat(old).isNotNull();
            assertThat(reencoding("rollback.t.payload").revert().last().changed())
                    .isOne();
        }
        assertSameBytes("rollback.t", Map.of("r1", json(1)));
    }

    /** Values that the column cannot hold are left, and so are all after them. */
    @Test
    void aValueThatDoesNotFitIsNamed() throws Exception {
        users.execute("CREATE TABLE shop.narrow (id VARCHAR(40) PRIMARY KEY, payload VARBINARY(300)) ENGINE=InnoDB");
        ValueFormat writing = ValueFormat.builder().writes("zstd:3").policy(ALL).build();
        writing.startWriting();
        Map<String, byte[]> values = new LinkedHashMap<>();
        values.put("r1", writing.encode("a".repeat(299).getBytes(StandardCharsets.UTF_8)));
        values.put("r2", writing.encode("a".repeat(301).getBytes(StandardCharsets.UTF_8)));
        fill("shop.narrow", values);
        assertThatThrownBy(() -> reencoding("shop.narrow.payload").change(Before.RAW, new Target("none", ALL)))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("key r2: its value has 301 bytes when it is converted")
                .hasMessageContaining("varbinary(300)");
        if (writers() == 1) { // with several, r1 is in another transaction
            assertSameBytes("shop.narrow", values);
        }
        users.execute("ALTER TABLE shop.narrow MODIFY payload VARBINARY(400)");
        reencoding("shop.narrow.payload").change(Before.RAW, new Target("none", ALL));
        assertThat(users.single("SELECT LENGTH(payload) FROM shop.narrow WHERE id = 'r2'"))
                .isEqualTo("301");
    }

    /** Rows that are much longer than those before are not sent in vain. */
    @Test
    void littleIsReadThatIsNotTaken() throws Exception {
        users.execute(
                "CREATE TABLE shop.lengths (id INT PRIMARY KEY, payload LONGBLOB) ENGINE=InnoDB",
                "INSERT INTO shop.lengths VALUES (1, REPEAT('a', 100)), (2, REPEAT('b', 3000000)), (3, REPEAT('c', 50))");
        for (int i = 10; i < 25; i++) {
            users.execute("INSERT INTO shop.lengths VALUES (" + i + ", REPEAT('d', 3000000))");
        }
        users.execute("INSERT INTO shop.lengths VALUES (30, REPEAT('e', 100)), (31, NULL)");
        TableColumn column = TableColumn.named("shop.lengths.payload");
        try (Connection reading = users.connect()) {
            TableKey key = TableKey.of(reading, column);
            RowReader reader = new RowReader(reading, column, key, Conversion.MAX_LENGTH);
            List<Integer> ids = new ArrayList<>();
            long bytes = 0;
            List<Row> rows = reader.next(Optional.empty(), Optional.empty(), 1 << 20);
            while (!rows.isEmpty()) {
                for (Row row : rows) {
                    ids.add(Integer.parseInt(key.texts(row.key()).get(0)));
                    assertThat(row.stored().map(stored -> (long) stored.length).orElse(0L))
                            .isEqualTo(row.length());
                    bytes += row.length();
                }
                rows = reader.next(Optional.of(rows.get(rows.size() - 1).key()), Optional.empty(), 1 << 20);
            }
            assertThat(ids).hasSize(20).isSorted();
            assertThat(bytes).isEqualTo(16 * 3_000_000L + 250);
            assertThat(Long.parseLong(JdbcDriver.status(reading, "Bytes_sent"))).isLessThan(bytes * 11 / 10);
        }
    }
}
