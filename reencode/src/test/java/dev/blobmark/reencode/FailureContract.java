package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.ConnectionLostException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.verify.Verified;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What ends a change in the middle, on a server of either product. Afterwards the same call continues, each row is done
 * once, and no value is lost.
 */
@Timeout(60)
abstract class FailureContract extends OnServer {

    private static final long POLL_NANOS = 1_000_000;

    private static final Target ZSTD = new Target("zstd:3", ALL);

    /** So small that it can be filled. */
    static final Map<String, String> SMALL_TABLESPACE =
            Map.of("innodb_data_file_path", "ibdata1:12M:autoextend:max:48M");

    private String table;
    private Map<String, byte[]> values;
    private Connection admin;

    abstract boolean isMariaDb();

    /** A table whose first rows are done. */
    @BeforeEach
    void begin(TestInfo test) throws Exception {
        admin = users.connect();
        table = "shop.t"
                + Integer.toHexString(test.getDisplayName().hashCode()
                        + test.getTestMethod().orElseThrow().getName().hashCode());
        values = table(table);
        assertThatThrownBy(() -> work(table, begun("zstd:3"), stoppingAfter(2))).isInstanceOf(StoppedException.class);
        assertThat(state().counts().rows()).isBetween(1L, 250L);
    }

    private State state() throws SQLException {
        return new StateTable(column(), "").read(admin).orElseThrow();
    }

    private TableColumn column() {
        return TableColumn.named(table + ".payload");
    }

    /** Keeps notices, and does something before the first row of a call. */
    private static class Hook implements ReencodeListener {
        final List<String> notices = new ArrayList<>();
        private final Task first;
        private boolean isCalled;

        interface Task {
            void run() throws Exception;
        }

        Hook(Task first) {
            this.first = first;
        }

        @Override
        public void progressed(Progress progress) {
            if (!isCalled) {
                isCalled = true;
                try {
                    first.run();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }

        @Override
        public synchronized void noticeIssued(String notice) {
            notices.add(notice);
        }
    }

    private Reencoding reencoding(ReencodeListener listener) {
        return reencoding(users.source(), FAST, listener);
    }

    private Reencoding reencoding(Servers.Source source, ReencodeOptions options, ReencodeListener listener) {
        return new Reencoding(source, cache, column(), options, "test", listener);
    }

    private void execute(String sql) throws SQLException {
        Sql.execute(admin, sql);
    }

    private String single(String sql) throws SQLException {
        return Sql.strings(admin, sql).get(0);
    }

    /** The same call continues to the end. */
    private void assertContinues() throws Exception {
        assertDone(reencoding(SILENT).change(Before.RAW, ZSTD));
    }

    private void assertGoesBack() throws Exception {
        Verified verified = reencoding(SILENT).verify();
        assertThat(verified.same()).isEqualTo(verified.ranges());
        assertThat(verified.rows()).isEqualTo(values.size());
        assertThat(reencoding(SILENT).revert().isComplete()).isTrue();
        assertSameBytes(table, values);
    }

    private void assertDone(Outcome outcome) throws SQLException {
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).as("each row once").isEqualTo(values.size());
        assertThat(outcome.last().changed()).isEqualTo(values.size());
        ValueFormat format = ValueFormat.builder().build();
        users.stored(table).forEach((key, stored) -> {
            assertThat(stored.orElseThrow()).as(key).startsWith(0xBE, 0xC1);
            assertThat(format.decode(stored.orElseThrow())).as(key).isEqualTo(values.get(key));
        });
    }

