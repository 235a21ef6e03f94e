package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.value.Policy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of tables on a server of either product, while others use them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReencodeContract {

    private static final Policy ALL = new Policy(0, 0, false);

    /** At full speed, in transactions of few rows. */
    private static final ReencodeOptions FAST = with(ReencodeOptions.USUAL, 100);

    @TempDir
    Path cache;

    private OwnServer server;
    private UsersTable users;

    abstract OwnServer start() throws Exception;

    @BeforeAll
    void makeTables() throws Exception {
        server = start();
        users = new UsersTable(server);
        users.execute("CREATE DATABASE shop");
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    static ReencodeOptions with(ReencodeOptions options, int speed) {
        return new ReencodeOptions(
                options.limits(),
                speed,
                options.binlogRate(),
                options.replicas(),
                options.maxLag(),
                options.ignoresReplicas(),
                options.maxProbe(),
                java.time.Duration.ofMillis(5),
                options.pauseFile(),
                options.socket(),
                options.keepsOriginals(),
                options.force());
    }

    private static final ReencodeListener SILENT = new ReencodeListener() {
        @Override
        public void progressed(Progress progress) {}

        @Override
        public void noticeIssued(String notice) {}
    };

    private Reencoding reencoding(String column) {
        return reencoding(column, SILENT);
    }

    private Reencoding reencoding(String column, ReencodeListener listener) {
        return new Reencoding(users.source(), cache, TableColumn.named(column), FAST, "test", listener);
    }

    private static byte[] json(int seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("{\"order\": " + seed + ", \"lines\": [");
        for (int i = 0; i < 5 + random.nextInt(30); i++) {
            text.append("{\"sku\": \"item-")
                    .append(random.nextInt(100))
                    .append("\", \"count\": 1, \"state\": \"paid\"}, ");
        }
        return text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] noise(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

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

    private static byte[] repeated(byte[] bytes, int length) {
        byte[] all = new byte[length];
        for (int i = 0; i < length; i++) {
            all[i] = bytes[i % bytes.length];
        }
        return all;
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    private void fill(String table, Map<String, byte[]> values) throws Exception {
        try (Connection connection = users.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, payload) VALUES (?, ?)")) {
            for (Map.Entry<String, byte[]> value : values.entrySet()) {
                insert.setString(1, value.getKey());
                insert.setBytes(2, value.getValue());
                insert.executeUpdate();
            }
        }
    }

    private void assertSameBytes(String table, Map<String, byte[]> values) throws Exception {
        Map<String, Optional<byte[]>> stored = users.stored(table);
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        stored.forEach((key, bytes) -> assertThat(bytes.orElse(null)).as(key).isEqualTo(values.get(key)));
    }

    @ParameterizedTest
    @CsvSource({"zstd:3", "lz4", "mysql:6", "none"})
    void valuesStayTheSameAndTheWayBackGivesTheSameBytes(String to) throws Exception {
        String table = "shop.t_" + to.replace(":", "_");
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

        Outcome outcome =
                reencoding(table + ".payload").change(new Before("none", true), new Target(to, Policy.STANDARD));
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(values.size());

        ValueFormat after = to.startsWith("mysql")
                ? ValueFormat.builder().writes("mysql").build()
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
        Outcome again =
                reencoding(table + ".payload").change(new Before("none", true), new Target(to, Policy.STANDARD));
        assertThat(again.last().changed()).isZero();

        assertThat(reencoding(table + ".payload").revert().isComplete()).isTrue();
        assertSameBytes(table, values);
        assertThat(users.single("SELECT SHA2(GROUP_CONCAT(updated ORDER BY id), 256) FROM " + table))
                .isEqualTo(times);
        reencoding(table + ".payload").finish();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'blobmark%'"))
                .isEqualTo("0");
    }
}
