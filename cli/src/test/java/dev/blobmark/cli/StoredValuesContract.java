package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryFiles;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A look into a column that holds all forms, with an account that may only read. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StoredValuesContract {

    private static final String PASSWORD = "only reads";
    private static final String COLUMN = "shop.orders.payload";
    private static final int ENCODED = 900;

    private final Map<String, byte[]> values = new TreeMap<>();
    private ValueDictionary used;
    private ValueDictionary unused;
    private OwnServer server;
    private Connection owner;

    @TempDir
    private Path directory;

    abstract OwnServer start() throws Exception;

    @BeforeAll
    void makeValues() throws Exception {
        server = start();
        owner = JdbcDriver.connectForLoading(server.endpoint(), "");
        execute("CREATE DATABASE shop");
        execute("CREATE TABLE shop.orders (country VARCHAR(10), id BINARY(2), payload MEDIUMBLOB,"
                + " PRIMARY KEY (country, id))");
        execute("CREATE TABLE shop.texts (id INT PRIMARY KEY, doc TEXT)");
        used = trained(1);
        unused = trained(2);
        DictionaryTable table = DictionaryTable.in(source(), "shop").create();
        table.add(used, "shop.orders", "payload");
        table.add(unused, "shop.orders", "payload");
        ValueFormat[] formats = {
            writing("zstd:3", Dictionaries.of(used)),
            writing("zstd:3", Dictionaries.NONE),
            writing("lz4", Dictionaries.NONE)
        };
        for (int i = 0; i < ENCODED; i++) {
            insert(i, json(i), formats[i % 3].encode(json(i)));
        }
        byte[] like = {(byte) 0xBE, (byte) 0xC1, 1, 2, 3};
        insert(2_000, "short".getBytes(StandardCharsets.UTF_8));
        insert(2_001, new byte[0]);
        insert(2_002, null);
        insert(2_003, like, formats[0].encode(like));
        insert(2_004, new byte[] {0x1F, (byte) 0x8B, 8, 0, 7});
        byte[] truncated = formats[2].encode(json(1));
        insert(2_005, null, Arrays.copyOf(truncated, truncated.length - 3));
        byte[] newer = formats[2].encode(json(1));
        newer[2] |= (byte) 0x80;
        insert(2_006, null, newer);
        execute("INSERT INTO shop.orders SELECT 'DE', X'2007', COMPRESS(REPEAT('text ', 100))");
        values.put("2007", "text ".repeat(100).getBytes(StandardCharsets.UTF_8));
        for (String host : List.of("%", "localhost")) {
            execute("CREATE USER 'reader'@'" + host + "' IDENTIFIED BY '" + PASSWORD + "'");
            execute("GRANT SELECT ON shop.* TO 'reader'@'" + host + "'");
            execute("GRANT SELECT ON `copy`.* TO 'reader'@'" + host + "'");
        }
    }

    @AfterAll
    void stop() throws SQLException {
        if (owner != null) {
            owner.close();
            server.close();
        }
    }

    /** Long enough to be worth a frame with each codec. */
    private static byte[] json(long seed) {
        Random random = new Random(seed);
        StringBuilder json = new StringBuilder("{\"customer\": %d, \"positions\": [".formatted(random.nextInt()));
        for (int i = 0; i < 6; i++) {
            json.append("{\"article number\": %d, \"quantity\": %d, \"price in cents\": %d}, "
                    .formatted(random.nextInt(100_000), random.nextInt(10), random.nextInt(10_000)));
        }
        return json.append("null]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static ValueDictionary trained(int seed) {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int i = 0; i < 1_000; i++) {
            trainer.add(json(100_000L * seed + i));
        }
        return trainer.train(4_000, 3).orElseThrow().dictionary();
    }

    private ValueFormat writing(String codec, Dictionaries dictionaries) {
        ValueFormat.Builder builder = ValueFormat.builder().writes(codec).dictionaries(dictionaries);
        dictionaries.find(used.number()).ifPresent(builder::writesWith);
        ValueFormat format = builder.build();
        format.startWriting();
        return format;
    }

    private DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> JdbcDriver.connectForLoading(server.endpoint(), ""));
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    private void insert(int number, byte[] raw) throws SQLException {
        insert(number, raw, raw);
    }

    /** @param value that must be read; null for none */
    private void insert(int number, byte[] value, byte[] stored) throws SQLException {
        String id = "%04d".formatted(number);
        try (PreparedStatement insert =
                owner.prepareStatement("INSERT INTO shop.orders VALUES ('DE', UNHEX('" + id + "'), ?)")) {
            insert.setBytes(1, stored);
            insert.execute();
        }
        values.put(id, value);
    }

    private String[] words(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add("--server=mysql://reader@" + server.endpoint().authority() + "/");
        return words.toArray(String[]::new);
    }

    private BlobmarkProcess start(String... arguments) throws Exception {
        return BlobmarkProcess.start(directory, Map.of("BLOBMARK_PASSWORD", PASSWORD), words(arguments));
    }

    private BlobmarkProcess run(Map<String, String> more, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(words(arguments)));
        words.add("--max-load=");
        Map<String, String> environment = new HashMap<>(more);
        environment.put("BLOBMARK_PASSWORD", PASSWORD);
        return BlobmarkProcess.start(directory, environment, words.toArray(String[]::new));
    }

    private JsonNode census(int exitCode, String column, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("survey", "--values", column, "--format", "json"));
        words.addAll(List.of(more));
        try (BlobmarkProcess survey = run(Map.of(), words.toArray(String[]::new))) {
            assertThat(survey.exitCode()).as(survey.err()).isEqualTo(exitCode);
            return JsonMapper.shared().readTree(survey.out());
        }
    }

    private static Map<String, Long> forms(JsonNode census) {
        Map<String, Long> forms = new HashMap<>();
        census.get("forms")
                .forEach(form -> forms.put(
                        form.get("form").asString(), form.get("values").asLong()));
        return forms;
    }

    private String name(ValueDictionary dictionary) {
        return ValueDictionary.name(dictionary.number());
    }

    private static Map<String, String> states(JsonNode census) {
        Map<String, String> states = new HashMap<>();
        census.get("dictionaries")
                .forEach(one -> states.put(
                        one.get("number").asString(),
                        one.get("values").asLong() + " " + one.get("state").asString()));
        return states;
    }

    @Test
    void allFormsAreCounted() throws Exception {
        JsonNode census = census(1, COLUMN, "--reads-sql");
        assertThat(forms(census))
                .containsOnly(
                        Map.entry("frame, version 1, zstd, dictionary " + name(used) + ", checksum", 300L),
                        Map.entry("frame, version 1, zstd, checksum", 300L),
                        Map.entry("frame, version 1, lz4, checksum", 300L),
                        Map.entry("frame, version 1, escaped: raw", 1L),
                        Map.entry("raw", 1L),
                        Map.entry("raw, looks like gzip", 1L),
                        Map.entry("empty", 1L),
                        Map.entry("COMPRESS()", 1L),
                        Map.entry("begins like a frame, and is none", 1L),
                        Map.entry("begins like a frame of a newer version", 1L));
        assertThat(census.get("rows").asLong()).isEqualTo(ENCODED + 8);
        assertThat(census.get("nulls").asLong()).isEqualTo(1);
        assertThat(census.get("unreadable").asLong()).isEqualTo(2);
        assertThat(census.get("first").get(0).get("key").asString()).isEqualTo("DE, 0x2005");
        assertThat(census.get("first").get(1).get("reason").asString()).contains("version 3 of the value format");
        assertThat(states(census))
                .containsOnly(Map.entry(name(used), "300 PRESENT"), Map.entry(name(unused), "0 PRESENT"));
        assertThat(census.get("unused_codecs").toString()).isEqualTo("[\"deflate\",\"brotli\",\"snappy\"]");
        assertThat(forms(census(1, COLUMN))).containsEntry("raw, looks like COMPRESS()", 1L);
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 120})
    void theTableFitsATerminal(int columns) throws Exception {
        try (BlobmarkProcess survey =
                run(Map.of("COLUMNS", "" + columns), "survey", "--values", COLUMN, "--reads-sql")) {
            assertThat(survey.exitCode()).as(survey.err()).isEqualTo(1);
            assertThat(survey.out().lines()).allMatch(line -> line.length() <= columns);
            assertThat(survey.out())
                    .contains("zstd, dictionary " + name(used))
                    .contains("present, no value here")
                    .contains("key DE, 0x2005: begins like a frame, and is none")
                    .contains("deflate, brotli, snappy");
        }
    }

    /** It waits for the load, as the server is older than 0 s. What it has read until then is said to be partial. */
    @Test
    void anInterruptedSurveyReportsWhatItHasRead() throws Exception {
        BlobmarkProcess.assumeInterruptArrives();
        for (String form : List.of("table", "json")) {
            try (BlobmarkProcess survey =
                    start("survey", "--values", COLUMN, "--format", form, "--max-load=Uptime=0")) {
                survey.await("reading pauses", () -> survey.err().contains(" paused: "));

                survey.signal("INT");

                assertThat(survey.exitCode()).as(survey.err()).isEqualTo(130);
                assertThat(survey.err()).doesNotContain("blobmark: ");
                if (form.equals("json")) {
                    JsonNode census = JsonMapper.shared().readTree(survey.out());
                    assertThat(census.get("is_complete").asBoolean()).isFalse();
                    assertThat(census.get("rows").asLong()).isBetween(1L, ENCODED + 8L);
                } else {
                    assertThat(survey.out())
                            .containsPattern("reading was interrupted after [0-9,]+ rows")
                            .doesNotContain("could be withdrawn", "all can be read");
                }
            }
            assertNoSession();
        }
    }

    /** The server ends a session after its client has closed it. */
    private void assertNoSession() throws SQLException {
        String sessions = "SELECT id FROM information_schema.processlist WHERE user = 'reader'";
        for (int i = 0; i < 200 && !Sql.strings(owner, sessions).isEmpty(); i++) {
            execute("DO SLEEP(0.05)");
        }
        assertThat(Sql.strings(owner, sessions)).isEmpty();
    }

    @Test
    void aTerminalShowsHowMuchIsRead() throws Exception {
        try (BlobmarkProcess survey = BlobmarkProcess.startOnTerminal(
                90,
                Map.of("NO_COLOR", "1", "BLOBMARK_PASSWORD", PASSWORD),
                directory,
                words("survey", "--values", COLUMN, "--max-load="))) {
            assertThat(survey.exitCode()).as(survey.out()).isEqualTo(1);
            List<String> lines = List.of(survey.out().split("\r\u001b\\[K"));
            assertThat(lines.subList(1, lines.size() - 1))
                    .isNotEmpty()
                    .allSatisfy(bar -> assertThat(bar)
                            .matches(" {0,2}\\d+ % \\[=* *\\] .* left: reading .*" + COLUMN + ".*")
                            .hasSizeLessThan(90));
        }
    }

    @Test
    void aValueIsShownByItsKey() throws Exception {
        for (String id : List.of("0000", "0001", "0002", "2000", "2001", "2003")) {
            Path file = directory.resolve("value " + id);
            try (BlobmarkProcess decode =
                    run(Map.of(), "decode", COLUMN, "--key", "DE", "--key", "0x" + id, "--out", file.toString())) {
                assertThat(decode.exitCode()).as(decode.err()).isZero();
                assertThat(Files.getPosixFilePermissions(file))
                        .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
                assertThat(Files.readAllBytes(file)).isEqualTo(values.get(id));
            }
        }
        try (BlobmarkProcess decode = run(Map.of(), "decode", COLUMN, "--key", "DE", "--key", "0x0000")) {
            assertThat(decode.exitCode()).isZero();
            assertThat(decode.out()).isEqualTo(new String(values.get("0000"), StandardCharsets.UTF_8));
            assertThat(decode.err()).contains("frame, version 1, zstd, dictionary " + name(used) + ", checksum");
        }
        try (BlobmarkProcess decode = run(Map.of(), "decode", COLUMN, "--key", "DE", "--key", "0x2005")) {
            assertThat(decode.exitCode()).isEqualTo(1);
            assertThat(decode.out()).isEmpty();
            assertThat(decode.err()).contains("begins like a frame, and is none");
        }
        try (BlobmarkProcess decode = run(Map.of(), "decode", COLUMN, "--key", "DE")) {
            assertThat(decode.exitCode()).isEqualTo(1);
            assertThat(decode.err()).contains("its key has 2 columns (country, id), and 1 values were given");
        }
        try (BlobmarkProcess decode = run(Map.of(), "decode", "shop.texts.doc", "--key", "1")) {
            assertThat(decode.exitCode()).isEqualTo(1);
            assertThat(decode.err()).contains("it is of type text, and encoded values are bytes");
        }
    }

    @Test
    void allValuesAreExported() throws Exception {
        try (BlobmarkProcess decode = run(Map.of(), "decode", COLUMN, "--all", "--reads-sql")) {
            assertThat(decode.exitCode()).as(decode.err()).isEqualTo(1);
            assertThat(decode.err()).contains("2 values cannot be read");
            List<JsonNode> lines = decode.out()
                    .lines()
                    .map(line -> JsonMapper.shared().readTree(line))
                    .toList();
            assertThat(lines).hasSize(ENCODED + 8);
            int errors = 0;
            for (JsonNode line : lines) {
                assertThat(line.get("key").get("country").asString()).isEqualTo("DE");
                String key = line.get("key").get("id").asString();
                byte[] value = values.get(key.startsWith("0x") ? key.substring(2) : hex(key));
                if (line.has("error")) {
                    errors++;
                } else if (line.get("form").asString().equals("NULL")) {
                    assertThat(value).isNull();
                } else {
                    assertThat(
                                    line.has("text")
                                            ? line.get("text").asString().getBytes(StandardCharsets.UTF_8)
                                            : Base64.getDecoder()
                                                    .decode(line.get("base64").asString()))
                            .isEqualTo(value);
                }
            }
            assertThat(errors).isEqualTo(2);
        }
    }

    /** What an application reads with its options is not reported as unreadable. */
    @Test
    void valuesAreReadByTheOptionsOfTheApplication() throws Exception {
        execute("CREATE TABLE shop.options (id INT PRIMARY KEY, payload LONGBLOB)");
        ValueFormat longer = ValueFormat.builder()
                .maxLength(128 << 20)
                .writes("zstd:1")
                .dictionaries(Dictionaries.NONE)
                .build();
        longer.startWriting();
        byte[] collision = {(byte) 0xBE, (byte) 0xC1, 1, 2, 3};
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO shop.options VALUES (1, ?), (2, ?)")) {
            insert.setBytes(1, longer.encode(new byte[70 << 20]));
            insert.setBytes(2, collision);
            insert.execute();
        }
        JsonNode without = census(1, "shop.options.payload");
        assertThat(without.get("unreadable").asLong()).isEqualTo(2);
        assertThat(without.get("first").get(0).get("reason").asString())
                .contains("73400320 bytes, and at most 67108864 are read: see --max-length");
        JsonNode with = census(0, "shop.options.payload", "--max-length", "" + (128 << 20), "--collisions-are-legacy");
        assertThat(with.get("unreadable").asLong()).isZero();
        JsonNode shorter = census(1, "shop.options.payload", "--max-length", "1");
        assertThat(shorter.get("first").get(0).get("reason").asString()).contains("see --max-length");
        execute("DROP TABLE shop.options");
    }

    private static String hex(String text) {
        StringBuilder hex = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.ISO_8859_1)) {
            hex.append("%02x".formatted(each));
        }
        return hex.toString();
    }

    /** Values and dictionaries of a copy belong together; without the dictionaries, the missing ones are named. */
    @Test
    void aRestoredCopyIsProved() throws Exception {
        execute("CREATE DATABASE `copy`");
        if (!isRestored()) {
            for (String table : List.of("orders", "blobmark_dictionaries", "blobmark_dictionary_columns")) {
                execute("CREATE TABLE `copy`." + table + " LIKE shop." + table);
                execute("INSERT INTO `copy`." + table + " SELECT * FROM shop." + table);
            }
        }
        execute("DELETE FROM `copy`.orders WHERE id IN (X'2005', X'2006')");
        JsonNode whole = census(0, "copy.orders.payload", "--reads-sql");
        assertThat(whole.get("unreadable").asLong()).isZero();
        assertThat(states(whole)).containsEntry(name(used), "300 PRESENT");

        execute("DROP TABLE `copy`.blobmark_dictionaries");
        JsonNode without = census(1, "copy.orders.payload", "--reads-sql");
        assertThat(without.get("unreadable").asLong()).isEqualTo(300);
        assertThat(without.get("first")).hasSize(20);
        assertThat(without.get("first").get(0).get("reason").asString())
                .contains("dictionary " + name(used) + ", which was not found");
        assertThat(states(without)).containsOnly(Map.entry(name(used), "300 MISSING"));
        try (BlobmarkProcess survey = run(Map.of(), "survey", "--values", "copy.orders.payload", "--reads-sql")) {
            assertThat(survey.exitCode()).isEqualTo(1);
            assertThat(survey.out()).contains(name(used)).contains("MISSING");
        }
    }

    /** By the programs of the distribution; false if they are missing, or do not reach this server. */
    private boolean isRestored() throws IOException, InterruptedException, SQLException {
        Path dump = directory.resolve("dump.sql");
        List<String> login = List.of(
                "--host=" + server.endpoint().host(),
                "--port=" + server.endpoint().port(),
                "--protocol=tcp",
                "--user=" + server.endpoint().user());
        try {
            if (client("mysqldump", login, List.of("--hex-blob", "shop"), null, dump) == 0
                    && client("mysql", login, List.of("copy"), dump, directory.resolve("restored")) == 0) {
                return true;
            }
        } catch (IOException missing) {
            System.err.println("copied by SQL: " + missing.getMessage());
            return false;
        }
        System.err.println("copied by SQL: mysqldump did not reach the server");
        execute("DROP DATABASE `copy`");
        execute("CREATE DATABASE `copy`");
        return false;
    }

    private int client(String program, List<String> login, List<String> more, Path in, Path out)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(program));
        words.addAll(login);
        words.addAll(more);
        ProcessBuilder client =
                new ProcessBuilder(words).redirectOutput(out.toFile()).redirectErrorStream(in != null);
        client.environment().put("MYSQL_PWD", server.endpoint().password());
        if (in != null) {
            client.redirectInput(in.toFile());
        }
        return client.start().waitFor();
    }

    @Test
    void aFileIsDecodedWithDictionariesOfADirectory() throws Exception {
        Path file = directory.resolve("stored");
        Files.write(file, writing("zstd:3", Dictionaries.of(used)).encode(json(5)));
        Path out = directory.resolve("decoded");
        Invocation without = Invocation.of("decode", file.toString(), "--out", out.toString());
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.err()).contains("dictionary " + name(used) + ", which was not found");
        DictionaryFiles.in(directory.resolve("dictionaries")).write(used);
        Invocation with = Invocation.of(
                "decode",
                file.toString(),
                "--out",
                out.toString(),
                "--dictionaries",
                directory.resolve("dictionaries").toString());
        assertThat(with.exitCode()).as(with.err()).isZero();
        assertThat(Files.readAllBytes(out)).isEqualTo(json(5));
    }
}
