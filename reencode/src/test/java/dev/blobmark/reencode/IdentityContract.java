package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.verify.Verified;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is remembered of a change is of one table, whatever has its name later. */
abstract class IdentityContract extends OnServer {

    private static final Target ZSTD = new Target("zstd:3", ALL);
    private static final String REFUSED = "this is not the table that was changed";

    private Optional<ColumnIdentity> columnIdentity(TableColumn column) throws Exception {
        try (Connection connection = users.connect()) {
            return Optional.of(ColumnIdentity.read(connection, column));
        }
    }

    private Optional<TableIdentity> identity(String schema, String table) throws Exception {
        try (Connection connection = users.connect()) {
            return TableIdentity.read(connection, schema, table);
        }
    }

    @Test
    void aTableKeepsItsIdentityUntilItIsMadeAnew() throws Exception {
        users.execute(
                "CREATE DATABASE `in-$a`",
                "CREATE TABLE `in-$a`.`a b` (id INT PRIMARY KEY) ENGINE=InnoDB",
                "CREATE TABLE `in-$a`.`A B` (id INT PRIMARY KEY) ENGINE=InnoDB",
                "CREATE TABLE `in-$a`.parted (id INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3",
                "CREATE TABLE `in-$a`.`größe` (id INT PRIMARY KEY) ENGINE=InnoDB");
        Optional<TableIdentity> first = identity("in-$a", "a b");
        assertThat(first).isPresent().isNotEqualTo(identity("in-$a", "A B"));
        assertThat(identity("in-$a", "parted").orElseThrow().ids().split(",")).hasSize(3);
        assertThat(identity("in-$a", "größe")).isPresent();
        users.execute("CREATE TABLE `in-$a`.`grüße` (id INT PRIMARY KEY) ENGINE=InnoDB");
        assertThat(identity("in-$a", "größe")).as("which of two").isEmpty();
        assertThat(identity("in-$a", "none")).isEmpty();
        users.execute(
                "ALTER TABLE `in-$a`.`a b` COMMENT 'x'",
                "RENAME TABLE `in-$a`.`a b` TO `in-$a`.c, `in-$a`.`A B` TO `in-$a`.`a b`");
        assertThat(identity("in-$a", "c")).isEqualTo(first);
        assertThat(identity("in-$a", "a b")).isPresent().isNotEqualTo(first);
        users.execute("TRUNCATE TABLE `in-$a`.c");
        assertThat(identity("in-$a", "c")).isPresent().isNotEqualTo(first);
    }

    private void exchange(String one, String other) throws Exception {
        users.execute(
                "RENAME TABLE " + one + " TO " + one + "_x, " + other + " TO " + one + ", " + one + "_x TO " + other);
    }

    private void assertRefused(ThrowingCallable step) {
        assertThatThrownBy(step)
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining(REFUSED)
                .hasMessageContaining("--force");
    }

