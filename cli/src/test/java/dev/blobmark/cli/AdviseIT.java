package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceFile;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Advice for a column of JSON documents of a running server, and what can be done with it. */
class AdviseIT {

    @TempDir
    private Path directory;

    @Test
    void adviceForAColumnOfAServer() throws Exception {
        try (OwnServer server = OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(128 << 20));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(connection, "CREATE DATABASE shop");
            Sql.execute(connection, "CREATE TABLE shop.orders (id INT PRIMARY KEY, payload JSON)");
            // the second half is of another kind than the first
            Sql.execute(
                    connection,
                    "INSERT INTO shop.orders SELECT seq, CONCAT('{\"id\": ', seq, ', \"text\": \"', IF(seq <= 300,"
                            + " REPEAT(CONCAT('item ', seq MOD 7, ', '), 300),"
                            + " (SELECT GROUP_CONCAT(MD5(CONCAT(a.seq, '-', b.seq)) SEPARATOR '')"
                            + " FROM shop.seq_1_to_60 b)), '\"}') FROM shop.seq_1_to_600 a");
            String before = checksum(connection);
            String target = "--server=mysql://" + server.endpoint().user() + "@127.0.0.1:"
                    + server.endpoint().port() + "/";
            try (BlobmarkProcess advise = BlobmarkProcess.start(
                    directory,
                    Map.of("BLOBMARK_PASSWORD", server.endpoint().password()),
                    "advise",
                    "--data=shop.orders.payload",
                    target,
                    "--prefer=disk",
                    "--reads=100",
                    "--time=45s",
                    "--out=advice")) {
                assertThat(advise.exitCode()).as(advise.err()).isZero();
                assertThat(advise.out())
                        .contains("table:shop.orders.payload: 600 values", "JSON", "× smaller", "How")
                        .contains("ALTER TABLE `shop`.`orders`");
            }
            assertThat(checksum(connection)).as("the user's table").isEqualTo(before);
            assertThat(Sql.row(
                                    connection,
                                    "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?",
                                    "blobmark")
                            .values())
                    .as("the schema is dropped")
                    .containsExactly("0");

            Path found = directory.resolve("advice");
            Advice advice = AdviceFile.read(found);
            assertThat(advice.values().count()).isEqualTo(600);
            // half of the values is of hexadecimal digits, which take half; the other half nearly vanishes
            assertThat(advice.entries().stream()
                            .mapToDouble(entry -> entry.candidate().figures().ratio())
                            .max()
                            .orElseThrow())
                    .isBetween(2.5, 6.0);
            assertThat(advice.recommended().diskBytes())
                    .isLessThan(advice.present().diskBytes());
            // a busy machine may have no time for a race
            assertThat(advice.present().raced().isPresent()
                            || advice.notes().get(0).startsWith("the time was over"))
                    .isTrue();
            if (advice.present().raced().isPresent()) {
                assertThat(RunDirectory.open(found.resolve("race")).samples()).isNotEmpty();
            }
            assertThat(RunDirectory.open(found.resolve("curve")).samples()).isNotEmpty();

            Invocation report = Invocation.of("report", found.toString());
            assertThat(report.exitCode()).isZero();
            assertThat(report.out()).contains("table:shop.orders.payload: 600 values");
            Invocation whatIf = Invocation.of("whatif", found.toString(), "--link=10mbit");
            assertThat(whatIf.out()).contains("over 10mbit, 1 thread, by forecast", "The advice");
            assertThat(Invocation.of("whatif", found.toString(), "--link=10mbit", "--format=json")
                            .out())
                    .contains("\"link\" : \"10mbit\"", "\"recommended\" : ", "\"candidate\" : \"as-is\"");
            assertThat(Invocation.of("whatif", found.toString(), "--link=10mbit", "--format=xml")
                            .err())
                    .contains("--format: 'xml' is none of table, markdown, json");
            assertThat(Invocation.of("whatif", found.toString(), "--size=8MB").err())
                    .contains("there are no values of 4MB-16MB among those that were measured");

            Invocation fromHosts = Invocation.of("advise", "--check=" + found, "--on=spark://m:1", "--hosts=2");
            assertThat(fromHosts.exitCode()).isEqualTo(2);
            assertThat(fromHosts.err())
                    .contains("--check: the advice was measured from this machine; leave out --on and --hosts");

            adviseWithoutWriting(server, connection);
            try (BlobmarkProcess check = BlobmarkProcess.start(
                    directory,
                    Map.of("BLOBMARK_PASSWORD", server.endpoint().password()),
                    "advise",
                    "--check=advice",
                    target,
                    "--time=10s",
                    "--out=checked")) {
                // on a busy machine it may be shown to be slower
                assertThat(check.exitCode()).as(check.err()).isIn(0, 99);
                assertThat(check.out()).containsPattern("It (holds|does not hold any more): ");
            }
        }
    }

    /** By an account that may only read. */
    private void adviseWithoutWriting(OwnServer server, Connection connection) throws Exception {
        Sql.execute(connection, "CREATE USER reader@'%' IDENTIFIED BY 'r'");
        Sql.execute(connection, "GRANT SELECT ON shop.* TO reader@'%'");
        Files.writeString(directory.resolve("prices.yaml"), "currency: EUR\ndisk-gb-month: 1000\nvcpu-hour: 0.05\n");
        try (BlobmarkProcess advise = BlobmarkProcess.start(
                directory,
                Map.of("BLOBMARK_PASSWORD", "r"),
                "advise",
                "--data=shop.orders.payload",
                "--server=mysql://reader@127.0.0.1:" + server.endpoint().port() + "/",
                "--no-write",
                "--prices=prices.yaml",
                "--rate=10",
                "--time=10s",
                "--out=unwritten")) {
            assertThat(advise.exitCode()).as(advise.err()).isZero();
            assertThat(advise.out().replaceAll("\\s+", " "))
                    .contains("nothing was written to the server", "µs by forecast", "round trip")
                    .containsPattern("money saves [0-9.]+ EUR a month \\(disk and backups -[0-9.]+ EUR");
        }
        Advice advice = AdviceFile.read(directory.resolve("unwritten"));
        assertThat(advice.entries())
                .allSatisfy(entry -> assertThat(entry.raced()).isEmpty());
        assertThat(advice.origin().network().orElseThrow().bytes()).isLessThan(8 << 20);
        assertThat(Files.exists(directory.resolve("unwritten").resolve("race"))).isFalse();
    }

    private static String checksum(Connection connection) throws Exception {
        return Sql.row(connection, "CHECKSUM TABLE shop.orders").toString();
    }

    /**
     * Without a key, in other character sets, generated, mostly NULL, behind a view; and on a server that is read-only.
     */
    @Test
    void columnsOfOtherKindsAreReadAndNothingOfTheUsersIsTouched() throws Exception {
        try (OwnServer server = OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(128 << 20));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(connection, "CREATE DATABASE shop");
            Sql.execute(
                    connection,
                    "CREATE TABLE shop.kinds (id INT PRIMARY KEY, wide TEXT CHARACTER SET ucs2, czech TEXT CHARACTER SET cp1250,"
                            + " loud TEXT CHARACTER SET utf8mb4 AS (UPPER(czech)) STORED)");
            Sql.execute(
                    connection,
                    "INSERT INTO shop.kinds (id, wide, czech) SELECT seq, REPEAT(CONCAT('položka ', seq MOD 7, ', '), 100),"
                            + " IF(seq MOD 4 = 0, REPEAT(CONCAT('kůň ', seq MOD 5, ', '), 100), NULL)"
                            + " FROM shop.seq_1_to_400");
            Sql.execute(connection, "CREATE VIEW shop.looks AS SELECT * FROM shop.kinds");
            Sql.execute(connection, "CREATE TABLE shop.keyless AS SELECT czech FROM shop.kinds");
            Sql.execute(connection, "CREATE TABLE shop.nothing (id INT PRIMARY KEY, body TEXT)");
            Sql.execute(connection, "CREATE USER app@'%' IDENTIFIED BY 'a'");
            Sql.execute(
                    connection, "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, PROCESS ON *.* TO app@'%'");
            String before = state(connection);

            Asked wide = advise(server, "shop.kinds.wide", "wide");
            assertThat(wide.exitCode()).as(wide.err()).isZero();
            assertThat(wide.err()).contains("the column is measured as bytes, in a MEDIUMBLOB: ", "ucs2");
            assertThat(wide.advice().values().count()).isEqualTo(400);
            // two bytes for each character
            assertThat(wide.advice().values().median()).isEqualTo(100 * 2 * "položka 1, ".length());

            Asked czech = advise(server, "shop.kinds.czech", "czech", "--no-write");
            assertThat(czech.exitCode()).as(czech.err()).isZero();
            assertThat(czech.advice().values().sampled())
                    .as("values that are not NULL")
                    .isEqualTo(100);
            assertThat(czech.advice().values().median()).isEqualTo(100 * "kůň 1, ".length());

            assertNotRead(server, "shop.looks.czech", "it is a view, which has no key for sampling");
            assertNotRead(server, "shop.keyless.czech", "the table has no primary key or other unique index");
            assertNotRead(server, "shop.nothing.body", "the table is empty");

            Sql.execute(connection, "SET GLOBAL read_only = 1");
            Asked refused = advise(server, "shop.kinds.loud", "refused");
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(6);
            assertThat(refused.err()).contains("read_only").doesNotContain("internal error");
            assertThat(directory.resolve("refused")).doesNotExist();
            Asked generated = advise(server, "shop.kinds.loud", "generated", "--no-write", "--max-memory=32KB");
            assertThat(generated.exitCode()).as(generated.err()).isZero();
            assertThat(generated.advice().values().sampled()).isEqualTo(100);
            assertNoneNeedsMoreMemory(generated.advice(), 32 << 10);

            assertThat(state(connection)).isEqualTo(before);
        }
    }

    /** The smallest is of zstd, brotli or deflate; each needs at least 70 KB. */
    private static void assertNoneNeedsMoreMemory(Advice advice, long bytes) {
        List<Advice.Entry> encoded = advice.entries().stream()
                .filter(entry -> entry.candidate().codec().isPresent())
                .toList();
        assertThat(encoded)
                .allSatisfy(entry -> assertThat(
                                entry.reason().matches("it needs [0-9.]+ MB a thread, more than allowed"))
                        .as(entry.id() + ": " + entry.reason())
                        .isEqualTo(entry.candidate().figures().memoryBytes().orElseThrow() > bytes));
        assertThat(encoded).anySatisfy(entry -> assertThat(entry.standing()).isEqualTo(Advice.Standing.EXCLUDED));
        assertThat(advice.recommended().candidate().figures().memoryBytes().orElse(0))
                .isLessThanOrEqualTo(bytes);
    }

    private void assertNotRead(OwnServer server, String column, String reason) throws Exception {
        Asked none = advise(server, column, "none", "--no-write");
        assertThat(none.exitCode()).as(none.err()).isOne();
        assertThat(none.err()).contains("blobmark: table:" + column + ": " + reason);
        assertThat(directory.resolve("none")).doesNotExist();
    }

    /** The rows, and all that exists. */
    private static String state(Connection connection) throws Exception {
        return Sql.row(connection, "CHECKSUM TABLE shop.kinds")
                + Sql.row(
                                connection,
                                "SELECT GROUP_CONCAT(table_schema, '.', table_name, ' ', IFNULL(create_time, '')"
                                        + " ORDER BY 1) FROM information_schema.tables WHERE table_schema NOT IN"
                                        + " ('information_schema', 'mysql', 'performance_schema', 'sys')")
                        .toString();
    }

    private record Asked(int exitCode, String out, String err, Path directory) {

        Advice advice() {
            return AdviceFile.read(directory);
        }
    }

    private Asked advise(OwnServer server, String column, String out, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "advise",
                "--data=" + column,
                "--server=mysql://app@127.0.0.1:" + server.endpoint().port() + "/",
                "--time=5s",
                "--out=" + out));
        words.addAll(List.of(options));
        try (BlobmarkProcess advise =
                BlobmarkProcess.start(directory, Map.of("BLOBMARK_PASSWORD", "a"), words.toArray(String[]::new))) {
            int exitCode = advise.exitCode();
            return new Asked(exitCode, advise.out(), advise.err(), directory.resolve(out));
        }
    }

    @Test
    void whatCannotBeAskedIsRefused() throws Exception {
        Files.createDirectory(directory.resolve("empty"));
        for (List<String> words : List.of(
                List.of("advise"),
                List.of("advise", "--data=sites", "--check=runs/x"),
                List.of("advise", "--data=sites", "--prefer=cheap"),
                List.of("advise", "--data=sites", "--reads=0"),
                List.of("advise", "--data=sites", "--threads=0"),
                List.of("advise", "--data=sites", "--link=fast"),
                List.of("advise", "--data=sites", "--max-memory=lots"),
                List.of("advise", "--check=runs/x", "--max-memory=8MB"),
                List.of("advise", "--data=sites", "--no-write"),
                List.of("advise", "--check=runs/x", "--no-write"),
                List.of("advise", "--check=runs/x", "--prefer=disk"),
                List.of("advise", "--data=sites,random:4"),
                List.of("advise", "--data=sites", "--rate=5"),
                List.of("advise", "--data=shop.orders.payload"),
                List.of("whatif", directory.toString(), "--link=10mbit"),
                List.of("whatif", directory.toString()))) {
            Invocation refused = Invocation.of(words.toArray(String[]::new));
            assertThat(refused.exitCode()).as(words + ": " + refused.err()).isIn(1, 2);
            assertThat(refused.err()).startsWith("blobmark: ").doesNotContain("internal error");
        }
    }
}
