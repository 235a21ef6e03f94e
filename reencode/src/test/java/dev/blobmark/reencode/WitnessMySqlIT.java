package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.cutover.Copying;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The comparison after the exchange on a real MySQL. */
class WitnessMySqlIT extends WitnessContract {

    private static final String WAITING =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'";

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of("log_bin", "witness", "binlog_format", "ROW", "server_id", "7"));
    }

    /** A row that is not there is not locked: the application inserts it after both tables were looked at. */
    @Test
    void aRowThatIsInsertedWhileItIsBroughtOverIsLeft() throws Exception {
        fill("meanwhile", ROWS);
        TableColumn column = payload("meanwhile");
        users.execute("CREATE TABLE shop.locked (id INT)", "CREATE TABLE shop.used (id INT)");
        try (Connection holder = users.connect();
                Connection user = users.connect()) {
            user.setAutoCommit(false);
            Sql.execute(user, "SELECT * FROM shop.used");
            FutureTask<Void> rename = new FutureTask<>(() -> {
                users.execute("RENAME TABLE shop.locked TO shop.unlocked, shop.used TO shop.unused");
                return null;
            });
            FutureTask<Void> application = new FutureTask<>(() -> {
                await("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'", 1);
                new Thread(rename, "rename").start(); // has the first table, and waits for the second
                await(WAITING, 1);
                holder.rollback();
                await(WAITING, 2); // what asks for foreign keys waits for the first table
                users.execute("INSERT INTO shop.meanwhile VALUES (5000, 'later', 2, 'later')");
                user.rollback();
                return null;
            });
            Verdict verdict = verdict(copy(
                    column,
                    Map.of(
                            Copying.EXCHANGING,
                            () -> unlogged(
                                    "UPDATE shop.meanwhile SET payload = 'lost' WHERE id = 5",
                                    "INSERT INTO shop.meanwhile VALUES (5000, 'lost', 1, 'lost')"),
                            Copying.COMPARING_AGAIN,
                            () -> {
                                users.execute("UPDATE shop.meanwhile SET payload = 'later' WHERE id = 5");
                                holder.setAutoCommit(false);
                                Sql.execute(holder, "SELECT id FROM shop.meanwhile WHERE id = 5 FOR UPDATE");
                                new Thread(application, "application").start();
                            })));
            application.get(60, TimeUnit.SECONDS);
            rename.get(60, TimeUnit.SECONDS);
            assertThat(verdict.broughtOver()).isZero();
            assertThat(verdict.conflicts()).isEqualTo(2);
        }
        assertThat(users.single("SELECT CONCAT(payload, amount) FROM shop.meanwhile WHERE id = 5000"))
                .isEqualTo("later2");
    }

    /** InnoDB looks at its transactions again only when nobody has asked for 100 ms. */
    private void await(String count, int least) throws Exception {
        long begin = System.nanoTime();
        while (Integer.parseInt(users.single(count)) < least) {
            assertThat(System.nanoTime() - begin).as(count).isLessThan(PATIENCE_NANOS);
            LockSupport.parkNanos(150 * POLL_NANOS);
        }
    }
}