    /** The connections of a call in the order in which they were opened: reading, watch, locking, writing. */
    private List<String> connections() throws SQLException {
        return Sql.strings(
                admin,
                "SELECT id FROM information_schema.processlist WHERE user = '"
                        + server.endpoint().user() + "' AND id <> CONNECTION_ID() ORDER BY id");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void aConnectionThatIsKilledIsOpenedAgain(int number) throws Exception {
        List<String> before = connections();
        Hook hook = new Hook(() -> {
            List<String> opened = new ArrayList<>(connections());
            opened.removeAll(before);
            assertThat(opened).hasSize(4);
            execute("KILL " + opened.get(number));
        });
        assertDone(reencoding(hook).change(Before.RAW, ZSTD));
        assertThat(hook.notices).anyMatch(notice -> notice.startsWith("the server was lost"));
        assertGoesBack();
    }

    /** Without the lock, another process may begin. */
    @Test
    void theLossOfTheLockIsNoticed() throws Exception {
        try (Connection locking = JdbcDriver.connectForLoading(server.endpoint(), "");
                Guards guards = Guards.start(
                        server.endpoint(), column(), TableKey.of(admin, column()), FAST, List.of(), locking)) {
            execute("KILL " + single(locking, "SELECT CONNECTION_ID()"));
            assertThatThrownBy(() -> {
                        while (true) { // it asks once a second
                            assertThat(guards.signals().get(0).reasonToWait()).isEmpty();
                            LockSupport.parkNanos(POLL_NANOS);
                        }
                    })
                    .isInstanceOf(ConnectionLostException.class);
        }
    }

    private static String single(Connection connection, String sql) throws SQLException {
        return Sql.strings(connection, sql).get(0);
    }

    /** A client of the socket. */
    private static String say(Path socket, String line) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                BufferedReader answers = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
            channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
            return answers.readLine();
        }
    }

    private ReencodeOptions controlledBy(Path socket) {
        return new ReencodeOptions(
                new Pace(
                        FAST.pace().load(),
                        FAST.pace().speed(),
                        FAST.pace().binlogRate(),
                        FAST.pace().replicas(),
                        FAST.pace().maxLag(),
                        FAST.pace().ignoresReplicas(),
                        FAST.pace().maxProbe(),
                        FAST.pace().transaction(),
                        FAST.pace().pauseFile(),
                        Optional.of(socket)),
                FAST.isCopy(),
                FAST.keepsOriginals(),
                FAST.writers(),
                FAST.force());
    }

