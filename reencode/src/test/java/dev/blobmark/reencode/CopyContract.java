package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.check.Beginning;
import dev.blobmark.reencode.check.Check;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Shadow copies of tables on a server of either product, while others use them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CopyContract {

    private static final int WRITERS = 3;
    private static final int ROWS_OF_A_WRITER = 400;
    private static final long POLL_NANOS = 20_000_000;

    static final ReencodeOptions COPYING = new ReencodeOptions(
            new Pace(
                    ToleratedLoad.DEFAULT,
                    100,
                    OptionalLong.empty(),
                    List.of(),
                    Pace.USUAL_LAG,
                    false,
                    Optional.empty(),
                    Duration.ofMillis(5),
                    Optional.empty(),
                    Optional.empty()),
            true,
            true,
            1,
            false);

    private static final Target ZSTD = new Target("zstd:3", EncodingPolicy.STANDARD);

    @TempDir
    Path cache;

    private OwnServer server;
    private UsersTable users;

    abstract OwnServer start() throws Exception;

    abstract boolean isByLog();

    boolean isMariaDb() {
        return false;
    }

    @BeforeAll
    void makeTables() throws Exception {
        server = start();
        users = new UsersTable(server);
        users.execute("CREATE DATABASE shop");
        try (Connection connection = users.connect()) {
            assertThat(CopyChecks.isByLog(connection, Optional.empty())).isEqualTo(isByLog());
        }
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private Reencoding reencoding(String column, ReencodeListener listener) {
        return new Reencoding(users.source(), cache, TableColumn.named(column), COPYING, "test", listener);
    }

    private static final ReencodeListener SILENT = new ReencodeListener() {
        @Override
        public void progressed(Progress progress) {}

        @Override
        public void noticeIssued(String notice) {}
    };

    private static String text(int seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("{\"größe\": " + seed + ", \"lines\": [");
        for (int i = 0; i < 5 + random.nextInt(30); i++) {
            text.append("{\"sku\": \"item-").append(random.nextInt(100)).append("\", \"state\": \"paid\"}, ");
        }
        return text.append("]}").toString();
    }

    /** What a writer does until it is stopped; keeps the last committed text of each of its rows. */
    private final class Writer implements Runnable {
        private final int number;
        private final String table;
        private final boolean isText;
        private final AtomicBoolean isOver;
        private final AtomicInteger writes;
        private final Map<String, String> texts = new LinkedHashMap<>();

        Writer(int number, String table, boolean isText, AtomicBoolean isOver, AtomicInteger writes) {
            this.number = number;
            this.table = table;
            this.isText = isText;
            this.isOver = isOver;
            this.writes = writes;
        }

        /** Readers of both kinds of column, as the application has them during the change. */
        private void set(PreparedStatement statement, int place, String text) throws SQLException {
            if (isText) {
                statement.setString(place, text);
            } else {
                statement.setBytes(place, text.getBytes(StandardCharsets.UTF_8));
            }
        }

        void fill() throws SQLException {
            try (Connection connection = users.connect();
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
                            + " (id, payload, amount, kind, due) VALUES (?, ?, 1.25, 'b', NULL)")) {
                for (int i = 0; i < ROWS_OF_A_WRITER; i++) {
                    texts.put("w" + number + "-" + i, text(i));
                    insert.setString(1, "w" + number + "-" + i);
                    set(insert, 2, text(i));
                    insert.executeUpdate();
                }
            }
        }

        @Override
        public void run() {
            Random random = new Random(number);
            try (Connection connection = users.connect();
                    PreparedStatement update = connection.prepareStatement(
                            "UPDATE " + table + " SET payload = ?, amount = ? WHERE id = ?");
                    PreparedStatement move =
                            connection.prepareStatement("UPDATE " + table + " SET id = ? WHERE id = ?");
                    PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table + " WHERE id = ?");
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
                            + " (id, payload, amount, kind, due) VALUES (?, ?, 2, 'a', '2026-11-26')")) {
                for (int i = 0; !isOver.get(); i++) {
                    List<String> keys = List.copyOf(texts.keySet());
                    String key = keys.get(random.nextInt(keys.size()));
                    switch (random.nextInt(8)) {
                        case 0 -> {
                            delete.setString(1, key);
                            assertThat(delete.executeUpdate()).isOne();
                            texts.remove(key);
                        }
                        case 1 -> {
                            insert.setString(1, "w" + number + "-new" + i);
                            set(insert, 2, text(i));
                            insert.executeUpdate();
                            texts.put("w" + number + "-new" + i, text(i));
                        }
                        case 2 -> {
                            move.setString(1, "w" + number + "-moved" + i);
                            move.setString(2, key);
                            assertThat(move.executeUpdate()).isOne();
                            texts.put("w" + number + "-moved" + i, texts.remove(key));
                        }
                        default -> {
                            set(update, 1, text(7 * i));
                            update.setInt(2, i);
                            update.setString(3, key);
                            assertThat(update.executeUpdate()).isOne();
                            texts.put(key, text(7 * i));
                        }
                    }
                    writes.incrementAndGet();
                }
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static final String COLUMNS =
            " (id VARCHAR(40) CHARACTER SET utf8mb4 PRIMARY KEY, payload %s, amount DECIMAL(10,"
                    + " 2), kind ENUM('a', 'b'), due DATE, twice DECIMAL(12, 2) AS (amount * 2) STORED, updated TIMESTAMP(6) NOT NULL"
                    + " DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY due (due)) ENGINE=InnoDB";

    /** Copies a table with writers all along; returns the texts that must be there. */
    private Map<String, String> copied(String table, String type, String expected) throws Exception {
        users.execute("CREATE TABLE " + table + COLUMNS.formatted(type));
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger writes = new AtomicInteger();
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Writer(i, table, type.contains("TEXT"), isOver, writes));
            writers.get(i).fill();
        }
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> running = new ArrayList<>();
        writers.forEach(writer -> running.add(threads.submit(writer)));
        Outcome outcome;
        int after;
        try {
            while (writes.get() < 100) {
                running.forEach(CopyContract::requireRunning);
                LockSupport.parkNanos(POLL_NANOS);
            }
            outcome = reencoding(table + ".payload", SILENT).change(Before.RAW, ZSTD);
            // they go on with the new table
            after = writes.get() + 100;
            while (writes.get() < after) {
                running.forEach(CopyContract::requireRunning);
                LockSupport.parkNanos(POLL_NANOS);
            }
        } finally {
            isOver.set(true);
            threads.shutdown();
        }
        for (Future<?> each : running) {
            each.get();
        }
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().overtaken()).as("changes of others").isPositive();
        assertThat(users.single(
                        "SELECT data_type FROM information_schema.columns WHERE CONCAT(table_schema, '.', table_name)"
                                + " = '" + table + "' AND column_name = 'payload'"))
                .isEqualTo(expected);
        Map<String, String> all = new LinkedHashMap<>();
        writers.forEach(writer -> all.putAll(writer.texts));
        ValueFormat format = ValueFormat.builder().build();
        Map<String, Optional<byte[]>> stored = users.stored(table);
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(all.keySet());
        stored.forEach(
                (key, bytes) -> assertThat(new String(format.decode(bytes.orElseThrow()), StandardCharsets.UTF_8))
                        .as(key)
                        .isEqualTo(all.get(key)));
        assertThat(users.single("SELECT COUNT(*) FROM " + table + " WHERE payload LIKE CONCAT(X'BEC1', '%')"))
                .isNotEqualTo("0");
        assertThat(users.single("SELECT COUNT(*) FROM " + table + " WHERE twice <> amount * 2"))
                .isEqualTo("0");
        return all;
    }

    private static void requireRunning(Future<?> writer) {
        if (writer.isDone()) {
            try {
                writer.get();
            } catch (Exception e) {
                throw new AssertionError("a writer has failed", e);
            }
        }
    }

    /** With triggers, the column would be in the way of the application's own writes. */
    @Test
    void aKeyWithTheNameOfOurColumnIsCopiedByTheLogOnly() throws Exception {
        users.execute(
                "CREATE TABLE shop.numbered (Blobmark_Number INT PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB",
                "INSERT INTO shop.numbered VALUES (1, 'value')");
        Reencoding copy = reencoding("shop.numbered.payload", SILENT);
        if (isByLog()) {
            assertThat(copy.change(Before.RAW, ZSTD).isComplete()).isTrue();
        } else {
            assertThatThrownBy(() -> copy.change(Before.RAW, ZSTD))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("rename it");
        }
    }

    @Test
    void blobsAreCopiedWhileOthersWrite() throws Exception {
        Map<String, String> texts = copied("shop.blobs", "MEDIUMBLOB", "mediumblob");
        // the way back decodes where the rows are
        Reencoding reencoding = new Reencoding(
                users.source(), cache, TableColumn.named("shop.blobs.payload"), ReencodeOptions.USUAL, "test", SILENT);
        assertThat(reencoding.revert().isComplete()).isTrue();
        users.stored("shop.blobs")
                .forEach((key, bytes) -> assertThat(new String(bytes.orElseThrow(), StandardCharsets.UTF_8))
                        .isEqualTo(texts.get(key)));
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'blobs_blobmark_old'"))
                .isEqualTo("1");
        // neither the former table of the first copy nor its verdict is forgotten
        assertThatThrownBy(() -> reencoding("shop.blobs.payload", SILENT).change(Before.RAW, ZSTD))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("another change can begin after --finish");
        reencoding.finish();
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'blobs\\_blobmark%'"))
                .isEqualTo("0");
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.triggers WHERE event_object_table LIKE '%blobs%'"))
                .isEqualTo("0");
    }

    /** At each moment some transaction has changed a row and not ended. A lock for reading is never given then. */
    @Test
    void aTableWhoseWritersOverlapIsCopied() throws Exception {
        users.execute("CREATE TABLE shop.overlapping (id INT PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        int count = 10;
        for (int i = 0; i < count; i++) {
            users.insert("shop.overlapping", i, new byte[1_000]);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        List<FutureTask<Void>> writers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int id = i;
            FutureTask<Void> writer = new FutureTask<>(() -> {
                try (Connection connection = users.connect();
                        Statement statement = connection.createStatement()) {
                    connection.setAutoCommit(false);
                    while (!isOver.get()) {
                        statement.execute("UPDATE shop.overlapping SET payload = REPEAT('x', 1000) WHERE id = " + id);
                        statement.execute("DO SLEEP(0.04)");
                        connection.commit();
                    }
                    return null;
                }
            });
            new Thread(writer, "writer " + i).start();
            writers.add(writer);
        }
        try {
            assertThat(reencoding("shop.overlapping.payload", SILENT)
                            .change(Before.RAW, ZSTD)
                            .isComplete())
                    .isTrue();
        } finally {
            isOver.set(true);
            for (FutureTask<Void> writer : writers) {
                writer.get();
            }
        }
    }

    @Test
    void textBecomesBytes() throws Exception {
        copied("shop.texts", "MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL", "mediumblob");
    }

    /** A copy that is stopped goes on, and one that is taken back leaves nothing. */
    @Test
    void aCopyThatIsStoppedContinuesOrIsTakenBack() throws Exception {
        users.execute("CREATE TABLE shop.stopped" + COLUMNS.formatted("MEDIUMBLOB"));
        Writer writer = new Writer(0, "shop.stopped", false, new AtomicBoolean(), new AtomicInteger());
        writer.fill();
        Reencoding[] first = new Reencoding[1];
        first[0] = reencoding("shop.stopped.payload", new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {
                first[0].interrupt(); // at the first report
            }

            @Override
            public void noticeIssued(String notice) {}
        });
        assertThat(first[0].change(Before.RAW, ZSTD).isComplete()).isFalse();
        users.execute("UPDATE shop.stopped SET payload = 'changed while nothing ran' WHERE id = 'w0-3'");
        writer.texts.put("w0-3", "changed while nothing ran");
        assertThatThrownBy(() -> reencoding("shop.stopped.payload", SILENT)
                        .change(Before.RAW, new Target("lz4", EncodingPolicy.STANDARD)))
                .isInstanceOf(ReencodeException.class);
        assertThat(reencoding("shop.stopped.payload", SILENT)
                        .change(Before.RAW, ZSTD)
                        .isComplete())
                .isTrue();
        ValueFormat format = ValueFormat.builder().build();
        users.stored("shop.stopped")
                .forEach((key, bytes) -> assertThat(
                                new String(format.decode(bytes.orElseThrow()), StandardCharsets.UTF_8))
                        .isEqualTo(writer.texts.get(key)));
        reencoding("shop.stopped.payload", SILENT).finish();

        first[0] = reencoding("shop.stopped.payload", new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {
                first[0].interrupt();
            }

            @Override
            public void noticeIssued(String notice) {}
        });
        first[0].change(Before.RAW, new Target("lz4", EncodingPolicy.STANDARD));
        assertThat(reencoding("shop.stopped.payload", SILENT).revert().isComplete())
                .isTrue();
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'stopped\\_blobmark%'"))
                .isEqualTo("0");
    }

    /** The log has a change of a row that another transaction holds by now. */
    @Test
    void aChangedRowThatOthersHoldIsWaitedFor() throws Exception {
        users.execute("CREATE TABLE shop.held" + COLUMNS.formatted("MEDIUMBLOB"));
        Writer writer = new Writer(0, "shop.held", false, new AtomicBoolean(), new AtomicInteger());
        writer.fill();
        Reencoding[] first = new Reencoding[1];
        first[0] = reencoding("shop.held.payload", new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {
                first[0].interrupt();
            }

            @Override
            public void noticeIssued(String notice) {}
        });
        first[0].change(Before.RAW, ZSTD);
        users.execute("UPDATE shop.held SET payload = 'changed' WHERE id = 'w0-5'");
        try (Connection holder = users.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.executeUpdate("UPDATE shop.held SET payload = 'changed again' WHERE id = 'w0-5'");
            List<String> notices = new ArrayList<>();
            ReencodeListener releasing = new ReencodeListener() {
                @Override
                public void progressed(Progress progress) {}

                @Override
                public void noticeIssued(String notice) {
                    notices.add(notice);
                    if (notice.startsWith("a transaction is made again")) {
                        release(holder);
                    }
                }
            };
            assertThat(reencoding("shop.held.payload", releasing)
                            .change(Before.RAW, ZSTD)
                            .isComplete())
                    .isTrue();
            assertThat(notices).anyMatch(notice -> notice.startsWith("a transaction is made again: (conn="));
        }
        writer.texts.put("w0-5", "changed again");
        ValueFormat format = ValueFormat.builder().build();
        users.stored("shop.held")
                .forEach((key, bytes) -> assertThat(
                                new String(format.decode(bytes.orElseThrow()), StandardCharsets.UTF_8))
                        .isEqualTo(writer.texts.get(key)));
    }

    private static void release(Connection holder) {
        try {
            holder.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatCannotBeCopiedIsRefused() throws Exception {
        users.execute(
                "CREATE TABLE shop.parents (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "INSERT INTO shop.parents VALUES (1, 'x')",
                "CREATE TABLE shop.children (id INT PRIMARY KEY, parent INT, CONSTRAINT of_parent FOREIGN KEY (parent)"
                        + " REFERENCES shop.parents (id)) ENGINE=InnoDB",
                "CREATE TABLE shop.audited (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "INSERT INTO shop.audited VALUES (1, 'x')",
                "CREATE TRIGGER shop.on_insert AFTER INSERT ON shop.audited FOR EACH ROW SET @last = NEW.id",
                "CREATE TABLE shop.taken (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "CREATE TABLE shop.taken_blobmark_new (mine INT)");
        assertThatThrownBy(() -> reencoding("shop.parents.payload", SILENT).change(Before.RAW, ZSTD))
                .hasMessageContaining("the foreign key of_parent of children would stay");
        assertThatThrownBy(() -> reencoding("shop.audited.payload", SILENT).change(Before.RAW, ZSTD))
                .hasMessageContaining("the trigger on_insert would stay");
        assertThatThrownBy(() -> reencoding("shop.taken.payload", SILENT).change(Before.RAW, ZSTD))
                .hasMessageContaining("taken_blobmark_new is in the way");
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.columns WHERE table_name ="
                        + " 'taken_blobmark_new' AND column_name = 'mine'"))
                .isEqualTo("1");
    }

    /** Of a table that the account may not see, in a schema with a name that files have in another form. */
    @Test
    void foreignKeysOfOthersAreSeen() throws Exception {
        users.execute(
                "CREATE TABLE shop.`re-ferred` (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "CREATE DATABASE `of others`",
                "CREATE TABLE `of others`.items (id INT PRIMARY KEY, o INT, CONSTRAINT of_o FOREIGN KEY (o) REFERENCES"
                        + " shop.`re-ferred` (id)) ENGINE=InnoDB",
                "CREATE USER 'narrow'@'%' IDENTIFIED BY 'x'",
                "GRANT SELECT ON shop.* TO 'narrow'@'%'",
                "GRANT PROCESS ON *.* TO 'narrow'@'%'");
        Endpoint own = server.endpoint();
        try (Connection account =
                JdbcDriver.connectForLoading(new Endpoint(own.host(), own.port(), "narrow", "x"), "")) {
            assertThat(CopyChecks.dependents(account, TableColumn.of("shop", "re-ferred", "payload"), true))
                    .hasSize(1)
                    .allMatch(problem -> problem.startsWith("the foreign key of_o of items would stay"));
            assertThat(CopyChecks.dependents(account, TableColumn.of("shop", "referred", "payload"), true))
                    .isEmpty();
        }
    }

    @Test
    void missingPrivilegesAreReportedBeforeAnythingIsMade() throws Exception {
        users.execute(
                "CREATE TABLE shop.guarded (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                "INSERT INTO shop.guarded VALUES (1, 'x')",
                "CREATE USER 'in place'@'%' IDENTIFIED BY 'x'",
                "GRANT SELECT, UPDATE, TRIGGER ON shop.* TO 'in place'@'%'");
        Endpoint own = server.endpoint();
        Endpoint poor = new Endpoint(own.host(), own.port(), "in place", "x");
        TableColumn guarded = TableColumn.named("shop.guarded.payload");
        try (Connection account = JdbcDriver.connectForLoading(poor, "")) {
            List<String> problems = Check.problems(new Beginning(
                    account,
                    poor,
                    guarded,
                    COPYING,
                    TableFacts.read(account, guarded),
                    Optional.of(StepsOfCopy.target()),
                    Optional.of(State.Copy.PLANNED),
                    true,
                    false));
            assertThat(problems.get(0)).contains("GRANT ALTER, CREATE, DROP, INSERT, DELETE, LOCK TABLES ON `shop`.*");
            assertThat(problems.get(1)).contains("GRANT PROCESS ON *.*");
            assertThat(String.join("\n", problems))
                    .contains(isByLog() ? isMariaDb() ? "GRANT BINLOG MONITOR" : "GRANT REPLICATION CLIENT" : "")
                    .contains(isMariaDb() ? "" : "GRANT XA_RECOVER_ADMIN");
        }
    }
}
