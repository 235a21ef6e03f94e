package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is remembered of a change is of one table, whatever has its name later. */
abstract class IdentityContract extends OnServer {

    private static final Target ZSTD = new Target("zstd:3", ALL);
    private static final String REFUSED = "this is not the table that was changed";

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
        return new Reencoding(
                (directory, of) -> new Server() {
                    @Override
                    public String kind() {
                        return "address";
                    }

                    @Override
                    public Endpoint endpoint() {
                        return plain;
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
                cache,
                TableColumn.named("shop.unseen.payload"),
                FAST,
                "test",
                SILENT);
    }
}
