package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.value.ValueFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code blobmark reencode} as a user types it, on a server of either product, mostly with an account that has the
 * grants of docs/reencode.md and no others.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReencodeContract {

    private static final String PASSWORD = "you're in";
    private static final String COLUMN = "shop.orders.payload";
    private static final int ROWS = 1_000;

    private final JsonMapper mapper = new JsonMapper();
    private OwnServer server;
    private Connection owner;
    private List<String> grants;

    @TempDir
    private Path directory;

    /** Name of the product in the document. */
    abstract String product();

    /** What {@code --server} of a run would name. */
    abstract String source();

    @BeforeAll
    void start() throws Exception {
        server = (OwnServer) Servers.parse(source())
                .open(
                        BlobmarkProcess.CACHE,
                        ServerOptions.of(64 << 20).with(Map.of("log_bin", "binlog", "server_id", "1")));
        owner = JdbcDriver.connectForLoading(server.endpoint(), "");
        grants = GrantsIT.documented(product(), "reencode.md");
        assertThat(grants).hasSize(6);
    }

    @AfterAll
    void stop() throws SQLException {
        if (owner != null) {
            owner.close();
            server.close();
        }
    }

    @BeforeEach
    void makeTable() throws Exception {
        Files.writeString(
                directory.resolve("my.cnf"),
                "[client]\nuser=you\npassword=\"" + PASSWORD.replace("\"", "\\\"") + "\"\n");
        Files.setPosixFilePermissions(directory.resolve("my.cnf"), PosixFilePermissions.fromString("rw-------"));
        execute("CREATE DATABASE shop");
        execute("CREATE TABLE shop.orders (id INT PRIMARY KEY, payload MEDIUMBLOB, note TEXT) ENGINE=InnoDB");
        owner.setAutoCommit(false);
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO shop.orders (id, payload) VALUES (?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setBytes(2, value(i));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        owner.commit();
        owner.setAutoCommit(true);
        execute("ANALYZE TABLE shop.orders");
        execute("CREATE USER 'you'@'%' IDENTIFIED BY '" + PASSWORD.replace("'", "''") + "'");
        for (String grant : grants) {
            execute("GRANT " + grant + " TO 'you'@'%'");
        }
    }

    @AfterEach
    void dropTable() throws SQLException {
        execute("DROP DATABASE shop");
        execute("DROP USER 'you'@'%'");
    }

    private static byte[] value(int id) {
        Random random = new Random(id);
        StringBuilder text = new StringBuilder("{\"order\": ").append(id).append(", \"lines\": [");
        for (int i = 0; i < 10 + random.nextInt(20); i++) {
            text.append("{\"sku\": \"item-").append(random.nextInt(100)).append("\", \"state\": \"paid\"}, ");
        }
        return text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> tables() throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery("SHOW FULL TABLES FROM shop WHERE table_type = 'BASE TABLE'")) {
            while (row.next()) {
                tables.add(row.getString(1));
            }
        }
        return tables;
    }

    /** Events in the newest file of the binary log. */
    private long logged(String type) throws SQLException {
        String file = "";
        long events = 0;
        try (Statement statement = owner.createStatement()) {
            try (ResultSet row = statement.executeQuery("SHOW BINARY LOGS")) {
                while (row.next()) {
                    file = row.getString(1);
                }
            }
            try (ResultSet row = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
                while (row.next()) {
                    events += row.getString("Event_type").startsWith(type) ? 1 : 0;
                }
            }
        }
        return events;
    }

    private Map<Integer, byte[]> stored() throws SQLException {
        Map<Integer, byte[]> stored = new LinkedHashMap<>();
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, payload FROM shop.orders")) {
            while (row.next()) {
                stored.put(row.getInt(1), row.getBytes(2));
            }
        }
        return stored;
    }

    private void assertRaw() throws SQLException {
        assertThat(stored())
                .hasSize(ROWS)
                .allSatisfy((id, bytes) -> assertThat(bytes).isEqualTo(value(id)));
    }

    /** All values are smaller, and decode to what they were. */
    private void assertEncoded() throws SQLException {
        ValueFormat format = ValueFormat.builder().build();
        assertThat(stored()).hasSize(ROWS).allSatisfy((id, bytes) -> {
            assertThat(bytes.length).isLessThan(value(id).length / 2);
            assertThat(format.decode(bytes)).isEqualTo(value(id));
        });
    }

    private String address() {
        return "mysql://127.0.0.1:" + server.endpoint().port() + "/";
    }

    private String[] words(String column, String... more) {
        return Stream.concat(
                        Stream.of(
                                "reencode",
                                "--table=" + column,
                                "--server=" + address(),
                                "--defaults-file=" + directory.resolve("my.cnf")),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private Invocation invoke(String... more) {
        return Invocation.of(words(COLUMN, more));
    }

    private static void assertDone(Invocation invocation) {
        assertThat(invocation.exitCode()).as(invocation.err()).isZero();
        assertThat(invocation.err()).doesNotContain("blobmark: ");
    }

    private void assertNothingWritten() throws SQLException {
        assertRaw();
        assertThat(tables()).containsExactly("orders");
    }

    @Test
    void theDocumentedGrantsSuffice() throws Exception {
        Invocation preview = invoke("--to=zstd:3", "--dry-run");
        assertDone(preview);
        assertThat(preview.out())
                .startsWith(COLUMN + ", mediumblob: encode by zstd:3\nrows       1,000; all would be changed")
                .contains("row images FULL")
                .doesNotContain("GRANT ");
        assertNothingWritten();

        // the server is watched as if it were its own replica, which needs the fourth table
        Invocation change = invoke("--to=zstd:3", "--yes", "--speed=100", "--replicas=" + address(), "--max-probe=5s");
        assertDone(change);
        assertThat(change.out())
                .containsPattern("\nDone: 1,000 of 1,000 rows changed; [0-9]+ KB before, [0-9]+ KB now\\.\n")
                .contains("\n  --verify  compares all values");
        assertEncoded();
        assertThat(logged("Update_rows")).isPositive();
        assertThat(tables())
                .containsExactlyInAnyOrder(
                        "orders", "blobmark_reencode", "blobmark_reencode_ranges", "blobmark_reencode_originals");

        Invocation verified = invoke("--verify");
        assertDone(verified);
        assertThat(verified.out()).matches("All \\d+ ranges \\(1,000 rows\\) hold the same values as before\\.\n");
        execute("UPDATE shop.orders SET payload = 'new' WHERE id = 17");
        assertThat(invoke("--verify").out())
                .matches("\\d+ of \\d+ ranges \\(1,000 rows\\) hold the same values as before\\. In 1, values were"
                        + " changed, added or deleted since\\.\n");
        execute("UPDATE shop.orders SET payload = LEFT(payload, 40) WHERE id = 18");
        Invocation damaged = invoke("--verify");
        assertThat(damaged.exitCode()).isEqualTo(1);
        assertThat(damaged.out()).endsWith("1 row cannot be decoded, the first one with the key 18.\n");
        Invocation stuck = invoke("--revert", "--yes", "--speed=100");
        assertThat(stuck.exitCode()).isEqualTo(1);
        assertThat(stuck.err()).contains("blobmark: " + COLUMN + ", key 18: ", "then the same command continues");
        try (PreparedStatement update = owner.prepareStatement("UPDATE shop.orders SET payload = ? WHERE id = ?")) {
            for (int id : List.of(17, 18)) {
                update.setBytes(1, value(id));
                update.setInt(2, id);
                update.executeUpdate();
            }
        }

        assertThat(invoke("--to=lz4", "--dry-run").out())
                .contains(
                        "It cannot begin\n ! a change to zstd:3 is being taken back: ",
                        "; continue that with --revert");
        Invocation back = invoke("--revert", "--yes", "--speed=100");
        assertDone(back);
        assertThat(back.out()).contains("Taken back: ");
        assertRaw();
        assertThat(invoke("--revert", "--yes").out()).contains("It was taken back before; nothing was done.\n");
        Invocation forgotten = invoke("--finish");
        assertDone(forgotten);
        assertThat(forgotten.out()).isEqualTo("The change is forgotten; the values stay as they are.\n");
        assertNothingWritten();

        for (String action : List.of("--revert", "--verify", "--finish")) {
            Invocation nothing = invoke(action, "--yes");
            assertThat(nothing.exitCode()).isEqualTo(1);
            assertThat(nothing.err()).contains("blobmark: " + COLUMN + ": no change of it is known here");
        }
    }

    @Test
    void theDocumentedGrantsSufficeForSeveralWriters() throws Exception {
        Invocation change = invoke("--to=zstd:3", "--yes", "--speed=100", "--writers=2");
        assertDone(change);
        assertThat(change.out()).contains("Done: 1,000 of 1,000 rows changed").doesNotContain("not divided");
        assertEncoded();
        assertThat(invoke("--verify").out()).contains("(1,000 rows) hold the same values as before.");
        assertDone(invoke("--revert", "--yes", "--speed=100", "--writers=2"));
        assertRaw();
        assertDone(invoke("--finish"));
        assertNothingWritten();
    }

    @Test
    void eachMissingPrivilegeIsNamedWithItsGrant() throws Exception {
        for (String grant : grants) {
            Matcher parts = Pattern.compile("(.+) ON (.+)").matcher(grant);
            assertThat(parts.matches()).isTrue();
            boolean isOfOthers = parts.group(2).matches(".*_(ranges|originals|beats)`");
            if (isOfOthers) {
                continue; // the grants on the first of these tables are checked
            }
            execute("REVOKE " + grant + " FROM 'you'@'%'");
            Invocation preview = invoke("--to=zstd:3", "--dry-run");
            String said = (preview.out() + preview.err()).replaceAll("\\s+", " ");
            // without SELECT on it, the table does not exist for the account
            boolean isHidden = parts.group(2).endsWith("`orders`");
            assertThat(preview.exitCode()).as(said).isEqualTo(isHidden ? 1 : 6);
            if (isHidden) {
                assertThat(said)
                        .contains("there is no such table, or the account has no privilege on it", "GRANT SELECT");
            } else {
                for (String privilege : parts.group(1).split(", ")) {
                    assertThat(said).containsPattern("GRANT ([A-Z]+, )*" + privilege + "\\b");
                }
            }
            Invocation change = invoke("--to=zstd:3", "--yes");
            assertThat(change.exitCode()).isEqualTo(preview.exitCode());
            assertThat(change.err()).doesNotContain("denied");
            assertNothingWritten();
            execute("GRANT " + grant + " TO 'you'@'%'");
        }
        execute("REVOKE UPDATE, TRIGGER ON shop.orders FROM 'you'@'%'");
        execute("REVOKE PROCESS ON *.* FROM 'you'@'%'");
        assertThat(invoke("--to=zstd:3", "--yes").out().replaceAll("\\s+", " "))
                .contains(
                        "which would run: GRANT TRIGGER ON `shop`.`orders`",
                        "lacks a privilege: GRANT UPDATE ON `shop`.`orders`",
                        "GRANT PROCESS ON *.*");
        execute("REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'you'@'%'");
        Invocation blind = invoke("--to=zstd:3", "--yes");
        assertThat(blind.exitCode()).isEqualTo(1);
        assertThat(blind.err())
                .isEqualTo("blobmark: " + COLUMN + ": there is no such table, or the account has no privilege on it;"
                        + " correct the name, or GRANT SELECT, UPDATE on it\n");
    }

    @Test
    void whatCannotBeChangedIsRefusedWithTheReason() throws Exception {
        execute("CREATE VIEW shop.open_orders AS SELECT id, payload FROM shop.orders");
        execute("GRANT SELECT, UPDATE, TRIGGER ON shop.open_orders TO 'you'@'%'");
        Map<String, String> refused = new LinkedHashMap<>();
        refused.put("shop.open_orders.payload", "it is a view: name the table that it reads");
        refused.put("shop.orders.note", "encoded bytes are not text: --mode copy makes it");
        refused.forEach((column, reason) -> {
            Invocation preview = Invocation.of(words(column, "--to=zstd:3", "--dry-run"));
            assertThat(preview.exitCode()).as(preview.err()).isEqualTo(6);
            assertThat(preview.out()).contains("It cannot begin\n", reason, "Nothing has been written.");
            assertThat(preview.err()).isEmpty();
        });
        Invocation column = Invocation.of(words("shop.orders.pay", "--to=zstd:3", "--yes"));
        assertThat(column.exitCode()).isEqualTo(1);
        assertThat(column.err())
                .isEqualTo("blobmark: shop.orders.pay: the table has no column 'pay'; it has id, payload, note\n");
        execute("CREATE TRIGGER shop.audit BEFORE UPDATE ON shop.orders FOR EACH ROW SET NEW.note = 'changed'");
        Invocation trigger = invoke("--to=zstd:3", "--yes");
        assertThat(trigger.exitCode()).isEqualTo(6);
        assertThat(trigger.out()).contains("the trigger audit would run for each row");
        assertNothingWritten();

        Files.writeString(directory.resolve("wrong.cnf"), "[client]\nuser=you\npassword=no\n");
        for (String action : List.of("--to=zstd:3", "--revert", "--verify", "--finish")) {
            Invocation login = Invocation.of(
                    "reencode",
                    "--table=" + COLUMN,
                    "--server=" + address(),
                    "--defaults-file=" + directory.resolve("wrong.cnf"),
                    action,
                    "--yes");
            assertThat(login.exitCode()).as(login.err()).isEqualTo(3);
            assertThat(login.err()).contains("refused the login of 'you'");
        }
    }

    @Test
    void withoutATerminalNothingBeginsUnlessToldSo() throws Exception {
        Invocation change = invoke("--to=zstd:3");
        assertThat(change.exitCode()).isEqualTo(2);
        assertThat(change.out()).startsWith(COLUMN + ", mediumblob: encode by zstd:3\n");
        assertThat(change.err())
                .isEqualTo("blobmark: there is no terminal to ask on; --yes begins without asking\n"
                        + "See 'blobmark reencode --help'.\n");
        assertThat(invoke("--revert").exitCode()).isEqualTo(2);
        assertNothingWritten();
    }

    @Test
    void jsonIsALineForEachEvent() throws Exception {
        List<JsonNode> preview = events(invoke("--to=lz4", "--dry-run", "--format=json"), 0);
        assertThat(preview)
                .singleElement()
                .satisfies(
                        event -> assertThat(event.path("preview").path("share").asDouble())
                                .isOne());

        List<JsonNode> change = events(invoke("--to=lz4", "--yes", "--speed=100", "--format=json"), 0);
        assertThat(change).hasSizeGreaterThan(2);
        assertThat(change.get(0).has("preview")).isTrue();
        assertThat(change.get(1).path("progress").path("rows").asInt()).isZero();
        JsonNode last = change.get(change.size() - 1).path("progress");
        assertThat(last.path("step").asString()).isEqualTo("changed");
        assertThat(last.path("changed").asInt()).isEqualTo(ROWS);
        assertThat(last.path("bytes_before").asLong())
                .isGreaterThan(2 * last.path("bytes_after").asLong());

        JsonNode verified =
                events(invoke("--verify", "--format=json"), 0).get(0).path("verified");
        assertThat(verified.path("same").asInt())
                .isPositive()
                .isEqualTo(verified.path("ranges").asInt());
        List<JsonNode> back = events(invoke("--revert", "--yes", "--speed=100", "--format=json"), 0);
        assertThat(back.get(back.size() - 1).path("progress").path("step").asString())
                .isEqualTo("reverted");
        assertThat(events(invoke("--finish", "--format=json"), 0))
                .singleElement()
                .satisfies(
                        event -> assertThat(event.path("forgotten").asString()).isEqualTo(COLUMN));

        // a refusal is in the preview
        execute("REVOKE UPDATE ON shop.orders FROM 'you'@'%'");
        assertThat(events(invoke("--to=lz4", "--yes", "--format=json"), 6))
                .singleElement()
                .satisfies(event -> assertThat(event.path("preview").path("problems"))
                        .anyMatch(problem -> problem.asString().contains("GRANT UPDATE ON `shop`.`orders`")));
    }

    /** Each line has one field. */
    private List<JsonNode> events(Invocation invocation, int exitCode) {
        assertThat(invocation.exitCode()).as(invocation.err()).isEqualTo(exitCode);
        List<JsonNode> events =
                invocation.out().lines().map(line -> mapper.readTree(line)).toList();
        assertThat(events)
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.propertyNames())
                        .singleElement()
                        .isIn("preview", "progress", "notice", "verified", "forgotten"));
        return events;
    }

    private BlobmarkProcess start(String... more) throws IOException {
        return BlobmarkProcess.start(directory, words(COLUMN, more));
    }

    private static final Pattern PART = Pattern.compile("Stopped after ([0-9,]+) rows, which are committed\\.");

    @Test
    void ctrlCEndsItAndTheSameCommandContinues() throws Exception {
        BlobmarkProcess.assumeInterruptArrives();
        String[] slow = {"--to=zstd:3", "--yes", "--speed=3", "--transaction=2ms"};
        try (BlobmarkProcess change = start(slow)) {
            change.await("some rows are done", () -> change.err().contains(" left: "));
            change.signal("INT");
            assertThat(change.exitCode()).as(change.err()).isEqualTo(130);
            Matcher part = PART.matcher(change.err());
            assertThat(part.find()).as(change.err()).isTrue();
            assertThat(Integer.parseInt(part.group(1).replace(",", ""))).isBetween(1, ROWS - 1);
            assertThat(change.err()).endsWith(" The same command continues.\n").doesNotContain("blobmark: ");
            assertThat(change.out()).doesNotContain("Done");
            assertThat(stored().values().stream().filter(bytes -> bytes[0] != '{'))
                    .hasSize(Integer.parseInt(part.group(1).replace(",", "")));
        }
        assertThat(invoke("--to=zstd:3", "--dry-run").out()).contains(" ! a change to zstd:3 is under way: ");
        Invocation other = invoke("--to=zstd:9", "--yes");
        assertThat(other.exitCode()).isEqualTo(6);
        assertThat(other.out().replaceAll("\\s+", " "))
                .contains("continue that with --to zstd:3 and the same policy, or take it back with --revert");
        Invocation finish = invoke("--finish");
        assertThat(finish.exitCode()).isEqualTo(1);
        assertThat(finish.err()).contains("is under way", "continue it, or take it back with --revert, before");

        Invocation rest = invoke("--to=zstd:3", "--yes", "--speed=100");
        assertDone(rest);
        assertThat(rest.out()).contains("Done: 1,000 of 1,000 rows changed");
        assertEncoded();
    }

    @Test
    void socketAndFilePauseItAndTheSocketEndsIt() throws Exception {
        Path pause = Files.createFile(directory.resolve("pause"));
        Path socket = directory.resolve("socket");
        try (BlobmarkProcess change = start(
                "--to=zstd:3", "--yes", "--speed=1", "--transaction=1ms", "--pause-file=pause", "--socket=socket")) {
            change.await("it waits", () -> change.err().contains("paused: the file pause exists"));
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                    BufferedReader answers = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
                JsonNode waiting = mapper.readTree(answer(channel, answers, "status"));
                assertThat(waiting.path("rows").asInt()).isZero();
                assertThat(answer(channel, answers, "pause")).isEqualTo("paused");
                Files.delete(pause);
                assertThat(answer(channel, answers, "speed=2")).isEqualTo("speed=2");
                assertThat(answer(channel, answers, "speed=200")).startsWith("not understood: speed is 200");
                assertThat(answer(channel, answers, "max-binlog-rate=1MB")).isEqualTo("max-binlog-rate=1048576");
                assertThat(answer(channel, answers, "faster")).startsWith("unknown command 'faster'");
                assertThat(answer(channel, answers, "resume")).isEqualTo("resumed");
                change.await("it continues", () -> change.err().contains("continuing\n"));
                assertThat(answer(channel, answers, "stop")).isEqualTo("it ends after this transaction");
            }
            assertThat(change.exitCode()).as(change.err()).isEqualTo(130);
            assertThat(change.err()).contains("Stopped after ");
        }
        assertThat(socket).doesNotExist();
        Invocation critical = invoke("--to=zstd:3", "--yes", "--critical-load=Uptime=0");
        assertThat(critical.exitCode()).isEqualTo(7);
        assertThat(critical.err()).contains("ended by --critical-load: uptime = ");
        assertDone(invoke("--revert", "--yes", "--speed=100"));
        assertRaw();
    }

    private static String answer(SocketChannel channel, BufferedReader answers, String command) throws IOException {
        channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)));
        return answers.readLine();
    }

    /** What is drawn fits in 80 columns. */
    @Test
    void onATerminalItAsksAndDrawsABar() throws Exception {
        TerminalIT.pseudoTerminal();
        try (BlobmarkProcess declined = onTerminal("--to=zstd:3")) {
            declined.await("it asks", () -> declined.out().contains("[y/N]"));
            declined.type("n\n");
            assertThat(declined.exitCode()).as(declined.out()).isZero();
            assertThat(declined.out()).endsWith("\r\nNothing was changed.\r\n");
        }
        assertNothingWritten();
        try (BlobmarkProcess change = onTerminal("--to=zstd:3", "--speed=40")) {
            change.await("it asks", () -> change.out().contains("[y/N]"));
            change.type("y\n");
            assertThat(change.exitCode()).as(change.out()).isZero();
            String seen = change.out().replace("\r\n", "\n");
            assertThat(seen).contains("\n\nChange the values of " + COLUMN + "? [y/N] y\n", "\nDone: ".substring(1));
            List<String> drawn = Arrays.stream(seen.split("[\r\n]+"))
                    .map(line -> line.replaceAll("\u001b\\[[0-9;]*[mK]", ""))
                    .toList();
            assertThat(drawn).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
            assertThat(drawn)
                    .filteredOn(line -> line.contains("% ["))
                    .hasSizeGreaterThan(2)
                    .allSatisfy(line -> assertThat(line).matches(" *\\d+ % \\[=* *\\] .*"));
        }
        assertEncoded();
    }

    private BlobmarkProcess onTerminal(String... more) throws IOException {
        return BlobmarkProcess.startOnTerminal(80, Map.of("NO_COLOR", "1"), directory, words(COLUMN, more));
    }
}