    @Test
    void anExchangedTableIsNotTouched() throws Exception {
        Map<String, byte[]> values = table("shop.ours");
        Map<String, byte[]> others = table("shop.other");
        users.execute("UPDATE shop.other SET payload = CONCAT('other ', payload)");
        others.replaceAll((key, value) ->
                ("other " + new String(value, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
        reencoding("shop.ours.payload").change(Before.RAW, ZSTD);
        exchange("shop.ours", "shop.other");
        assertRefused(() -> reencoding("shop.ours.payload").verify());
        assertRefused(() -> reencoding("shop.ours.payload").revert());
        assertRefused(() -> reencoding("shop.ours.payload").finish());
        assertRefused(() -> reencoding("shop.ours.payload").change(Before.RAW, new Target("lz4", ALL)));
        assertSameBytes("shop.ours", others);
        exchange("shop.ours", "shop.other");
        Verified verified = reencoding("shop.ours.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        reencoding("shop.ours.payload").revert();
        assertSameBytes("shop.ours", values);
        reencoding("shop.ours.payload").finish();
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIMIZE TABLE %s", "ALTER TABLE %s FORCE", "ALTER TABLE %s ADD COLUMN note INT, FORCE"})
    void aTableThatWasRebuiltIsTheSame(String rebuild) throws Exception {
        String table = "shop.rebuilt" + Math.abs(rebuild.hashCode());
        Map<String, byte[]> values = table(table);
        reencoding(table + ".payload").change(Before.RAW, ZSTD);
        Optional<TableIdentity> before = identity("shop", table.substring(5));
        users.execute(rebuild.formatted(table), "UPDATE " + table + " SET payload = 'x' WHERE id = 'r7'");
        assertThat(identity("shop", table.substring(5))).isPresent().isNotEqualTo(before);
        Verified verified = reencoding(table + ".payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges() - 1).isPositive();
        reencoding(table + ".payload").revert();
        values.put("r7", new byte[] {'x'});
        assertSameBytes(table, values);
        reencoding(table + ".payload").finish();
    }

    @Test
    void aTableInWhichNothingIsLeftNeedsAWord() throws Exception {
        table("shop.cleared");
        reencoding("shop.cleared.payload").change(Before.RAW, ZSTD);
        users.execute("TRUNCATE TABLE shop.cleared");
        assertRefused(() -> reencoding("shop.cleared.payload").finish());
        forced("shop.cleared.payload").finish();
        assertThatThrownBy(() -> reencoding("shop.cleared.payload").finish())
                .hasMessageContaining("no change of it is known here");
    }

    private void assertEncoded(String table) throws Exception {
        users.stored(table)
                .forEach((key, bytes) -> assertThat(bytes.orElseThrow()).as(key).startsWith(0xBE, 0xC1));
    }

    /** Rows before the position, which the backup of a few transactions ago has in their former form. */
    @Test
    void aTableThatWasRestoredIsChangedFromTheFirstRow() throws Exception {
        Map<String, byte[]> values = table("shop.restored");
        TableColumn column = TableColumn.named("shop.restored.payload");
        assertThatThrownBy(() -> work("shop.restored", begun("zstd:3").of(columnIdentity(column)), stoppingAfter(1)))
                .isInstanceOf(StoppedException.class);
        users.execute(
                "CREATE TABLE shop.backup LIKE shop.restored", "INSERT INTO shop.backup SELECT * FROM shop.restored");
        State stopped;
        try (Connection connection = users.connect()) {
            stopped = new StateTable(column, "test").read(connection).orElseThrow();
        }
        assertThatThrownBy(() -> work("shop.restored", stopped, stoppingAfter(1)))
                .isInstanceOf(StoppedException.class);
        users.execute("TRUNCATE TABLE shop.restored", "INSERT INTO shop.restored SELECT * FROM shop.backup");
        List<String> notices = new CopyOnWriteArrayList<>();
        changing("shop.restored.payload", FAST, notices::add).change(Before.RAW, ZSTD);
        assertThat(notices).contains(Plan.OTHER_TABLE);
        assertEncoded("shop.restored");
        Verified verified = reencoding("shop.restored.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        reencoding("shop.restored.payload").revert();
        assertSameBytes("shop.restored", values);
        reencoding("shop.restored.payload").finish();
    }

    /** Another process may just have made sure that they exist. */
    @Test
    void tablesThatAChangeBeginsWithAreNotDropped() throws Exception {
        users.execute("CREATE DATABASE ending");
        table("ending.t");
        reencoding("ending.t.payload").change(Before.RAW, ZSTD);
        StateTable states = new StateTable(TableColumn.named("ending.other.payload"), "another");
        try (Connection other = users.connect()) {
            states.create(other);
            reencoding("ending.t.payload").finish();
            assertThat(states.read(other)).isEmpty();
            assertThat(users.single("SELECT COUNT(*) FROM ending." + StateTable.NAME))
                    .isEqualTo("0");
            states.release(other);
        }
        reencoding("ending.t.payload").change(Before.RAW, ZSTD);
        reencoding("ending.t.payload").finish();
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'ending'"
                        + " AND table_name LIKE 'blobmark\\_reencode%'"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {StateTable.NAME, StateTable.RANGES, StateTable.ORIGINALS})
    void aTableOfTheUserWithTheNameOfOursIsLeft(String name) throws Exception {
        users.execute("CREATE DATABASE IF NOT EXISTS own_names");
        table("own_names.t");
        users.execute("CREATE TABLE own_names." + name + " (a INT)", "INSERT INTO own_names." + name + " VALUES (1)");
        assertThatThrownBy(() -> reencoding("own_names.t.payload").change(Before.RAW, ZSTD))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("own_names." + name + ": it does not have the comment");
        assertThat(users.single("SELECT a FROM own_names." + name)).isEqualTo("1");
        users.execute("DROP DATABASE own_names");
    }

    /** The table stays the same, and no value that has the name now was looked at. */
    @Test
    void aColumnThatHasTakenTheNameIsChangedFromTheFirstRow() throws Exception {
        table("shop.swapped");
        users.execute("ALTER TABLE shop.swapped ADD COLUMN other LONGBLOB", "UPDATE shop.swapped SET other = payload");
        TableColumn column = TableColumn.named("shop.swapped.payload");
        assertThatThrownBy(() -> work("shop.swapped", begun("zstd:3").of(columnIdentity(column)), stoppingAfter(1)))
                .isInstanceOf(StoppedException.class);
        users.execute("ALTER TABLE shop.swapped RENAME COLUMN payload TO other, RENAME COLUMN other TO payload");
        List<String> notices = new CopyOnWriteArrayList<>();
        changing("shop.swapped.payload", FAST, notices::add).change(Before.RAW, ZSTD);
        assertThat(notices).contains(Plan.OTHER_TABLE);
        assertEncoded("shop.swapped");
        reencoding("shop.swapped.payload").finish();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aTableThatIsRestoredMeanwhileIsChangedFromTheFirstRow(int writers) throws Exception {
        String name = "meanwhile" + writers;
        table("shop." + name);
        users.execute(
                "CREATE TABLE shop.backup_" + name + " LIKE shop." + name,
                "INSERT INTO shop.backup_" + name + " SELECT * FROM shop." + name);
        Path pause = Files.createTempFile(cache, "pause", "");
        List<String> notices = new CopyOnWriteArrayList<>();
        ReencodeOptions options = options(100, Optional.of(pause), writers);
        Reencoding changing = changing("shop." + name + ".payload", options, notice -> {
            notices.add(notice);
            if (notice.startsWith("paused")) {
                exchange("shop." + name, "shop.backup_" + name);
                Files.delete(pause);
            }
        });
        // several writers may have changed rows of the other table before they look, which are as they left them
        Throwable refused = catchThrowable(() -> changing.change(Before.RAW, ZSTD));
        if (writers == 1 || refused != null) {
            assertThat(refused).isInstanceOf(ReencodeException.class).hasMessageContaining("--force");
            changing(
                            "shop." + name + ".payload",
                            options(100, Optional.empty(), writers, true),
                            notices::add,
                            progress -> {})
                    .change(Before.RAW, ZSTD);
        }
        assertThat(notices).contains(Plan.OTHER_TABLE);
        assertEncoded("shop." + name);
        Verified verified = reencoding("shop." + name + ".payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        assertThat(verified.rows()).isEqualTo(300);
    }

    /** In the middle, after some rows were changed. What the table has become decides, not what it was. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aKeyThatIsOrderedOtherwiseInTheMiddleBeginsAgain(int writers) throws Exception {
        String table = "shop.reordered" + writers;
        users.execute(
                "CREATE TABLE " + table
                        + " (id VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            values.put((i % 2 == 0 ? "K" : "k") + i, json(i));
        }
        fill(table, values);
        List<String> notices = new CopyOnWriteArrayList<>();
        AtomicBoolean isAltered = new AtomicBoolean();
        Reencoding reencoding =
                changing(table + ".payload", options(5, Optional.empty(), writers), notices::add, progress -> {
                    if (progress.rows() > 0 && isAltered.compareAndSet(false, true)) {
                        users.execute("ALTER TABLE " + table
                                + " MODIFY id VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL");
                    }
                });
        try {
            reencoding.change(Before.RAW, ZSTD);
        } catch (ReencodeException e) { // as a table that was rebuilt: the same command may need --force
            assertThat(e).hasMessageContaining("--force");
            forced(table + ".payload").change(Before.RAW, ZSTD);
        }
        assertThat(isAltered).isTrue();
        assertThat(notices).anyMatch(notice -> notice.contains("others have altered the table"));
        assertEncoded(table);
    }

    @Test
    void aTriggerThatIsMadeInTheMiddleEndsTheChange() throws Exception {
        users.execute(
                "CREATE TABLE shop.triggered (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB, v INT DEFAULT 0)"
                        + " ENGINE=InnoDB",
                // what a trigger writes there is not rolled back
                "CREATE TABLE shop.counted (n INT) ENGINE=MyISAM");
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            values.put("r" + i, json(i));
        }
        fill("shop.triggered", values);
        AtomicBoolean isMade = new AtomicBoolean();
        assertThatThrownBy(() -> changing(
                                "shop.triggered.payload", options(5, Optional.empty(), 1), notice -> {}, progress -> {
                                    if (progress.rows() > 0 && isMade.compareAndSet(false, true)) {
                                        users.execute(
                                                "CREATE TRIGGER shop.counting BEFORE UPDATE ON shop.triggered FOR EACH ROW"
                                                        + " INSERT INTO shop.counted VALUES (1)");
                                    }
                                })
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("the trigger counting would run for each row");
        assertThat(users.single("SELECT COUNT(*) FROM shop.counted")).isEqualTo("0");
        users.execute("DROP TRIGGER shop.counting");
        reencoding("shop.triggered.payload").change(Before.RAW, ZSTD);
        assertEncoded("shop.triggered");
    }

    /** What each transaction relies on: after a read without rows, others wait until it ends. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TRIGGER shop.late BEFORE UPDATE ON shop.kept FOR EACH ROW SET NEW.v = 1",
                "ALTER TABLE shop.kept ADD COLUMN w INT",
                "RENAME TABLE shop.kept TO shop.kept_away"
            })
    void aReadWithoutRowsKeepsOthersFromAlteringTheTable(String ddl) throws Exception {
        users.execute("CREATE TABLE IF NOT EXISTS shop.kept (id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
        try (Connection writing = JdbcDriver.connectForChanging(server.endpoint());
                Connection other = users.connect()) {
            WritingConnection.prepare(writing);
            Sql.strings(writing, "SELECT 1 FROM shop.kept WHERE FALSE");
            Sql.execute(other, "SET SESSION lock_wait_timeout = 1");
            assertThatThrownBy(() -> Sql.execute(other, ddl))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1205));
            writing.rollback();
            Sql.execute(other, ddl);
        }
        users.execute("DROP TABLE IF EXISTS shop.kept, shop.kept_away");
    }

    /** Another table of the same definition is not changed, and exchanging both again does not hide rows. */
    @Test
    void aTableThatIsExchangedInTheMiddleEndsTheChange() throws Exception {
        Map<String, byte[]> values = new LinkedHashMap<>();
        Map<String, byte[]> others = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            values.put("r" + i, json(i));
            others.put("r" + i, json(i + 10_000));
        }
        users.execute( // within a second
                "CREATE TABLE shop.there (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB",
                "CREATE TABLE shop.there_other LIKE shop.there");
        fill("shop.there", values);
        fill("shop.there_other", others);
        AtomicBoolean isExchanged = new AtomicBoolean();
        assertThatThrownBy(() -> changing(
                                "shop.there.payload", options(5, Optional.empty(), 1), notice -> {}, progress -> {
                                    if (progress.rows() > 0 && isExchanged.compareAndSet(false, true)) {
                                        exchange("shop.there", "shop.there_other");
                                    }
                                })
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("this is not the table that was changed");
        assertSameBytes("shop.there", others);
        exchange("shop.there", "shop.there_other");
        reencoding("shop.there.payload").change(Before.RAW, ZSTD);
        assertSameBytes("shop.there_other", others);
        assertEncoded("shop.there");
    }

    /** Without the privilege, the trigger cannot be seen. */
    @Test
    void aPrivilegeThatIsTakenInTheMiddleEndsTheChange() throws Exception {
        users.execute("CREATE TABLE shop.taken_away (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB, v INT DEFAULT 0)"
                + " ENGINE=InnoDB");
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            values.put("r" + i, json(i));
        }
        fill("shop.taken_away", values);
        Endpoint limited = account(
                "limited",
                "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, TRIGGER ON shop.*",
                "PROCESS, REPLICATION CLIENT" + (isMariaDb() ? ", REPLICA MONITOR" : "") + " ON *.*");
        AtomicBoolean isMade = new AtomicBoolean();
        assertThatThrownBy(() -> as(limited, "shop.taken_away.payload", options(5, Optional.empty(), 1), progress -> {
                            if (progress.rows() > 0 && isMade.compareAndSet(false, true)) {
                                users.execute(
                                        "REVOKE TRIGGER ON shop.* FROM limited@'%'",
                                        "CREATE TRIGGER shop.unseen_trigger BEFORE UPDATE ON shop.taken_away FOR EACH ROW"
                                                + " SET NEW.v = OLD.v + 1");
                            }
                        })
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("may not see whether the table has triggers");
        assertThat(users.single("SELECT COUNT(*) FROM shop.taken_away WHERE v <> 0"))
                .isEqualTo("0");
    }

    /** What the account does not see is neither compared nor copied. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAccountThatSeesSomeColumnsIsRefused(boolean isCopy) throws Exception {
        String table = "some_columns_" + isCopy;
        users.execute(
                "CREATE TABLE shop." + table + " (id VARCHAR(40) PRIMARY KEY, note VARCHAR(20), payload MEDIUMBLOB,"
                        + " at TIMESTAMP DEFAULT '2020-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP) ENGINE=InnoDB",
                "INSERT INTO shop." + table + " (id, note, payload) VALUES ('a', 'precious', 'value')");
        Endpoint limited = account(
                "some_" + isCopy,
                "SELECT (id, payload), INSERT (id, payload), UPDATE (id, payload), DELETE, CREATE, DROP, ALTER, TRIGGER ON shop."
                        + table,
                "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, TRIGGER ON shop." + StateTable.NAME,
                "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, TRIGGER ON shop." + StateTable.RANGES,
                "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, TRIGGER ON shop." + StateTable.ORIGINALS,
                "PROCESS, REPLICATION CLIENT" + (isMariaDb() ? ", REPLICA MONITOR" : "") + " ON *.*");
        ReencodeOptions options = isCopy ? StepsOfCopy.copying(100, Optional.empty()) : FAST;
        assertThatThrownBy(() -> as(limited, "shop." + table + ".payload", options, progress -> {})
                        .change(Before.RAW, ZSTD))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("the account lacks a privilege: GRANT SELECT");
        assertThat(users.single("SELECT CONCAT(note, at, payload) FROM shop." + table))
                .isEqualTo("precious2020-01-01 00:00:00value");
    }

    private Endpoint account(String name, String... grants) throws Exception {
        users.execute("CREATE USER " + name + "@'%' IDENTIFIED BY 'x'");
        for (String grant : grants) {
            users.execute("GRANT " + grant + " TO " + name + "@'%'");
        }
        return new Endpoint(server.endpoint().host(), server.endpoint().port(), name, "x");
    }

    /** At 1 % of the speed, a change is reported while it works. */
    private static ReencodeOptions options(int speed, Optional<Path> pause, int writers) {
        return options(speed, pause, writers, false);
    }

    private static ReencodeOptions options(int speed, Optional<Path> pause, int writers, boolean isForced) {
        return new ReencodeOptions(
                new Pace(
                        FAST.pace().load(),
                        speed,
                        FAST.pace().binlogRate(),
                        List.of(),
                        FAST.pace().maxLag(),
                        false,
                        Optional.empty(),
                        FAST.pace().transaction(),
                        pause,
                        Optional.empty()),
                false,
                true,
                writers,
                isForced);
    }

    /** What somebody else does at a report. */
    private interface Reported {
        void at(Progress progress) throws Exception;
    }

    /** A step of somebody else. */
    private interface Step {
        void at(String notice) throws Exception;
    }

    private Reencoding changing(String column, ReencodeOptions options, Step step) {
        return changing(column, options, step, progress -> {});
    }

    private Reencoding changing(String column, ReencodeOptions options, Step step, Reported reported) {
        return changing(users.source(), column, options, step, reported);
    }

    private Reencoding changing(
            Servers.Source source, String column, ReencodeOptions options, Step step, Reported reported) {
        return new Reencoding(source, cache, TableColumn.named(column), options, "test", new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {
                try {
                    reported.at(progress);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void noticeIssued(String notice) {
                try {
                    step.at(notice);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    @Test
    void aTableThatLostAPartitionIsTheSame() {
        assertThat(new TableIdentity("3,7").isWithin(new TableIdentity("3,5,7")))
                .isTrue();
        assertThat(new TableIdentity("3,8").isWithin(new TableIdentity("3,7"))).isFalse();
        assertThat(new TableIdentity("3,7,9").isWithin(new TableIdentity("3,7")))
                .isFalse();
    }

    /** Without PROCESS, no identity is seen, and the values decide. */
    @Test
    void withoutPrivilegesTheValuesDecide() throws Exception {
        Map<String, byte[]> values = table("shop.unseen");
        table("shop.strange");
        users.execute(
                "UPDATE shop.strange SET payload = REVERSE(payload)",
                "CREATE USER plain@'%' IDENTIFIED BY 'x'",
                "GRANT ALL ON shop.* TO plain@'%'",
                "GRANT REPLICATION CLIENT" + (isMariaDb() ? ", REPLICA MONITOR" : "") + " ON *.* TO plain@'%'");
        Endpoint plain =
                new Endpoint(server.endpoint().host(), server.endpoint().port(), "plain", "x");
        asPlain(plain).change(Before.RAW, ZSTD);
        assertThat(asPlain(plain).verify().same()).isPositive();
        exchange("shop.unseen", "shop.strange");
        assertRefused(() -> asPlain(plain).revert());
        exchange("shop.unseen", "shop.strange");
        asPlain(plain).revert();
        assertSameBytes("shop.unseen", values);
    }

    abstract boolean isMariaDb();

    private Reencoding asPlain(Endpoint plain) {
        return as(plain, "shop.unseen.payload", FAST, progress -> {});
    }

    private Reencoding as(Endpoint account, String column, ReencodeOptions options, Reported reported) {
        return changing(
                (directory, of) -> new Server() {
                    @Override
                    public String kind() {
                        return "address";
                    }

                    @Override
                    public Endpoint endpoint() {
                        return account;
                    }

                    @Override
                    public boolean isOwn() {
                        return false;
                    }

                    @Override
                    public void close() {
                        // others use it
                    }
                },
                column,
                options,
                notice -> {},
                reported);
    }
}
