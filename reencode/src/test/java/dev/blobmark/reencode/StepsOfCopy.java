package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.value.ValueFormat;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;

/**
 * Copies during which others do something at a step, on the thread of the copy. Afterwards, the former table is what
 * everybody committed, and the new one must hold the same; or the copy was refused, and nothing was exchanged.
 */
abstract class StepsOfCopy extends OnServer {

    static final long PATIENCE_NANOS = 60_000_000_000L;
    static final long POLL_NANOS = 1_000_000;

    /** When the new table is complete, and others still use the former one. */
    static final String COMPARING = "comparing";

    /** When both were compared, before the former table is locked. */
    static final String EXCHANGING = "exchanging";

    /** When it waits for the file that pauses it. */
    static final String PAUSED = "paused";

    /** Rows of a table that takes several transactions. */
    static final int ROWS = 600;

    /** More keys than are read ahead of the log. */
    static final int MANY_ROWS = 12_000;

    static final String PLAIN = " (id INT PRIMARY KEY, payload MEDIUMBLOB, amount INT, note VARCHAR(40)) ENGINE=InnoDB";

    /** What others do at a step. */
    interface Others {
        void run() throws Exception;
    }

    abstract boolean isByLog();

    @BeforeAll
    void assertFeed() throws SQLException {
        try (Connection connection = users.connect()) {
            assertThat(CopyChecks.isByLog(connection, Optional.empty())).isEqualTo(isByLog());
        }
    }

    static ReencodeOptions copying(int speed, Optional<Path> pauseFile) {
        return new ReencodeOptions(
                new Pace(
                        ToleratedLoad.DEFAULT,
                        speed,
                        OptionalLong.empty(),
                        List.of(),
                        Pace.USUAL_LAG,
                        false,
                        Optional.empty(),
                        Duration.ofMillis(5),
                        pauseFile,
                        Optional.empty()),
                true,
                true,
                1,
                false);
    }

    Reencoding copy(TableColumn column, Map<String, Others> steps) {
        return copy(column, 100, steps);
    }

    Reencoding copy(TableColumn column, int speed, Map<String, Others> steps) {
        return copy(column, copying(speed, Optional.empty()), steps);
    }

