package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.check.Beginning;
import dev.blobmark.reencode.check.Check;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.table.TableFacts;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A server that leaves the changes of a schema out of its binary log. */
abstract class FilteredLogContract extends StepsOfCopy {

    @Override
    boolean isByLog() {
        return false;
    }

    abstract boolean isMariaDb();

    /** Triggers find the changes instead. */
    @Test
    void changesAreFoundByTriggers() throws Exception {
        try (Connection connection = users.connect()) {
            assertThat(LogSettings.problem(connection).orElseThrow())
                    .isEqualTo("the server leaves changes out of the binary log: binlog_ignore_db is 'shop'");
        }
        fill("filtered", ROWS);
        assertHeld(
                payload("filtered"), () -> users.execute("UPDATE shop.filtered SET amount = amount + 1 WHERE id = 3"));
    }

    /** TRUNCATE runs no trigger. */
    @Test
    void truncateIsNoticedWithoutALog() throws Exception {
        fill("truncated", ROWS);
        assertRefused("truncated", Copying.EXCHANGING, () -> users.execute("TRUNCATE TABLE shop.truncated"));
    }

    /** Tables and triggers that have the names of ours, and that others have made, are not dropped. */
    @Test
    void whatOthersMadeIsLeft() throws Exception {
        fill("owned", ROWS);
        assertChanged(copy(payload("owned"), Map.of()));
        users.execute("DROP TABLE shop.owned_blobmark_keys", "CREATE TABLE shop.owned_blobmark_keys (a INT)");
        assertThatThrownBy(() -> copy(payload("owned"), Map.of()).finish())
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("does not have the comment");
        assertThat(rows("shop.owned_blobmark_old")).isEqualTo(ROWS);
        users.execute(
                "DROP TABLE shop.owned_blobmark_keys",
                "CREATE TRIGGER shop.owned_blobmark_ti AFTER INSERT ON shop.owned FOR EACH ROW SET @a = 1");
        assertThatThrownBy(() -> copy(payload("owned"), Map.of()).finish())
                .hasMessageContaining("it is not a trigger that Blobmark made");
        users.execute("DROP TRIGGER shop.owned_blobmark_ti");
        copy(payload("owned"), Map.of()).finish();
        assertNotExchanged("owned");
    }

    /** Without SUPER, triggers cannot be made while there is a log. */
    @Test
    void withoutTriggersItIsRefused() throws Exception {
        fill("refused", ROWS);
        users.execute(
                "CREATE USER 'app'@'%' IDENTIFIED BY 'x'",
                "GRANT ALL ON shop.* TO 'app'@'%'",
                isMariaDb()
                        ? "GRANT PROCESS, REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR ON *.* TO 'app'@'%'"
                        : "GRANT PROCESS, REPLICATION SLAVE, REPLICATION CLIENT, XA_RECOVER_ADMIN ON *.* TO 'app'@'%'");
        Endpoint all = server.endpoint();
        Endpoint app = new Endpoint(all.host(), all.port(), "app", "x");
        Reencoding copy = new Reencoding(
                directory -> new Server() {
                    @Override
                    public String kind() {
                        return "address";
                    }

                    @Override
                    public Endpoint endpoint() {
                        return app;
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
                payload("refused"),
                copying(100, Optional.empty()),
                "test",
                SILENT);
        assertThatThrownBy(() -> copy.change(Before.RAW, target()))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("binlog_ignore_db is 'shop'")
                .hasMessageContaining("error 1419");
        users.execute("SET GLOBAL log_bin_trust_function_creators = ON");
        try (Connection connection = JdbcDriver.connectForLoading(app, "")) {
            assertThat(Check.problems(new Beginning(
                            connection,
                            app,
                            payload("refused"),
                            copying(100, Optional.empty()),
                            TableFacts.read(connection, payload("refused")),
                            Optional.of(target()),
                            Optional.of(State.Copy.PLANNED),
                            true,
                            false)))
                    .isEmpty();
        }
        assertChanged(copy);
        assertTwins(payload("refused"));
    }

    static Map<String, String> filtering() {
        return Map.of("log_bin", "filtered", "binlog_format", "ROW", "server_id", "7", "binlog_ignore_db", "shop");
    }
}
