package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.Differences.Difference;
import dev.blobmark.reencode.checkpoint.Differences.Fate;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no feed can see is found after the exchange: here, changes that a session keeps out of the log. */
abstract class WitnessContract extends StepsOfCopy {

    private static final String UNLOGGED = "SET SESSION sql_log_bin = 0";

    /** More rows than a thousand times the changes of a test, so that these are few. */
    static final int ROWS = 2_000;

    @Override
    boolean isByLog() {
        return true;
    }

    Verdict verdict(Reencoding copy) throws Exception {
        return copy.change(Before.RAW, target()).verdict().orElseThrow();
    }

    private List<Difference> differences(TableColumn column) throws Exception {
        try (Connection connection = users.connect()) {
            return new Differences(column).read(connection);
        }
    }

    void unlogged(String... statements) throws Exception {
        List<String> all = new ArrayList<>(List.of(UNLOGGED));
        all.addAll(List.of(statements));
        users.execute(all.toArray(String[]::new));
    }

    @Test
    void nothingIsLost() throws Exception {
        fill("clean", ROWS);
        Verdict verdict = verdict(copy(
                payload("clean"),
                Map.of(
                        Copying.EXCHANGING,
                        () -> users.execute("UPDATE shop.clean SET amount = 5 WHERE id % 3 = 0"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute(
                                "UPDATE shop.clean SET payload = 'of the application', amount = 7 WHERE id % 5 = 0",
                                "DELETE FROM shop.clean WHERE id % 7 = 0",
                                "INSERT INTO shop.clean VALUES (9999, 'new', 1, 'new')"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 0, 0, 0, false, true));
        assertThat(differences(payload("clean"))).isEmpty();
        copy(payload("clean"), Map.of()).finish();
        assertNotExchanged("clean");
    }

    @Test
    void changesWithoutALogAreBroughtOver() throws Exception {
        fill("unlogged", ROWS);
        TableColumn column = payload("unlogged");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged(
                                "UPDATE shop.unlogged SET payload = 'lost' WHERE id = 5",
                                "UPDATE shop.unlogged SET amount = 99 WHERE id = 6",
                                "UPDATE shop.unlogged SET payload = NULL, note = 'none' WHERE id = 7",
                                "DELETE FROM shop.unlogged WHERE id IN (8, 2000)",
                                "INSERT INTO shop.unlogged VALUES (0, 'first', 1, 'a'), (5000, 'last', 1, NULL)",
                                "UPDATE shop.unlogged SET id = 6000 WHERE id = 9"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 9, 0, 0, false, true));
        assertTwins(column);
        assertThat(differences(column)).extracting(Difference::fate).containsOnly(Fate.BROUGHT_OVER);
        copy(column, Map.of()).finish();
        assertNotExchanged("unlogged");
    }

    /** What the application wrote since is not overwritten; both contents are kept. */
    @Test
    void rowsThatWereChangedSinceAreLeft() throws Exception {
        fill("conflict", ROWS);
        TableColumn column = payload("conflict");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged(
                                "UPDATE shop.conflict SET payload = 'lost' WHERE id IN (5, 6)",
                                "DELETE FROM shop.conflict WHERE id = 7",
                                "INSERT INTO shop.conflict VALUES (5000, 'lost', 1, 'lost')"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute(
                                "UPDATE shop.conflict SET payload = 'later' WHERE id IN (5, 7)",
                                "INSERT INTO shop.conflict VALUES (5000, 'later', 2, 'later')"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 1, 3, 0, false, true));
        assertThat(users.single(
                        "SELECT GROUP_CONCAT(CONCAT(id, payload) ORDER BY id) FROM shop.conflict WHERE id IN (5, 7,"
                                + " 5000)"))
                .isEqualTo("5later,7later,5000later");
        Map<String, Difference> found = new HashMap<>();
        differences(column).forEach(each -> found.put(each.key().get(0), each));
        assertThat(found.keySet()).containsExactlyInAnyOrder("5", "6", "7", "5000");
        assertThat(found.get("6").fate()).isEqualTo(Fate.BROUGHT_OVER);
        assertThat(found.get("5").fate()).isEqualTo(Fate.CONFLICT);
        assertThat(found.get("5").former().orElseThrow().bytes("payload")).hasValue("lost".getBytes());
        assertThat(found.get("5").fresh().orElseThrow().bytes("payload")).isPresent();
        assertThat(found.get("7").former()).isEmpty();
        assertThat(found.get("5000").fresh()).isEmpty();
        Reencoding ended = copy(column, Map.of());
        assertThatThrownBy(ended::finish).isInstanceOf(ReencodeException.class).hasMessageContaining("5000");
        assertThatThrownBy(() -> ended.finish(Set.of("5", "7"))).hasMessageContaining("5000");
        assertThat(rows("shop.conflict_blobmark_old")).isEqualTo(ROWS);
        ended.finish(Set.of("5", "7", "5000"));
        assertNotExchanged("conflict");
        assertThat(differences(column)).isEmpty();
    }

    /** Who accepts one of them has not looked at the other. */
    @Test
    void keysThatLookAlikeAreNotAcceptedByOneName() throws Exception {
        users.execute(
                "CREATE TABLE shop.alike (a VARCHAR(20), b VARCHAR(20), payload MEDIUMBLOB, amount INT, PRIMARY KEY (a, b))"
                        + " ENGINE=InnoDB",
                "INSERT INTO shop.alike VALUES ('x, y', 'z', 'one', 1), ('x', 'y, z', 'two', 2)");
        TableColumn column = payload("alike");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged("UPDATE shop.alike SET payload = 'lost'"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute("UPDATE shop.alike SET payload = 'later'"))));
        assertThat(verdict.conflicts()).isEqualTo(2);
        assertThatThrownBy(() -> copy(column, Map.of()).finish(Set.of("x, y, z")))
                .hasMessageContaining("x, y, z; x, y, z");
        assertThat(rows("shop.alike_blobmark_old")).isEqualTo(2);
        copy(column, Map.of()).finish(Set.of("*"));
        assertNotExchanged("alike");
    }

