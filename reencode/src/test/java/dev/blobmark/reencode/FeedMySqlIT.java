package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.reencode.change.LogSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The feed of a real MySQL. */
class FeedMySqlIT extends FeedContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of("log_bin", "feed", "server_id", "7", "performance_schema", "ON"));
    }

    @Override
    boolean isMariaDb() {
        return false;
    }

    /** Row images have only the differences of JSON values, of two columns, and the key may change with them. */
    @ParameterizedTest
    @ValueSource(strings = {"FULL", "MINIMAL"})
    void partialUpdatesOfJson(String image) throws Exception {
        String table = "shop.partial_" + image.toLowerCase();
        users.execute(
                "CREATE TABLE " + table + " (j1 JSON, id INT PRIMARY KEY, payload MEDIUMBLOB, j2 JSON, j3 JSON, amount"
                        + " INT) ENGINE=InnoDB");
        for (int i = 0; i < 100; i++) {
            users.execute("INSERT INTO " + table + " VALUES (JSON_OBJECT('a', REPEAT('x', 500), 'n', 0), " + i
                    + ", REPEAT('p', 300), JSON_OBJECT('b', REPEAT('y', 500), 'n', 0), '[]', 0)");
        }
        assertHeld(
                payload("partial_" + image.toLowerCase()),
                () -> users.execute(
                        "SET SESSION binlog_row_value_options = PARTIAL_JSON",
                        "SET SESSION binlog_row_image = " + image,
                        "UPDATE " + table + " SET j1 = JSON_SET(j1, '$.n', 5), amount = amount + 1 WHERE id % 3 = 0",
                        "UPDATE " + table
                                + " SET j1 = JSON_SET(j1, '$.n', 6), j2 = JSON_REPLACE(j2, '$.n', 7), id = id + 1000 WHERE"
                                + " id % 10 = 1 AND id < 1000",
                        "UPDATE " + table
                                + " SET j2 = JSON_SET(j2, '$.n', 8), j3 = '[1]', id = id + 5000 WHERE id % 10 = 2 AND id <"
                                + " 5000"));
    }

    /** Its statements would be logged instead of their rows. */
    @Test
    void aSessionOfAnotherFormatIsSeen() throws Exception {
        try (Connection other = users.connect();
                Statement statement = other.createStatement();
                Connection asking = users.connect()) {
            assertThat(LogSettings.problem(asking)).isEmpty();
            statement.execute("SET SESSION binlog_format = 'MIXED'");
            assertThat(LogSettings.problem(asking).orElseThrow())
                    .startsWith("1 sessions have another binlog_format than ROW");
        }
    }

    /** From then on, others may write on other servers of the group. */
    @Test
    void aGroupOfSeveralPrimariesEndsIt() throws Exception {
        Path plugin = Path.of(users.single("SELECT @@plugin_dir")).resolve("group_replication.so");
        Assumptions.assumeTrue(Files.exists(plugin), "no group replication to test with: there is no " + plugin);
        fill("grouped", ROWS);
        users.execute("INSTALL PLUGIN group_replication SONAME 'group_replication.so'");
        try {
            assertRefused(
                    "grouped",
                    EXCHANGING,
                    () -> users.execute(
                            "SET GLOBAL group_replication_group_name = '6d6f7265-0000-4000-8000-000000000001'",
                            "SET GLOBAL group_replication_single_primary_mode = OFF"));
        } finally {
            users.execute("UNINSTALL PLUGIN group_replication");
        }
    }

    @Test
    void compressedTransactions() throws Exception {
        fill("compressed", ROWS);
        assertHeld(
                payload("compressed"),
                () -> users.execute(
                        "SET SESSION binlog_transaction_compression = ON",
                        "UPDATE shop.compressed SET amount = amount + 1, payload = CONCAT(payload, REPEAT('z', 3000))",
                        "DELETE FROM shop.compressed WHERE id % 100 = 1 LIMIT 2"));
    }
}
