package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The feed of the MariaDB that comes with Blobmark. */
class FeedMariaDbIT extends FeedContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of("log_bin", "feed", "binlog_format", "ROW", "server_id", "7"));
    }

    @Override
    boolean isMariaDb() {
        return true;
    }

    /** Events are compressed from a moment on. */
    @Test
    void compressedEvents() throws Exception {
        fill("compressed", ROWS);
        try {
            assertHeld(
                    payload("compressed"),
                    () -> users.execute(
                            "SET GLOBAL log_bin_compress = ON",
                            "SET GLOBAL log_bin_compress_min_len = 10",
                            "UPDATE shop.compressed SET amount = amount + 1, payload = CONCAT(payload, REPEAT('z', 3000))",
                            "INSERT INTO shop.compressed VALUES (9000 + RAND() * 1000000, REPEAT('n', 300), 5, 'new')",
                            "DELETE FROM shop.compressed WHERE id % 100 = 1 LIMIT 2"));
        } finally {
            users.execute("SET GLOBAL log_bin_compress = OFF");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FULL_NODUP"})
    void otherRowImages(String image) throws Exception {
        String known =
                users.single("SELECT enum_value_list FROM information_schema.system_variables WHERE variable_name ="
                        + " 'BINLOG_ROW_IMAGE'");
        Assumptions.assumeTrue(known.contains(image), "this MariaDB has no row images of the kind " + image);
        fill("nodup", ROWS);
        assertHeld(
                payload("nodup"),
                () -> users.execute(
                        "SET SESSION binlog_row_image = " + image,
                        "UPDATE shop.nodup SET id = id + 10000 WHERE id IN (3, 4)",
                        "UPDATE shop.nodup SET amount = amount + 1 WHERE id IN (13, 14)"));
    }

    /** A row that does not fit into the new table, since it lacks a change that no log has: nothing is exchanged. */
    @Test
    void aChangeThatDoesNotFitEndsIt() throws Exception {
        fill("clash", ROWS);
        users.execute("UPDATE shop.clash SET amount = id", "ALTER TABLE shop.clash ADD UNIQUE KEY (amount)");
        assertRefused(
                "clash",
                EXCHANGING,
                () -> users.execute(
                        "SET SESSION sql_log_bin = 0",
                        "UPDATE shop.clash SET amount = -5 WHERE id = 5",
                        "SET SESSION sql_log_bin = 1",
                        "INSERT INTO shop.clash VALUES (9999, 'new', 5, 'new')"));
    }
}