    /** Who accepts the row with this key has not looked at the other one. */
    @Test
    void theKeyThatMeansAllIsAcceptedLast() throws Exception {
        users.execute(
                "CREATE TABLE shop.starred (id VARCHAR(20) PRIMARY KEY, payload MEDIUMBLOB, amount INT) ENGINE=InnoDB",
                "INSERT INTO shop.starred VALUES ('*', 'one', 1), ('x', 'two', 2)");
        TableColumn column = payload("starred");
        verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged("UPDATE shop.starred SET payload = 'lost'"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute("UPDATE shop.starred SET payload = 'later'"))));
        assertThatThrownBy(() -> copy(column, Map.of()).finish(Set.of("*")))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("the others would be accepted too");
        assertThat(rows("shop.starred_blobmark_old")).isEqualTo(2);
        copy(column, Map.of()).finish(Set.of("x", "*"));
        assertNotExchanged("starred");
    }

    /** Rows that do not fit beside others are left as they are, and named: nothing is deleted. */
    @Test
    void rowsThatDoNotFitAreLeft() throws Exception {
        fill("unfit", ROWS);
        users.execute("UPDATE shop.unfit SET amount = id", "ALTER TABLE shop.unfit ADD UNIQUE KEY (amount)");
        TableColumn column = payload("unfit");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged(
                                "UPDATE shop.unfit SET amount = 70001 WHERE id = 5",
                                "UPDATE shop.unfit SET amount = -1 WHERE id = 6",
                                "UPDATE shop.unfit SET amount = 6 WHERE id = 7",
                                "UPDATE shop.unfit SET amount = 7 WHERE id = 6",
                                "UPDATE shop.unfit SET amount = 70002 WHERE id = 8"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute("INSERT INTO shop.unfit VALUES (9999, 'new', 70001, 'new')"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 1, 3, 0, false, true));
        assertThat(users.single("SELECT GROUP_CONCAT(CONCAT(id, ':', amount) ORDER BY id) FROM shop.unfit WHERE id"
                        + " IN (5, 6, 7, 8, 9999)"))
                .isEqualTo("5:5,6:6,7:7,8:70002,9999:70001");
        assertThatThrownBy(() -> copy(column, Map.of()).finish()).hasMessageContaining("differed: ");
        assertThat(users.single("SELECT amount FROM shop.unfit_blobmark_old WHERE id = 5"))
                .isEqualTo("70001");
    }

    /** What cannot be converted is named; the copy can be ended. */
    @Test
    void aValueThatCannotBeDecodedIsNamed() throws Exception {
        fill("undecodable", ROWS);
        TableColumn column = payload("undecodable");
        // begins as a frame does, and is none
        String[] broken = {"UPDATE shop.undecodable SET payload = X'BEC1FFFFFFFFFFFFFFFF' WHERE id = 5"};
        Verdict verdict = verdict(copy(column, Map.of(Copying.EXCHANGING, () -> unlogged(broken))));
        assertThat(verdict.broughtOver() + verdict.conflicts()).isEqualTo(1);
        copy(column, Map.of()).finish(Set.of("5"));
        assertNotExchanged("undecodable");
    }

    /** A process that is lost after it has decided, and before the change has ended, is continued with that verdict. */
    @Test
    void tooManyRowsStayTooMany() throws Exception {
        fill("decided", ROWS);
        TableColumn column = payload("decided");
        verdict(copy(column, Map.of(Copying.EXCHANGING, () -> unlogged("DELETE FROM shop.decided WHERE id > 100"))));
        users.execute("UPDATE shop.blobmark_reencode SET state = REPLACE(state, '\"phase\":\"CHANGED\"',"
                + " '\"phase\":\"CHANGING\"') WHERE of_table = 'decided'");
        Verdict again = verdict(copy(column, Map.of()));
        assertThat(again.isTooMany()).isTrue();
        assertThat(rows("shop.decided")).isEqualTo(ROWS);
    }

    /** One that is lost after a row was brought over, and before that was recorded. */
    @Test
    void aRowThatHasItsChangeIsBroughtOver() throws Exception {
        fill("repaired", ROWS);
        TableColumn column = payload("repaired");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged("UPDATE shop.repaired SET amount = 99 WHERE id = 5"),
                        Copying.COMPARING_AGAIN,
                        () -> unlogged("UPDATE shop.repaired SET amount = 99 WHERE id = 5"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 1, 0, 0, false, true));
    }

    /** The application wrote the same bytes as before: the log shows that it did. */
    @Test
    void aRowThatWasChangedAndChangedBackIsLeft() throws Exception {
        fill("back", ROWS);
        TableColumn column = payload("back");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged("UPDATE shop.back SET amount = 99 WHERE id = 5"),
                        Copying.COMPARING_AGAIN,
                        () -> users.execute(
                                "UPDATE shop.back SET amount = 11 WHERE id = 5",
                                "UPDATE shop.back SET amount = 10 WHERE id = 5"))));
        assertThat(verdict).isEqualTo(new Verdict(ROWS, 0, 1, 0, false, true));
    }

    /**
     * Of a column that is longer than max_allowed_packet, the server gives NULL (MariaDB) or an empty text (JSON of
     * MySQL) with a warning. Both tables would look alike, whatever is in them.
     */
    @ParameterizedTest
    @ValueSource(strings = {"payload MEDIUMBLOB, other %s", "payload %s, other BLOB"})
    void aColumnThatTheServerDoesNotGiveIsNotPassedOver(String columns) throws Exception {
        boolean isMariaDb = users.single("SELECT VERSION()").contains("MariaDB");
        String name = "unseen" + columns.indexOf('%');
        String table = "shop." + name;
        String column = columns.startsWith("payload MEDIUMBLOB") ? "other" : "payload";
        // of control characters, JSON's text is six times as long as what is stored
        String longText = isMariaDb
                ? "REPEAT(CHAR(1 USING utf8mb4), 2000000)"
                : "JSON_OBJECT('k', REPEAT(CHAR(1 USING utf8mb4), 400000))";
        users.execute(
                "CREATE TABLE " + table + " (id INT PRIMARY KEY, " + columns.formatted(isMariaDb ? "LONGTEXT" : "JSON")
                        + ") ENGINE=InnoDB",
                "INSERT INTO " + table + " (id) VALUES (1), (2), (3)",
                "UPDATE " + table + " SET " + column + " = " + longText + " WHERE id = 3");
        String packet = users.single("SELECT @@GLOBAL.max_allowed_packet");
        users.execute("SET GLOBAL max_allowed_packet = 1048576");
        try {
            assertThatThrownBy(() -> copy(payload(name), Map.of()).change(Before.RAW, target()))
                    .isInstanceOf(ReencodeException.class)
                    .hasMessageContaining("longer, as bytes or as text, than max_allowed_packet")
                    .hasMessageContaining("raise max_allowed_packet");
            assertNotExchanged(name);
        } finally {
            users.execute("SET GLOBAL max_allowed_packet = " + packet);
        }
        assertThat(verdict(copy(payload(name), Map.of())).isClean()).isTrue();
    }

    /** A notice warns that the former table may have rows that the new one lacks. */
    @Test
    void whoStopsBeforeTheComparisonIsTold() throws Exception {
        fill("untold", ROWS);
        TableColumn column = payload("untold");
        Reencoding[] stopped = {null};
        AtomicBoolean isTold = new AtomicBoolean();
        stopped[0] = copy(
                column,
                Map.of(
                        Copying.EXCHANGING,
                        () -> unlogged("UPDATE shop.untold SET amount = 99 WHERE id = 5"),
                        Copying.COMPARING_AGAIN,
                        () -> stopped[0].interrupt(),
                        Copying.NOT_COMPARED,
                        () -> isTold.set(true)));
        assertThat(stopped[0].change(Before.RAW, target()).isComplete()).isFalse();
        assertThat(isTold).isTrue();
        assertThat(verdict(copy(column, Map.of())).undecided()).isEqualTo(1);
    }

    /** Somebody has emptied the table: that is not undone row by row. */
    @Test
    void manyRowsAreReportedOnly() throws Exception {
        fill("emptied", ROWS);
        TableColumn column = payload("emptied");
        Verdict verdict = verdict(
                copy(column, Map.of(Copying.EXCHANGING, () -> unlogged("DELETE FROM shop.emptied WHERE id > 100"))));
        assertThat(verdict.isTooMany()).isTrue();
        assertThat(verdict.broughtOver()).isZero();
        assertThat(rows("shop.emptied")).isEqualTo(ROWS);
        assertThatThrownBy(() -> copy(column, Map.of()).finish())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("too many rows");
        assertThat(rows("shop.emptied_blobmark_old")).isEqualTo(100);
        // another change would forget what must be looked at, and the former table
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, new Target("lz4", ALL)))
                .hasMessageContaining("with rows that differ from those of the new one")
                .hasMessageContaining("--finish");
        assertThat(copy(column, Map.of()).verify().exchange())
                .singleElement()
                .satisfies(each -> assertThat(each.isOpen()).isTrue());
        copy(column, Map.of()).finish(Set.of("*"));
        assertNotExchanged("emptied");
    }

    /** A copy that is lost between the exchange and the end of the comparison. */
    private void loseAfterTheExchange(TableColumn column, Others lost, Others application) throws Exception {
        assertThatThrownBy(() -> copy(column, Map.of(Copying.EXCHANGING, lost, Copying.COMPARING_AGAIN, () -> {
                            application.run();
                            throw new IllegalStateException("lost");
                        }))
                        .change(Before.RAW, target()))
                .hasRootCauseMessage("lost");
        assertThatThrownBy(() -> copy(column, Map.of()).revert()).hasMessageContaining("has not ended");
        assertThatThrownBy(() -> copy(column, Map.of()).finish()).isInstanceOf(ReencodeException.class);
    }

    /** Nothing can be compared any more: that is said, and is not a clean end. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP TABLE shop.%1$s_blobmark_old",
                "RENAME TABLE shop.%1$s_blobmark_old TO shop.%1$s_aside; CREATE TABLE shop.%1$s_blobmark_old LIKE shop.%1$s_aside;"
                        + " INSERT INTO shop.%1$s_blobmark_old SELECT * FROM shop.%1$s_aside"
            })
    void aFormerTableThatIsGoneIsNotCompared(String statements) throws Exception {
        String table = "bereft" + statements.length();
        fill(table, 5);
        TableColumn column = payload(table);
        assertThatThrownBy(() -> copy(
                                column,
                                Map.of(
                                        Copying.COMPARING_AGAIN,
                                        () -> users.execute(
                                                statements.formatted(table).split("; *"))))
                        .change(Before.RAW, target()))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("is gone or another one");
        assertThatThrownBy(() -> copy(column, Map.of()).finish()).isInstanceOf(ReencodeException.class);
        assertThat(rows("shop." + table)).isEqualTo(5);
    }

    /** The digest of what was written shows that nothing was lost, whatever the application has changed since. */
    @Test
    void aComparisonThatIsLostIsMadeByTheDigest() throws Exception {
        fill("killed", ROWS);
        TableColumn column = payload("killed");
        loseAfterTheExchange(
                column,
                () -> users.execute(
                        "UPDATE shop.killed SET payload = 'before', amount = 3 WHERE id % 11 = 0",
                        "DELETE FROM shop.killed WHERE id = 2"),
                () -> users.execute(
                        "UPDATE shop.killed SET amount = 5 WHERE id % 3 = 0", "DELETE FROM shop.killed WHERE id = 3"));
        assertThat(verdict(copy(column, Map.of()))).isEqualTo(new Verdict(ROWS - 1, 0, 0, 0, false, false));
        copy(column, Map.of()).finish();
        assertNotExchanged("killed");
    }

    /** Without a view, what was lost cannot be told from what the application has changed since. */
    @Test
    void aComparisonThatIsLostLeavesRowsUndecided() throws Exception {
        fill("undecided", ROWS);
        TableColumn column = payload("undecided");
        loseAfterTheExchange(
                column,
                () -> unlogged("UPDATE shop.undecided SET amount = 99 WHERE id = 5"),
                () -> users.execute("UPDATE shop.undecided SET amount = 7 WHERE id = 6"));
        assertThat(verdict(copy(column, Map.of()))).isEqualTo(new Verdict(ROWS, 0, 0, 2, false, false));
        assertThat(users.single("SELECT GROUP_CONCAT(amount ORDER BY id) FROM shop.undecided WHERE id IN (5, 6)"))
                .isEqualTo("10,7");
        assertThatThrownBy(() -> copy(column, Map.of()).finish()).hasMessageContaining("differed: ");
    }

    /** Rows are read in the order of keys that a client receives in another form than the server has them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "cyrillic | CHAR(12) CHARACTER SET cp1251 COLLATE cp1251_bin | 'яя1', 'жм', 'а', 'a', '1p'",
                "times    | TIMESTAMP(3) | '2026-10-25 00:30:00.5', '2026-10-25 01:30:00.25', '1970-01-01 00:00:01'",
                "named    | ENUM('z', 'a', 'ü') CHARACTER SET latin1 | 'ü', 'z', 'a'",
            })
    void theDigestGoesOnAfterKeysOfAnyKind(String table, String type, String keys) throws Exception {
        users.execute("CREATE TABLE shop." + table + " (k " + type + " PRIMARY KEY, payload MEDIUMBLOB, amount INT)"
                + " ENGINE=InnoDB");
        for (String key : keys.split(", ")) {
            users.execute("INSERT INTO shop." + table + " VALUES (" + key + ", REPEAT(" + key + ", 50), 1)");
        }
        TableColumn column = payload(table);
        loseAfterTheExchange(
                column,
                () -> users.execute("UPDATE shop." + table + " SET amount = 2"),
                () -> users.execute("UPDATE shop." + table + " SET amount = 3"));
        assertThat(verdict(copy(column, Map.of())))
                .isEqualTo(new Verdict(keys.split(", ").length, 0, 0, 0, false, false));
    }

    /** The table is altered while it is compared: the view is gone, and the digest decides. */
    @Test
    void theTableIsRebuiltMeanwhile() throws Exception {
        fill("rebuilt", ROWS);
        TableColumn column = payload("rebuilt");
        Verdict verdict = verdict(copy(
                column,
                Map.of(
                        Copying.COMPARING_AGAIN,
                        () -> users.execute("ALTER TABLE shop.rebuilt ADD COLUMN more INT, FORCE"))));
        assertThat(verdict.isClean()).isTrue();
        assertThat(verdict.byViews()).isFalse();
    }

    /** The new table becomes another one after the exchange, by which the exchange is not undone. */
    @ParameterizedTest
    @ValueSource(strings = {"TRUNCATE TABLE shop.%s", "ALTER TABLE shop.%s FORCE"})
    void theTableIsRebuiltWhileTheComparisonIsLost(String statement) throws Exception {
        String table = statement.split(" ")[0].toLowerCase(Locale.ROOT);
        fill(table, ROWS);
        TableColumn column = payload(table);
        loseAfterTheExchange(column, () -> {}, () -> users.execute(statement.formatted(table)));
        assertThat(verdict(copy(column, Map.of()))).isEqualTo(new Verdict(ROWS, 0, 0, 0, false, false));
        assertThat(rows("shop." + table + "_blobmark_old")).isEqualTo(ROWS);
    }

    @Test
    void tablesThatAreGoneAfterTheExchangeAreNotTakenBack() throws Exception {
        fill("gone", ROWS);
        TableColumn column = payload("gone");
        loseAfterTheExchange(column, () -> {}, () -> {});
        users.execute("RENAME TABLE shop.gone_blobmark_old TO shop.kept", "ALTER TABLE shop.gone FORCE");
        assertThatThrownBy(() -> copy(column, Map.of()).change(Before.RAW, target()))
                .isInstanceOf(ReencodeException.class)
                .isNotInstanceOf(CopyEndedException.class)
                .hasMessageContaining("the exchange of the tables had begun");
        assertThatThrownBy(() -> copy(column, Map.of()).revert())
                .hasMessageContaining("the exchange of the tables had begun");
    }

    /** The table is rebuilt between the exchange and the next process: it is still the one that was exchanged. */
    @Test
    void theTableIsRebuiltBeforeItIsCompared() throws Exception {
        fill("optimized", ROWS);
        TableColumn column = payload("optimized");
        loseAfterTheExchange(
                column,
                () -> users.execute("UPDATE shop.optimized SET amount = 3 WHERE id = 1"),
                () -> users.execute("ALTER TABLE shop.optimized ADD COLUMN z INT, FORCE"));
        Verdict verdict = verdict(copy(column, Map.of()));
        assertThat(verdict.isClean()).isTrue();
        assertThat(copy(column, Map.of()).revert().isComplete()).isTrue();
        assertThat(users.single("SELECT COUNT(*) FROM shop.optimized WHERE payload LIKE CONCAT(X'BEC1', '%')"))
                .isEqualTo("0");
    }

    /** What an earlier copy of the column has found is not taken for what this one finds. */
    @Test
    void anEarlierVerdictIsForgotten() throws Exception {
        fill("twice", ROWS);
        TableColumn column = payload("twice");
        assertThat(verdict(copy(
                                column,
                                Map.of(
                                        Copying.EXCHANGING,
                                        () -> unlogged("UPDATE shop.twice SET amount = 99 WHERE id = 5"))))
                        .broughtOver())
                .isOne();
        assertThat(copy(column, Map.of()).revert().isComplete()).isTrue();
        copy(column, Map.of()).finish();
        assertThat(verdict(copy(
                                column,
                                Map.of(
                                        Copying.EXCHANGING,
                                        () -> unlogged("UPDATE shop.twice SET amount = 98 WHERE id IN (6, 7)"))))
                        .broughtOver())
                .isEqualTo(2);
        assertTwins(column);
    }
}