    Reencoding copy(TableColumn column, ReencodeOptions options, Map<String, Others> steps) {
        return new Reencoding(users.source(), cache, column, options, "test", new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {}

            @Override
            public void noticeIssued(String notice) {
                String step = notice.startsWith(PAUSED) ? PAUSED : notice;
                if (steps.containsKey(step)) {
                    try {
                        steps.get(step).run();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            }
        });
    }

    static TableColumn payload(String table) {
        return TableColumn.named("shop." + table + ".payload");
    }

    void assertChanged(Reencoding copy) throws Exception {
        assertThat(copy.change(Before.RAW, target()).isComplete()).isTrue();
    }

    static Target target() {
        return new Target("zstd:3", ALL);
    }

    /** Copies; others do something at both steps. Nothing of it is lost. */
    void assertHeld(TableColumn column, Others others) throws Exception {
        AtomicInteger times = new AtomicInteger();
        Others counted = () -> {
            others.run();
            times.incrementAndGet();
        };
        assertChanged(copy(column, Map.of(COMPARING, counted, EXCHANGING, counted)));
        assertThat(times.get()).as("steps at which others changed the table").isEqualTo(2);
        assertTwins(column);
    }

    /** Copies; what others do at a step ends the copy, and the application's table is the one that it was. */
    void assertRefused(String table, String step, Others others) throws Exception {
        AtomicInteger times = new AtomicInteger();
        Others counted = () -> {
            others.run();
            times.incrementAndGet();
        };
        assertThatThrownBy(() -> copy(payload(table), Map.of(step, counted)).change(Before.RAW, target()))
                .isInstanceOfAny(AdmissionException.class, ReencodeException.class);
        assertThat(times.get()).as("times that others changed it").isOne();
        assertNotExchanged(table);
    }

    /**
     * The same, with the reason where it is found under the last lock. A feed that reads the log may have found it
     * before, and gives a reason of its own.
     */
    void assertRefused(String table, String step, Others others, String reason) throws Exception {
        if (isByLog() || !step.equals(EXCHANGING)) {
            assertRefused(table, step, others);
            return;
        }
        assertThatThrownBy(() -> copy(payload(table), Map.of(step, others)).change(Before.RAW, target()))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining(reason);
        assertNotExchanged(table);
    }

    void assertNotExchanged(String table) throws SQLException {
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND"
                        + " table_name = '" + table + "_blobmark_old'"))
                .isEqualTo("0");
    }

    /** Stops a copy when some rows are copied, and others are not. */
    void stopInTheMiddle(TableColumn column) throws Exception {
        Reencoding copy = copy(column, 1, Map.of());
        Future<Outcome> running = started(copy);
        await(running, () -> rows(ShadowTable.fresh(column)) > 0);
        copy.interrupt();
        assertThat(running.get().isComplete()).isFalse();
        assertThat(rows(ShadowTable.fresh(column)))
                .as("rows of the new table")
                .isBetween(1, rows(Names.quoted(column.schema(), column.table())) - 1);
    }

    static Future<Outcome> started(Reencoding copy) {
        FutureTask<Outcome> task = new FutureTask<>(() -> copy.change(Before.RAW, target()));
        Thread thread = new Thread(task, "copy");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** What a test waits for. */
    interface Condition {
        boolean holds() throws SQLException;
    }

    static void await(Future<?> running, Condition condition) throws Exception {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            if (running.isDone()) {
                throw new AssertionError("the copy ended before: " + running.get());
            }
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new AssertionError("waited in vain");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Number of rows; 0 if the table does not exist. */
    int rows(String table) {
        try {
            return Integer.parseInt(users.single("SELECT COUNT(*) FROM " + table));
        } catch (SQLException e) {
            return 0;
        }
    }

    boolean isAnyWaiting() throws SQLException {
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement();
                ResultSet sessions = statement.executeQuery("SHOW PROCESSLIST")) {
            boolean isAny = false;
            while (sessions.next()) {
                isAny |= String.valueOf(sessions.getString("State")).startsWith("Waiting for table");
            }
            return isAny;
        }
    }

    /** Rows {@code 1} to {@code rows} of a plain table. */
    void fill(String table, int rows) throws SQLException {
        users.execute("CREATE TABLE shop." + table + PLAIN);
        try (Connection connection = users.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO shop." + table + " (id, payload, amount, note) VALUES (?, ?, ?, ?)")) {
            connection.setAutoCommit(false);
            for (int i = 1; i <= rows; i++) {
                insert.setInt(1, i);
                insert.setBytes(2, json(i));
                insert.setInt(3, 10);
                insert.setString(4, "row " + i);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        }
    }

    /** The former table, to which nobody writes any more, and the new one have the same rows. */
    void assertTwins(TableColumn column) throws SQLException {
        List<String> former = content(column, ShadowNames.former(column.table()), false);
        assertThat(content(column, column.table(), true)).containsExactlyInAnyOrderElementsOf(former);
    }

    /** All columns of all rows, exactly. */
    List<String> content(TableColumn column, String table, boolean isEncoded) throws SQLException {
        List<String> expressions = new ArrayList<>();
        try (Connection connection = users.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET time_zone = '+00:00'");
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = ? AND"
                            + " table_name = ? AND column_name <> ? ORDER BY ordinal_position")) {
                select.setString(1, column.schema());
                select.setString(2, table);
                select.setString(3, column.column());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        expressions.add(exact(Names.quoted(row.getString(1)), row.getString(2)));
                    }
                }
            }
            String value = Names.quoted(column.column());
            expressions.add(isEncoded ? value : "CAST(CAST(" + value + " AS CHAR) AS BINARY)");
            String type = users.single("SELECT data_type FROM information_schema.columns WHERE table_schema = "
                    + text(column.schema()) + " AND table_name = " + text(table) + " AND column_name = "
                    + text(column.column()));
            if (!isEncoded && !type.equals("json")) {
                expressions.set(expressions.size() - 1, "CAST(" + value + " AS BINARY)");
            }
            List<String> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(
                    "SELECT " + String.join(", ", expressions) + " FROM " + Names.quoted(column.schema(), table))) {
                while (row.next()) {
                    StringBuilder text = new StringBuilder();
                    for (int i = 1; i < expressions.size(); i++) {
                        text.append(row.getString(i)).append(" | ");
                    }
                    byte[] bytes = row.getBytes(expressions.size());
                    byte[] stored = bytes == null || !isEncoded
                            ? bytes
                            : ValueFormat.builder().build().decode(bytes);
                    rows.add(text.append(
                                    stored == null
                                            ? "NULL"
                                            : stored.length + " "
                                                    + HexFormat.of().formatHex(Names.sha256(stored)))
                            .toString());
                }
            }
            return rows;
        }
    }

    static String text(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /** An expression whose text is different for different values. */
    static String exact(String column, String type) {
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "float", "double" -> column + " + 0E0";
            case "timestamp" -> "CONCAT(UNIX_TIMESTAMP(" + column + "), ' ', " + column + ")";
            case "enum", "set" -> "CONCAT(" + column + " + 0, ' ', HEX(" + column + "))";
            case "json" -> "CAST(" + column + " AS CHAR)";
            case "bit", "geometry", "point" -> "HEX(" + column + ")";
            default -> "HEX(CAST(" + column + " AS BINARY))";
        };
    }
}
