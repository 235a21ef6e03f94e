package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every server must do with values in columns of text and JSON, over each driver and kind of statement. */
abstract class TextColumnContract {

    private static final String SCHEMA = "text_test";
    private static final String LONG = "\u00e4\u20ac".repeat(20_000);

    private final Endpoint endpoint;
    final boolean isMariaDb;

    @TempDir
    private Path directory;

    private Connection connection;

    TextColumnContract(Endpoint endpoint, boolean isMariaDb) {
        this.endpoint = endpoint;
        this.isMariaDb = isMariaDb;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(endpoint, "");
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

    /** In the character set of a column. */
    private static ListedValues values(Column column) {
        return switch (column.id().replaceFirst("_.*", "")) {
            case "json" ->
                of(
                        StandardCharsets.UTF_8,
                        "{\"zeta\":1,\"a\":[true,null,1.50,1e3],\"a\\u0301\":\"\\ud83d\\ude00\"}",
                        "{ \"a\" : 1 }",
                        "\"text\"",
                        "12345678901234567890",
                        "null",
                        "{\"long\":\"" + LONG + "\"}");
            case "text:latin1", "mediumtext:latin1" ->
                of(java.nio.charset.Charset.forName("windows-1252"), "", "a ", "\u00e4\u20ac", "\u00fc".repeat(60_000));
            case "longtext:ascii" -> of(StandardCharsets.US_ASCII, "", "a ", "x".repeat(100_000));
            case "tinytext" -> of(StandardCharsets.UTF_8, "", "a ", "\u00e4\u20ac", "\ud83d\ude00'\\\"\n%_");
            default -> of(StandardCharsets.UTF_8, "", "a ", "\u00e4\u20ac", "\u0000\n'\\\"", "\u20ac".repeat(20_000));
        };
    }

    private static ListedValues of(java.nio.charset.Charset charset, String... texts) {
        return ListedValues.of(
                Stream.of(texts).map(text -> text.getBytes(charset)).toArray(byte[][]::new));
    }

    private EncodedValues load(Column column, String layout) throws Exception {
        EncodedValues encoded = EncodedValues.of(values(column), Codecs.parse("none"), directory, bytes -> {});
        MySqlTable table = new MySqlTable(connection, SCHEMA, "t", Layout.FACTOR.parse(layout), column);
        table.create();
        table.load(encoded, bytes -> {});
        table.readBack(encoded);
        return encoded;
    }

    static Stream<Map<String, String>> ways() {
        return Stream.of(
                        "json",
                        "tinytext",
                        "text",
                        "mediumtext",
                        "longtext",
                        "longtext:utf8mb4_bin",
                        "text:utf8mb3_general_ci",
                        "text:latin1",
                        "mediumtext:latin1_swedish_ci",
                        "longtext:ascii")
                .flatMap(column -> Stream.of("connector-j", "mariadb")
                        .flatMap(driver -> Stream.of("server", "text")
                                .flatMap(statement -> Stream.of("fetch", "scan")
                                        .map(workload -> Map.of(
                                                "column", column,
                                                "driver", driver,
                                                "statement", statement,
                                                "workload", workload)))))
                .filter(levels -> Factors.VOCABULARY.problems(Levels.of(levels)).isEmpty());
    }

    private Operation open(Map<String, String> levels, EncodedValues values) throws Exception {
        return Workload.FACTOR
                .parse(levels.get("workload"))
                .open(new Setup(Design.of(levels), values, endpoint, SCHEMA, "t"));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void givesEveryValueInEveryWay(Map<String, String> levels) throws Exception {
        EncodedValues values = load(Column.FACTOR.parse(levels.get("column")), "dynamic");
        boolean isScan = levels.get("workload").equals("scan");

        try (Operation operation = open(levels, values)) {
            for (int pass = 0; pass < 2; pass++) {
                for (int row = 0; row < (isScan ? 1 : values.count()); row++) {
                    operation.prepare(0, row);
                    assertThat(operation.perform(0, row))
                            .isEqualTo(isScan ? values.applicationBytes() : values.length(row));
                    operation.verify(0, row, pass == 0);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void findsAValueThatIsAnother(Map<String, String> levels) throws Exception {
        EncodedValues values = load(Column.FACTOR.parse(levels.get("column")), "dynamic");
        int changed = values.count() - 1;

        try (Operation operation = open(levels, values)) {
            sql("UPDATE " + SCHEMA + ".t SET data = '\"other\"' WHERE id = " + changed);
            operation.prepare(0, changed);
            operation.perform(0, changed);
            assertThatThrownBy(() -> operation.verify(0, changed, true)).isInstanceOf(WrongValueException.class);
        }
    }

    @Test
    void aLengthThatChangesIsFoundWithoutLookingAtTheContent() throws Exception {
        Map<String, String> levels = Map.of("column", "json", "workload", "fetch");
        EncodedValues values = load(Column.JSON, "compressed");

        try (Operation operation = open(levels, values)) {
            operation.perform(0, 1);
            operation.verify(0, 1, true);
            sql("UPDATE " + SCHEMA + ".t SET data = '{\"a\": 10}' WHERE id = 1");
            operation.perform(0, 1);
            assertThatThrownBy(() -> operation.verify(0, 1, false))
                    .isInstanceOf(WrongValueException.class)
                    .hasMessageMatching("key 1 has \\d+ bytes instead of \\d+");
        }
    }

    @Test
    void mariaDbRefusesDeeperDocumentsThanMySql() throws Exception {
        MySqlTable table = new MySqlTable(connection, SCHEMA, "t", Layout.FACTOR.parse("dynamic"), Column.JSON);
        table.create();
        EncodedValues fine = EncodedValues.of(nested(31), Codecs.parse("none"), directory, bytes -> {});
        table.load(fine, bytes -> {});
        table.readBack(fine);
        sql("DELETE FROM " + SCHEMA + ".t");
        EncodedValues deep = EncodedValues.of(nested(33), Codecs.parse("none"), directory, bytes -> {});
        if (isMariaDb) {
            assertThatThrownBy(() -> table.load(deep, bytes -> {})).isInstanceOf(SQLException.class);
        } else {
            table.load(deep, bytes -> {});
            table.readBack(deep);
        }
    }

    private static ListedValues nested(int levels) {
        return of(StandardCharsets.UTF_8, "[".repeat(levels) + "]".repeat(levels));
    }

    @Test
    void textIsWrittenToo() throws Exception {
        for (String workload : new String[] {"insert", "update", "mix:50"}) {
            assertThat(Factors.VOCABULARY.problems(Levels.of(
                            Map.of("column", "longtext", "workload", workload, "dataset", "random:62", "size", "1KB"))))
                    .isEmpty();
        }
        EncodedValues values = load(Column.FACTOR.parse("longtext"), "dynamic");
        try (Operation update = open(Map.of("column", "longtext", "workload", "update"), values)) {
            for (int row : IntStream.range(0, values.count()).toArray()) {
                update.prepare(0, row);
                update.perform(0, row);
                update.verify(0, row, true);
            }
        }
    }

    @Test
    void theServerSaysWhatItsJsonIs() throws Exception {
        Map<String, String> facts =
                new MySqlTable(connection, SCHEMA, "t", Layout.FACTOR.parse("dynamic"), Column.JSON).create();

        if (isMariaDb) {
            assertThat(facts)
                    .containsEntry("column_type", "longtext")
                    .containsEntry("collation_name", "utf8mb4_bin")
                    .containsEntry("check_clause", "json_valid(`data`)");
        } else {
            assertThat(facts).containsEntry("column_type", "json").doesNotContainKey("check_clause");
        }
    }
}
