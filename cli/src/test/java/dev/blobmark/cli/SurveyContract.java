package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.survey.SampleEncoding;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyedColumn;
import dev.blobmark.lab.survey.ValueKind;
import dev.blobmark.mysql.client.JdbcDriver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A survey of a server of either product, with an account that may only read. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SurveyContract {

    private static final String PASSWORD = "only reads";

    /** In values and nowhere else. */
    private static final String SECRET = "zaphod";

    /** Statements that only proxies understand; a server refuses them. */
    private static final Set<String> PROBES = Set.of("PROXYSQL INTERNAL SESSION", "ROUTER SET trace = 0");

    private static final int HUGE_BYTES = 40_000_000;

    private final Random random = new Random(5);
    private OwnServer server;
    private Connection owner;

    @TempDir
    private Path directory;

    abstract OwnServer start() throws Exception;

    @BeforeAll
    void makeSchemas() throws Exception {
        server = start();
        owner = JdbcDriver.connectForLoading(server.endpoint(), "");
        execute("CREATE DATABASE shop");
        execute("CREATE DATABASE vault");
        execute("CREATE DATABASE kinds");
        execute("CREATE TABLE shop.docs (id INT PRIMARY KEY, doc JSON, note TEXT CHARACTER SET utf16,"
                + " memo MEDIUMTEXT CHARACTER SET sjis, title VARCHAR(100),"
                + " upper_note TEXT AS (UPPER(title)) STORED, short_note VARCHAR(2000) AS (LEFT(title, 9)) VIRTUAL)");
        insert("shop.docs (id, doc, note, memo)", 500, i -> List.of(i, json(i), text(60), text(100) + "\u30c6"));
        execute("CREATE TABLE shop.halves (id INT PRIMARY KEY, v MEDIUMBLOB)");
        insert("shop.halves", 2_000, i -> List.of(i, i < 1_000 ? bytes(json(i)) : noise(400)));
        execute("CREATE TABLE shop.few (id INT PRIMARY KEY, v MEDIUMBLOB)");
        insert("shop.few", 100, i -> List.of(i, i < 50 ? bytes(text(60_000)) : noise(60_000)));
        execute("CREATE TABLE shop.photos (id VARCHAR(20) PRIMARY KEY, v MEDIUMBLOB)");
        insert("shop.photos", 600, i -> List.of("photo " + i, jpeg(3_000)));
        execute("CREATE TABLE shop.heap (v MEDIUMBLOB)");
        insert("shop.heap", 10, i -> List.of(noise(100)));
        execute("CREATE TABLE shop.nothing (id INT PRIMARY KEY, v BLOB)");
        execute("CREATE TABLE shop.holes (id INT PRIMARY KEY, v TEXT)");
        insert("shop.holes", 900, i -> List.of(i, text(300)));
        execute("UPDATE shop.holes SET v = IF(id % 3 = 0, '', NULL) WHERE id % 3 < 2");
        execute("CREATE TABLE shop.huge (id INT PRIMARY KEY, v LONGBLOB)");
        execute("INSERT INTO shop.huge VALUES (1, 'small'), (2, REPEAT('huge', " + HUGE_BYTES / 4 + ")), (3, 'tiny')");
        execute("CREATE TABLE shop.packed (id INT PRIMARY KEY, v MEDIUMTEXT) ROW_FORMAT=COMPRESSED");
        insert("shop.packed", 600, i -> List.of(i, text(600)));
        execute("CREATE TABLE shop.old (id INT PRIMARY KEY, v BLOB) ENGINE=MyISAM");
        insert("shop.old", 10, i -> List.of(i, noise(100)));
        execute("CREATE TABLE shop.parts (id INT PRIMARY KEY, v BLOB) PARTITION BY HASH (id) PARTITIONS 2");
        execute("CREATE TABLE shop.`odd.``name` (id INT PRIMARY KEY, `a b` TEXT)");
        insert("shop.`odd.``name`", 10, i -> List.of(i, text(100)));
        execute("CREATE VIEW shop.seen AS SELECT * FROM shop.docs");
        execute("CREATE TABLE vault.gold (id INT PRIMARY KEY, v BLOB)");
        insert("vault.gold", 10, i -> List.of(i, noise(100)));
        for (String table : tables("shop")) {
            execute("ANALYZE TABLE shop.`" + table.replace("`", "``") + "`");
        }
        execute("CREATE USER 'reader'@'%' IDENTIFIED BY '" + PASSWORD + "'");
        execute("CREATE USER 'reader'@'localhost' IDENTIFIED BY '" + PASSWORD + "'");
        for (String host : List.of("%", "localhost")) {
            execute("GRANT SELECT ON shop.* TO 'reader'@'" + host + "'");
            execute("GRANT SELECT ON kinds.* TO 'reader'@'" + host + "'");
            execute("GRANT INSERT ON vault.* TO 'reader'@'" + host + "'"); // so that it sees the table
        }
    }

    @AfterAll
    void stop() throws SQLException {
        if (owner != null) {
            owner.close();
            server.close();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> strings(String sql) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                strings.add(row.getString(1));
            }
        }
        return strings;
    }

    private List<String> tables(String schema) throws SQLException {
        return strings(
                "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = '"
                        + schema + "'");
    }

    private void insert(String into, int rows, IntFunction<List<Object>> row) throws SQLException {
        String marks = row.apply(0).stream().map(value -> "?").collect(Collectors.joining(", "));
        owner.setAutoCommit(false);
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO " + into + " VALUES (" + marks + ")")) {
            for (int i = 0; i < rows; i++) {
                List<Object> values = row.apply(i);
                for (int k = 0; k < values.size(); k++) {
                    insert.setObject(k + 1, values.get(k));
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
        owner.commit();
        owner.setAutoCommit(true);
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    private byte[] jpeg(int length) {
        byte[] jpeg = noise(length);
        System.arraycopy(HexFormat.of().parseHex("ffd8ffe0"), 0, jpeg, 0, 4);
        return jpeg;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Words of a small vocabulary, about this many characters. */
    private String text(int length) {
        StringBuilder text = new StringBuilder(SECRET);
        while (text.length() < length) {
            text.append(' ').append(Integer.toString(random.nextInt(400) * 7_919, 36));
        }
        return text.toString();
    }

    private String json(int id) {
        return "{\"id\": " + id + ", \"name\": \"" + text(20) + "\", \"state\": \"" + (id % 3 == 0 ? "open" : "closed")
                + "\", \"price\": " + random.nextInt(10_000) + ", \"body\": \"" + text(200) + "\"}";
    }

    private BlobmarkProcess survey(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "survey",
                "--server=mysql://reader@127.0.0.1:" + server.endpoint().port() + "/"));
        words.addAll(List.of(more));
        return BlobmarkProcess.start(directory, Map.of("BLOBMARK_PASSWORD", PASSWORD), words.toArray(String[]::new));
    }

    private Map<String, SurveyedColumn> columns(String name) {
        return SurveyDirectory.open(directory.resolve(name)).read().columns().stream()
                .collect(Collectors.toMap(SurveyedColumn::name, column -> column));
    }

    private List<String> state() throws SQLException {
        List<String> state = new ArrayList<>();
        for (String schema : List.of("shop", "vault")) {
            for (String table : tables(schema)) {
                try (Statement statement = owner.createStatement();
                        ResultSet row = statement.executeQuery(
                                "CHECKSUM TABLE " + schema + ".`" + table.replace("`", "``") + "` EXTENDED")) {
                    row.next();
                    state.add(table + " " + row.getString(2));
                }
            }
        }
        state.addAll(strings("SHOW DATABASES"));
        return state;
    }

    @Test
    void columnsAreRankedAndNothingIsWritten() throws Exception {
        List<String> before = state();
        execute("SET GLOBAL log_output = 'TABLE'");
        execute("TRUNCATE mysql.general_log");
        execute("SET GLOBAL general_log = ON");
        try (BlobmarkProcess survey = survey("--min-size=0", "--out=all", "--exclude=kinds")) {
            assertThat(survey.exitCode()).as(survey.err()).isZero();
            assertThat(survey.out())
                    .contains(
                            "shop.docs.note",
                            "already JPEG",
                            "shop.packed.v: the server compresses it already (ROW_FORMAT=COMPRESSED)",
                            "  blobmark advise --data shop.few.v --server mysql://reader@127.0.0.1:");
            assertThat(survey.err()).contains("column 1 of ").endsWith("Survey: all\n");
        } finally {
            execute("SET GLOBAL general_log = OFF");
        }
        assertThat(strings("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log"
                        + " WHERE command_type IN ('Query', 'Execute') AND user_host LIKE '%reader%'"))
                .hasSizeGreaterThan(100)
                .contains("SET SESSION TRANSACTION READ ONLY")
                .allMatch(sql -> sql.matches("(?is)(SELECT|SHOW|SET)\\b.*") || PROBES.contains(sql))
                .noneMatch(sql -> sql.matches("(?is)SET (GLOBAL|PERSIST).*"));
        assertThat(state()).isEqualTo(before);

        Map<String, SurveyedColumn> columns = columns("all");
        assertThat(columns.keySet())
                .contains("shop.docs.doc", "shop.docs.note", "shop.docs.memo", "shop.`odd.``name`.a b")
                .doesNotContain("shop.docs.title", "shop.old.v", "shop.parts.v");
        assertThat(kinds(columns.get("shop.docs.doc"))).containsOnlyKeys(ValueKind.JSON);
        assertThat(kinds(columns.get("shop.docs.note"))).containsOnlyKeys(ValueKind.TEXT);
        assertThat(kinds(columns.get("shop.photos.v"))).containsOnlyKeys(ValueKind.JPEG);
        assertThat(kinds(columns.get("shop.halves.v"))).containsOnlyKeys(ValueKind.JSON, ValueKind.BYTES);
        assertThat(kinds(columns.get("shop.few.v"))).containsOnlyKeys(ValueKind.TEXT, ValueKind.BYTES);
        assertThat(columns.get("shop.holes.v").sample().orElseThrow().skipped()).containsOnlyKeys("NULL", "empty");
        SurveyedColumn.ColumnSample huge = columns.get("shop.huge.v").sample().orElseThrow();
        // where its time is over, the huge value is skipped
        assertThat(huge.values() + huge.skipped().getOrDefault("took longer than 100 ms", 0))
                .isEqualTo(3);
        assertThat(huge.readBytes()).isIn(9L, 9L + HUGE_BYTES);
        assertThat(notRead(columns, "shop.heap.v")).startsWith("the table has no primary key");
        assertThat(notRead(columns, "shop.nothing.v")).isEqualTo("the table is empty");
        assertThat(notRead(columns, "vault.gold.v")).startsWith("the account may not read the table");

        JsonNode json = json("all");
        assertThat(leftOut(json))
                .contains(
                        "docs.upper_note: a generated column, whose values the server computes",
                        "docs.short_note: a virtual generated column, which is not stored",
                        "old: the engine is MyISAM, and the survey reads InnoDB",
                        "parts: partitioned: each position would be looked up in every partition",
                        "seen: a view, which stores nothing");

        Path file = directory.resolve("all").resolve("survey.jsonl");
        assertThat(Files.readString(file)).doesNotContain(SECRET, "127.0.0.1", PASSWORD);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    private static Map<ValueKind, Integer> kinds(SurveyedColumn column) {
        return column.sample().orElseThrow().kinds();
    }

    private static String notRead(Map<String, SurveyedColumn> columns, String name) {
        return columns.get(name).notRead().orElseThrow();
    }

    private JsonNode json(String name) {
        Invocation report = Invocation.of("report", directory.resolve(name).toString(), "--format=json");
        assertThat(report.exitCode()).as(report.err()).isZero();
        return new JsonMapper().readTree(report.out());
    }

    private static List<String> leftOut(JsonNode json) {
        List<String> leftOut = new ArrayList<>();
        json.path("survey")
                .path("left_out")
                .forEach(left -> leftOut.add(left.path("table").asString()
                        + (left.path("column").isNull()
                                ? ""
                                : "." + left.path("column").asString()) + ": "
                        + left.path("reason").asString()));
        return leftOut;
    }

    @Test
    void aSurveyThatWasInterruptedFindsTheSame() throws Exception {
        BlobmarkProcess.assumeInterruptArrives();
        String[] options = {"--min-size=0", "--schemas=shop", "--seed=7"};
        try (BlobmarkProcess all = survey(with(options, "--out=whole"))) {
            assertThat(all.exitCode()).as(all.err()).isZero();
        }
        try (BlobmarkProcess part = survey(with(options, "--out=part"))) {
            part.await("two columns are recorded", () -> lines("part") >= 3);
            part.signal("INT");
            assertThat(part.exitCode()).as(part.err()).isEqualTo(130);
            assertThat(part.out()).contains("interrupted", "The survey is not complete. --resume continues it.");
            assertThat(part.err()).contains("--resume part\nSurvey: part\n").doesNotContain("blobmark: ");
        }
        assertThat(columns("part").size()).isLessThan(columns("whole").size());
        try (BlobmarkProcess rest = survey("--resume=part")) {
            assertThat(rest.exitCode()).as(rest.err()).isZero();
            assertThat(rest.out()).contains("complete").doesNotContain("--resume");
        }
        Map<String, Optional<SurveyedColumn.ColumnSample>> parts = samples("part");
        Map<String, Optional<SurveyedColumn.ColumnSample>> whole = samples("whole");
        assertThat(parts.keySet()).isEqualTo(whole.keySet());
        // a read of a busy machine may take longer than the limit
        whole.keySet().removeIf(column -> isSlow(whole.get(column)) || isSlow(parts.get(column)));
        parts.keySet().retainAll(whole.keySet());
        assertThat(parts).isNotEmpty().isEqualTo(whole);
    }

    private static boolean isSlow(Optional<SurveyedColumn.ColumnSample> sample) {
        return sample.isPresent()
                && sample.get().skipped().keySet().stream().anyMatch(reason -> reason.startsWith("took longer"));
    }

    private Map<String, Optional<SurveyedColumn.ColumnSample>> samples(String name) {
        Map<String, Optional<SurveyedColumn.ColumnSample>> samples = new HashMap<>();
        columns(name).forEach((column, surveyed) -> samples.put(column, surveyed.sample()));
        return samples;
    }

    private static String[] with(String[] options, String more) {
        List<String> all = new ArrayList<>(List.of(options));
        all.add(more);
        return all.toArray(String[]::new);
    }

    private long lines(String name) {
        try {
            Path file = directory.resolve(name).resolve("survey.jsonl");
            return Files.exists(file) ? Files.readString(file).lines().count() : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void limitsEndASurvey() throws Exception {
        try (BlobmarkProcess survey = survey("--min-size=0", "--max-read=1", "--out=little", "--schemas=shop")) {
            assertThat(survey.exitCode()).as(survey.err()).isZero();
            assertThat(survey.out()).contains("ended by --max-read");
            assertThat(survey.err()).contains("--resume little --max-read SIZE");
        }
        assertThat(columns("little").values().stream().filter(column -> column.readBytes() > 0))
                .hasSize(1);
        try (BlobmarkProcess survey = survey("--min-size=0", "--critical-load=Uptime=0", "--out=critical")) {
            assertThat(survey.exitCode()).as(survey.err()).isEqualTo(7);
            assertThat(survey.err()).contains("ended by --critical-load: uptime = ");
        }
        try (BlobmarkProcess survey = survey("--schemas=shopp", "--out=none")) {
            assertThat(survey.exitCode()).isEqualTo(2);
            assertThat(survey.err()).contains("--schemas: there is no schema 'shopp', or the account may not see it");
        }
        assertThat(directory.resolve("none")).doesNotExist();
        try (BlobmarkProcess survey = survey("--min-size=1TB", "--out=nothing")) {
            assertThat(survey.exitCode()).as(survey.err()).isZero();
            assertThat(survey.out()).contains("No column was read.");
        }
    }

    /** The ranking by a sample, against that by all values. */
    @Test
    void theRankingIsThatOfAllValues() throws Exception {
        Map<String, IntFunction<byte[]>> kinds = new HashMap<>();
        kinds.put("json", i -> bytes(json(i)));
        kinds.put("prose", i -> bytes(text(1_500)));
        kinds.put("noise", i -> noise(700));
        kinds.put("image", i -> jpeg(2_000));
        kinds.put("hex", i -> bytes(HexFormat.of().formatHex(noise(300))));
        kinds.put("base64", i -> Base64.getEncoder().encode(noise(900)));
        kinds.put("gzip", i -> gzip(bytes(text(3_000))));
        kinds.put("zeros", i -> new byte[1 + i % 3_000]);
        kinds.put("mixed", i -> i % 4 == 0 ? bytes(text(4_000)) : noise(500));
        kinds.put("sorted", i -> i < 900 ? bytes(text(2_500)) : noise(50));
        kinds.put("small", i -> bytes("{\"u\":" + i + ",\"on\":true}"));
        kinds.put("xml", i -> bytes("<row id=\"" + i + "\"><name>" + text(40) + "</name><state>open</state></row>"));
        Map<String, Double> full = new HashMap<>();
        for (var kind : kinds.entrySet()) {
            execute("CREATE TABLE kinds." + kind.getKey() + " (id INT PRIMARY KEY, v MEDIUMBLOB)");
            insert(
                    "kinds." + kind.getKey(),
                    1_500,
                    i -> List.of(i, kind.getValue().apply(i)));
            execute("ANALYZE TABLE kinds." + kind.getKey());
            full.put("kinds." + kind.getKey() + ".v", saving(kind.getKey()));
        }

        try (BlobmarkProcess survey = survey("--min-size=0", "--schemas=kinds", "--out=ranked")) {
            assertThat(survey.exitCode()).as(survey.err()).isZero();
        }

        Map<String, Double> sampled = new HashMap<>();
        json("ranked")
                .path("columns")
                .forEach(column -> sampled.put(
                        column.path("column").asString(),
                        column.path("saving_bytes").path("value").asDouble()));
        assertThat(sampled.keySet()).isEqualTo(full.keySet());
        assertThat(spearman(full, sampled)).isGreaterThan(0.9);
    }

    private static byte[] gzip(byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(value);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    /** With the best codec for all values. */
    private double saving(String table) throws SQLException {
        List<byte[]> values = new ArrayList<>();
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery("SELECT v FROM kinds." + table)) {
            while (row.next()) {
                values.add(row.getBytes(1));
            }
        }
        long bytes = values.stream().mapToLong(value -> value.length).sum();
        long least = SampleEncoding.CODECS.stream()
                .map(Codecs::parse)
                .mapToLong(codec -> values.stream()
                        .mapToLong(value -> encoded(codec, value))
                        .sum())
                .min()
                .orElseThrow();
        return Math.max(0, bytes - least);
    }

    private static int encoded(Codec codec, byte[] value) {
        return codec.encode(value, 0, value.length, new byte[codec.maxEncodedLength(value.length)], 0);
    }

    private static double spearman(Map<String, Double> one, Map<String, Double> other) {
        List<String> names = List.copyOf(one.keySet());
        Function<Map<String, Double>, double[]> ranks = figures -> names.stream()
                .mapToDouble(name -> {
                    double own = figures.get(name);
                    long below = figures.values().stream().filter(x -> x < own).count();
                    long equal = figures.values().stream().filter(x -> x == own).count();
                    return below + (equal - 1) / 2.0;
                })
                .toArray();
        double[] a = ranks.apply(one);
        double[] b = ranks.apply(other);
        double mean = (names.size() - 1) / 2.0;
        double ab = IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - mean) * (b[i] - mean))
                .sum();
        double aa = IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - mean) * (a[i] - mean))
                .sum();
        double bb = IntStream.range(0, a.length)
                .mapToDouble(i -> (b[i] - mean) * (b[i] - mean))
                .sum();
        return ab / Math.sqrt(aa * bb);
    }
}
