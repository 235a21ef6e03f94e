package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java in the documents compiles, and runs on a server, with no more around it than what is stated here. */
class DocumentedCodeIT {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```java([^\n]*)\n(.*?)^ *```$");
    private static final Pattern MEMBER = Pattern.compile("(?m)^static .*;\n");

    private static final String IMPORTS = """
            import dev.blobmark.value.*;
            import dev.blobmark.value.DictionaryTrainer.Trial;
            import dev.blobmark.value.ReaderRegistry.Announcement;
            import dev.blobmark.value.spring.ValueTypeConverter;
            import java.sql.*;
            import java.util.*;
            import javax.sql.DataSource;
            import org.springframework.data.r2dbc.convert.R2dbcCustomConversions;
            import org.springframework.data.r2dbc.dialect.MySqlDialect;
            """;

    /**
     * Blocks of a document that belong together, in their order.
     *
     * @param page the document
     * @param blocks which of its blocks of Java, counted from 0
     * @param before what the reader has already
     * @param after what shows that the blocks did what the document says
     */
    private record Example(String page, List<Integer> blocks, String before, String after) {

        String source() throws IOException {
            List<String> all = blocksOf(ROOT.resolve(page));
            String text = blocks.stream().map(all::get).collect(Collectors.joining("\n"));
            boolean isMembers = text.contains("\nstatic ");
            String members = isMembers
                    ? text
                    : MEMBER.matcher(text).results().map(match -> match.group()).collect(Collectors.joining());
            String statements = isMembers ? "" : MEMBER.matcher(text).replaceAll("");
            return IMPORTS + "public class Documented {\n" + members
                    + "public static void run(DataSource dataSource, Connection connection) throws Exception {\n"
                    + before
                    + statements + after + "}\n"
                    + "static void check(boolean is) { if (!is) throw new AssertionError(); }\n}\n";
        }

        @Override
        public String toString() {
            return page + " " + blocks;
        }
    }

    private static final String ROWS =
            "ResultSet rows = connection.createStatement().executeQuery(\"SELECT payload FROM orders ORDER BY id\");\n";

    private static final List<Example> EXAMPLES = List.of(
            new Example("docs/value.md", List.of(0), """
                    PAYLOAD.startWriting();
                    byte[] payload = new byte[1_000];
                    PreparedStatement insert = connection.prepareStatement("SELECT ?");
                    ResultSet rows = connection.createStatement().executeQuery("SELECT payload FROM orders WHERE id = 0");
                    rows.next();
                    """, """
                    ResultSet inserted = insert.executeQuery();
                    inserted.next();
                    check(inserted.getBytes(1).length < 100);
                    check(Arrays.equals(PAYLOAD.decode(inserted.getBytes(1)), payload));
                    check(Arrays.equals(found, rows.getBytes(1))); // stored before
                    """),
            new Example("docs/value.md", List.of(1), "", """
                    format.startWriting();
                    check(format.encode(new byte[1_000]).length < 100);
                    check(readers.readers().size() == 1);
                    announcement.close();
                    check(readers.readers().isEmpty());
                    readers.close();
                    """),
            new Example("docs/value.md", List.of(2, 3), ROWS, """
                    format.startWriting();
                    rows.beforeFirst();
                    rows.next();
                    byte[] value = rows.getBytes(1);
                    check(format.encode(value).length < value.length);
                    check(Arrays.equals(format.decode(format.encode(value)), value));
                    dictionaries.close();
                    """),
            new Example("docs/value.md", List.of(4), """
                    record Payload(byte[] bytes) {}
                    ValueFormat FORMAT = ValueFormat.builder().writes("zstd:3").build();
                    """, """
                    check(conversions.hasCustomWriteTarget(Payload.class));
                    check(conversions.hasCustomReadTarget(java.nio.ByteBuffer.class, Payload.class));
                    """),
            new Example(
                    "docs/measurement.md",
                    List.of(0),
                    "PreparedStatement select = connection.prepareStatement(\"SELECT payload FROM orders WHERE id = ?\");\n",
                    "check(run(select, new SplittableRandom(1), 100, 1_000_000) > 0);\n"));

    /** Whole files, which other tests compile and run. */
    private static final Map<String, String> ELSEWHERE =
            Map.of("docs/adopt.md", "AdoptIT", "docs/codecs.md", "PublishedLibraryTest");

    private static List<String> blocksOf(Path page) throws IOException {
        return BLOCK.matcher(Files.readString(page))
                .results()
                .map(match -> match.group(2))
                .toList();
    }

    @Test
    void noBlockIsForgotten() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        try (Stream<Path> pages =
                Stream.concat(Stream.of(ROOT.resolve("README.md")), Files.walk(ROOT.resolve("docs")))) {
            for (Path page :
                    pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                found.merge(ROOT.relativize(page).toString(), blocksOf(page).size(), Integer::sum);
                assertThat(BLOCK.matcher(Files.readString(page)).results().map(match -> match.group(1)))
                        .as("%s: blocks are marked by nothing but java", page)
                        .allMatch(String::isEmpty);
            }
        }
        found.values().removeIf(count -> count == 0);
        found.keySet().removeAll(ELSEWHERE.keySet());
        assertThat(found)
                .isEqualTo(EXAMPLES.stream()
                        .collect(Collectors.toMap(
                                Example::page, example -> example.blocks().size(), Integer::sum)));
    }

    static Stream<Arguments> examplesAndProducts() {
        return EXAMPLES.stream()
                .flatMap(example -> Stream.of(Arguments.of(example, "MariaDB"), Arguments.of(example, "MySQL")));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("examplesAndProducts")
    void theExampleRuns(Example example, String product, @TempDir Path directory) throws Exception {
        DataSource source = TestServers.source(product);
        Path file = Files.writeString(directory.resolve("Documented.java"), example.source());
        StringWriter messages = new StringWriter();
        boolean isCompiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        messages,
                        null,
                        null,
                        List.of(
                                "-d",
                                directory.toString(),
                                "-proc:none",
                                "-classpath",
                                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))),
                        null,
                        ToolProvider.getSystemJavaCompiler()
                                .getStandardFileManager(null, null, null)
                                .getJavaFileObjects(file))
                .call();
        assertThat(isCompiled).as("%s\n%s", messages, example.source()).isTrue();

        try (URLClassLoader loader = new URLClassLoader(
                        new URL[] {directory.toUri().toURL()}, getClass().getClassLoader());
                Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "DROP TABLE IF EXISTS orders, blobmark_readers, blobmark_dictionaries,"
                            + " blobmark_dictionary_columns");
            Sql.execute(connection, "CREATE TABLE orders (id INT PRIMARY KEY, payload MEDIUMBLOB)");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
                for (int i = 0; i < 1_000; i++) {
                    insert.setInt(1, i);
                    insert.setBytes(2, document(i));
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            loader.loadClass("Documented")
                    .getMethod("run", DataSource.class, Connection.class)
                    .invoke(null, source, connection);
        }
    }

    /** Alike, and with text that occurs in all of them. */
    private static byte[] document(int i) {
        return ("{\"customer_name\": \"customer " + i + "\", \"delivery_address\": {\"street\": \"street " + i % 17
                        + "\", \"postal_code\": \"" + (10_000 + i)
                        + "\"}, \"state\": \"delivered\", \"currency\": \"EUR\", \"articles\": [" + i * 7 + ", "
                        + i * 13
                        + "]}")
                .getBytes();
    }
}