    /** A pause and a speed stay in force when the connections are opened again. */
    @Test
    void whatWasCommandedOutlivesTheConnections() throws Exception {
        Path socket = cache.resolve("s");
        List<String> before = connections();
        CountDownLatch paused = new CountDownLatch(2);
        Hook hook =
                new Hook(() -> {
                    assertThat(say(socket, "pause")).isEqualTo("paused");
                    assertThat(say(socket, "speed=99")).isEqualTo("speed=99");
                    List<String> opened = new ArrayList<>(connections());
                    opened.removeAll(before);
                    execute("KILL " + opened.get(0)); // the next rows cannot be read
                }) {
                    @Override
                    public synchronized void noticeIssued(String notice) {
                        super.noticeIssued(notice);
                        if (notice.startsWith("paused: by command") || notice.startsWith("the server was lost")) {
                            paused.countDown();
                        }
                    }
                };
        CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> {
            try {
                return reencoding(users.source(), controlledBy(socket), hook).change(Before.RAW, ZSTD);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        paused.await();
        String status = say(socket, "status");
        while (!status.contains("by command")) {
            status = say(socket, "status");
        }
        assertThat(State.MAPPER.readTree(status).path("step").asString()).isEqualTo("changing");
        assertThat(State.MAPPER.readTree(status).path("rows").asLong()).isBetween(1L, 299L);
        assertThat(say(socket, "speed")).contains("not understood");
        assertThat(outcome).isNotDone();
        assertThat(say(socket, "resume")).isEqualTo("resumed");
        assertDone(outcome.join());
        assertThat(socket).doesNotExist();
    }

    /** What was committed is reported as with any other stop. */
    @Test
    void aStopWhileTheServerIsGoneEndsIt() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        AtomicBoolean isGone = new AtomicBoolean();
        List<Reencoding> all = new ArrayList<>();
        Servers.Source source = (directory, options) -> {
            opened.incrementAndGet();
            if (isGone.get()) {
                all.get(0).interrupt();
                throw new ServerException("cannot be reached");
            }
            return users.source().open(directory, options);
        };
        List<String> before = connections();
        Hook hook = new Hook(() -> {
            isGone.set(true);
            List<String> connections = new ArrayList<>(connections());
            connections.removeAll(before);
            for (String id : connections) {
                execute("KILL " + id);
            }
        });
        all.add(reencoding(source, FAST, hook));
        long rows = state().counts().rows();
        Outcome outcome = all.get(0).change(Before.RAW, ZSTD);
        assertThat(opened.get()).isGreaterThan(1);
        assertThat(outcome.isComplete()).isFalse();
        assertThat(outcome.last().rows()).isEqualTo(rows);
        assertContinues();
    }

    /** An account without the privilege to write to a read-only server. */
    private Servers.Source worker() throws SQLException {
        String account = "'worker'@'%'";
        execute("DROP USER IF EXISTS " + account);
        execute("CREATE USER " + account + " IDENTIFIED BY 'of-the-test'");
        execute("GRANT SELECT, UPDATE, TRIGGER ON " + table + " TO " + account);
        execute("GRANT SELECT, CREATE, INSERT, UPDATE, DELETE, DROP ON shop.* TO " + account);
        execute("GRANT PROCESS, " + (isMariaDb() ? "REPLICA MONITOR" : "REPLICATION CLIENT") + " ON *.* TO " + account);
        Endpoint of = server.endpoint();
        Endpoint endpoint = new Endpoint(
                of.host(), of.port(), "worker", "of-the-test", of.sslMode(), of.tls(), of.authentication());
        return (directory, options) -> new Server() {
            @Override
            public String kind() {
                return "address";
            }

            @Override
            public Endpoint endpoint() {
                return endpoint;
            }

            @Override
            public boolean isOwn() {
                return false;
            }

            @Override
            public void close() {
                // others use it
            }
        };
    }

    private void fails(Servers.Source source, String sql, Class<? extends Exception> kind, String message)
            throws SQLException {
        long rows = state().counts().rows();
        assertThatThrownBy(() ->
                        reencoding(source, FAST, new Hook(() -> execute(sql))).change(Before.RAW, ZSTD))
                .isInstanceOf(kind)
                .hasMessageContaining(message)
                .hasMessageContaining("the same command continues");
        assertThat(state().counts().rows()).isGreaterThanOrEqualTo(rows).isLessThan(values.size());
    }

    @Test
    void aServerThatBecomesReadOnlyEndsIt() throws Exception {
        Servers.Source worker = worker();
        try {
            fails(worker, "SET GLOBAL read_only = ON", AdmissionException.class, "the server is read-only now");
            // and it does not begin either
            assertThatThrownBy(() -> reencoding(worker, FAST, SILENT).change(Before.RAW, ZSTD))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("read-only");
        } finally {
            execute("SET GLOBAL read_only = OFF");
        }
        assertDone(reencoding(worker, FAST, SILENT).change(Before.RAW, ZSTD));
        assertGoesBack();
    }

    @Test
    void aPrivilegeThatIsWithdrawnEndsIt() throws Exception {
        Servers.Source worker = worker();
        execute("REVOKE ALL PRIVILEGES ON shop.* FROM 'worker'@'%'");
        for (String state : List.of("blobmark_reencode", "blobmark_reencode_ranges", "blobmark_reencode_originals")) {
            execute("GRANT SELECT, CREATE, INSERT, UPDATE, DELETE, DROP ON shop." + state + " TO 'worker'@'%'");
        }
        fails(
                worker,
                "REVOKE UPDATE ON " + table + " FROM 'worker'@'%'",
                AdmissionException.class,
                "the account lacks a privilege");
        assertThatThrownBy(() -> reencoding(worker, FAST, SILENT).change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("GRANT UPDATE ON");
        execute("GRANT UPDATE ON " + table + " TO 'worker'@'%'");
        assertDone(reencoding(worker, FAST, SILENT).change(Before.RAW, ZSTD));
        assertGoesBack();
    }

    @ParameterizedTest
    @CsvSource({
        "DROP TABLE, doesn't exist",
        "ALTER TABLE DROP COLUMN payload, payload",
        "ALTER TABLE MODIFY payload LONGTEXT CHARACTER SET utf8mb4, encoded bytes are not text",
    })
    void aTableThatIsAlteredEndsIt(String ddl, String message) throws Exception {
        String sql = ddl.replace("TABLE", "TABLE " + table);
        if (ddl.contains("LONGTEXT")) { // bytes of frames are no text
            execute("UPDATE " + table + " SET payload = REPEAT('x', 500)");
        }
        assertThatThrownBy(() -> reencoding(users.source(), FAST.forced(), new Hook(() -> execute(sql)))
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(ddl.contains("LONGTEXT") ? AdmissionException.class : ReencodeException.class)
                .hasMessageContaining(message)
                .satisfies(e -> assertThat(e.getMessage())
                        .containsAnyOf(
                                ddl.contains("LONGTEXT")
                                        ? new String[] {"the same command continues"}
                                        // who reads the next rows may meet it before
                                        : ddl.contains("DROP COLUMN")
                                                ? new String[] {"the table was changed meanwhile", "has no column"}
                                                : new String[] {"the table was changed meanwhile"}));
        assertThatThrownBy(() -> reencoding(SILENT).change(Before.RAW, ZSTD))
                .hasMessageContaining(
                        ddl.equals("DROP TABLE")
                                ? "there is no such table"
                                : ddl.contains("DROP") ? "has no column 'payload'" : "encoded bytes are not text");
    }

    /** A longer type, another column and another index change nothing. */
    @Test
    void aTableThatIsExtendedIsGoneOnWith() throws Exception {
        Hook hook = new Hook(() -> execute("ALTER TABLE " + table
                + " MODIFY payload LONGBLOB, ADD COLUMN state INT NOT NULL DEFAULT 1, ADD KEY (state)"));
        Outcome outcome = reencoding(hook).change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(hook.notices).anyMatch(notice -> notice.contains("others have altered the table"));
        assertThat(outcome.last().rows()).as("it was rebuilt: all rows again").isEqualTo(values.size());
        assertGoesBack();
    }

    /** Without its name, nobody could see which transaction holds the row. */
    @Test
    void aPreparedTransactionThatHoldsARowIsNamed() throws Exception {
        try (Connection holder = users.connect()) {
            Hook hook =
                    new Hook(() -> {
                        Sql.execute(holder, "XA START 'holder'");
                        Sql.execute(holder, "UPDATE " + table + " SET payload = 'held' WHERE id = 'r99'");
                        Sql.execute(holder, "XA END 'holder'");
                        Sql.execute(holder, "XA PREPARE 'holder'");
                    }) {
                        @Override
                        public synchronized void noticeIssued(String notice) {
                            super.noticeIssued(notice);
                            try {
                                Sql.execute(holder, "XA ROLLBACK 'holder'");
                            } catch (SQLException e) {
                                throw new AssertionError(e);
                            }
                        }
                    };
            assertDone(reencoding(hook).change(Before.RAW, ZSTD));
            assertThat(hook.notices)
                    .singleElement()
                    .asString()
                    .startsWith("a transaction is made again: ")
                    .contains("(XA RECOVER): 'holder'");
        }
        assertGoesBack();
    }

    /** Another transaction keeps a row longer than is waited for. */
    @Test
    void aLockThatIsHeldForLongIsWaitedForAgainAndAgain() throws Exception {
        try (Connection holder = users.connect()) {
            holder.setAutoCommit(false);
            Hook hook =
                    new Hook(() -> Sql.execute(holder, "UPDATE " + table + " SET payload = payload WHERE id = 'r99'")) {
                        @Override
                        public synchronized void noticeIssued(String notice) {
                            super.noticeIssued(notice);
                            try {
                                holder.rollback();
                            } catch (SQLException e) {
                                throw new AssertionError(e);
                            }
                        }
                    };
            Outcome outcome = reencoding(hook).change(Before.RAW, ZSTD);
            assertThat(hook.notices).singleElement().asString().startsWith("a transaction is made again: ");
            assertDone(outcome);
        }
        assertGoesBack();
    }

    @Test
    void aFullTablespaceEndsIt() throws Exception {
        String full = "shop.full";
        String system = isMariaDb() ? "" : " TABLESPACE=innodb_system";
        if (isMariaDb()) {
            execute("SET GLOBAL innodb_file_per_table = OFF");
        }
        try (Connection maker = users.connect()) {
            for (String name : List.of(full, "shop.filler")) {
                Sql.execute(
                        maker,
                        "CREATE TABLE " + name + " (id VARCHAR(40) PRIMARY KEY, payload LONGBLOB) ENGINE=InnoDB"
                                + system);
            }
        } finally {
            if (isMariaDb()) {
                execute("SET GLOBAL innodb_file_per_table = ON");
            }
        }
        ValueFormat writing = ValueFormat.builder()
                .writes("zstd:3")
                .policy(EncodingPolicy.STANDARD)
                .build();
        writing.startWriting();
        for (int i = 0; i < 40; i++) {
            users.insert(
                    full,
                    "r" + i,
                    writing.encode(("" + i % 10).repeat(1_000_000).getBytes(StandardCharsets.UTF_8)));
        }
        TableColumn column = TableColumn.named(full + ".payload");
        Reencoding decoding = new Reencoding(users.source(), cache, column, FAST, "test", SILENT);
        for (int i = 0; i < 15; i++) {
            users.insert("shop.filler", "f" + i, new byte[1_000_000]);
        }
        assertThatThrownBy(() -> decoding.change(Before.RAW, new Target("none", ALL)))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("the server has no space left")
                .hasMessageContaining("the same command continues");
        State state = new StateTable(column, "").read(admin).orElseThrow();
        assertThat(state.counts().rows()).isBetween(1L, 39L);
        execute("DROP TABLE shop.filler");
        execute("DELETE FROM " + full + " WHERE CAST(SUBSTRING(id, 2) AS UNSIGNED) >= 25");
        Optional<Outcome> outcome = Optional.empty();
        while (outcome.isEmpty()) { // MariaDB frees the pages of a dropped table after a while
            try {
                outcome = Optional.of(new Reencoding(users.source(), cache, column, FAST, "test", SILENT)
                        .change(Before.RAW, new Target("none", ALL)));
            } catch (AdmissionException e) {
                assertThat(e).hasMessageContaining("the server has no space left");
            }
        }
        assertThat(outcome.get().isComplete()).isTrue();
        assertThat(single("SELECT COUNT(*) FROM " + full + " WHERE LENGTH(payload) = 1000000"))
                .isEqualTo("25");
        execute("DROP TABLE " + full);
    }

    /** Longer values and statements than the server takes now. */
    @Test
    void aSmallPacketLimitsStatements() throws Exception {
        execute("UPDATE " + table + " SET payload = REPEAT('0123456789', 300000) WHERE id = 'r98'");
        for (int i = 100; i < 200; i++) {
            values.put("s" + i, repeated(json(i), 15_000));
            users.insert(table, "s" + i, values.get("s" + i));
        }
        String packet = single("SELECT @@max_allowed_packet");
        execute("SET GLOBAL max_allowed_packet = 262144");
        Hook hook = new Hook(() -> {});
        try {
            Outcome outcome = reencoding(hook).change(Before.RAW, ZSTD);
            assertThat(outcome.isComplete()).isTrue();
            assertThat(outcome.last().rows()).isEqualTo(values.size());
            assertThat(hook.notices).singleElement().asString().startsWith("1 values were left as they are");
            assertThat(single("SELECT LENGTH(payload) FROM " + table + " WHERE id = 'r98'"))
                    .isEqualTo("3000000");
            // a frame that is short, of a value that is not
            ValueFormat writing =
                    ValueFormat.builder().writes("zstd:3").policy(ALL).build();
            writing.startWriting();
            values.put("r98", new byte[400_000]);
            execute("UPDATE " + table + " SET payload = X'" + hex(writing.encode(values.get("r98")))
                    + "' WHERE id = 'r98'");
            assertThatThrownBy(() -> reencoding(SILENT).revert())
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining("key r98: its value has 400000 bytes when it is converted")
                    .hasMessageContaining("max_allowed_packet is 262144");
        } finally {
            execute("SET GLOBAL max_allowed_packet = " + packet);
        }
        reencoding(SILENT).revert();
        assertSameBytes(table, values);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Readers accept 64 MiB unless they are configured otherwise. */
    @Test
    void aVeryLongValueIsLeftAndTakesNoMemory() throws Exception {
        String packet = single("SELECT @@max_allowed_packet");
        execute("SET GLOBAL max_allowed_packet = " + (256 << 20));
        try (Connection wide = users.connect()) {
            execute("ALTER TABLE " + table + " MODIFY payload LONGBLOB");
            Sql.execute(wide, "INSERT INTO " + table + " VALUES ('s-long', REPEAT('a', 104857600))");
            List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .toList();
            System.gc();
            heap.forEach(MemoryPoolMXBean::resetPeakUsage);
            Hook hook = new Hook(() -> {});
            Outcome outcome = reencoding(hook).change(Before.RAW, ZSTD);
            long peak = heap.stream()
                    .mapToLong(pool -> pool.getPeakUsage().getUsed())
                    .sum();
            assertThat(outcome.isComplete()).isTrue();
            assertThat(hook.notices).singleElement().asString().startsWith("1 values were left as they are");
            assertThat(peak).isLessThan(300L << 20);
            assertThat(single("SELECT LENGTH(payload) FROM " + table + " WHERE id = 's-long'"))
                    .isEqualTo("104857600");
            assertThat(reencoding(SILENT).verify().unreadable()).isZero();
        } finally {
            execute("SET GLOBAL max_allowed_packet = " + packet);
            execute("DROP TABLE " + table);
        }
    }
}
