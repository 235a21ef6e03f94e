package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.reencode.cutover.Exchange;
import dev.blobmark.reencode.failure.CopyEndedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The RENAME of another session waits for the locks. */
class ExchangeMariaDbIT extends ExchangeContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    boolean isMariaDb() {
        return true;
    }

    /**
     * Somebody who reads the new table gets it when the locks are given back: the application does not wait for him.
     */
    @Test
    void aReaderOfTheNewTableIsNotWaitedFor() throws Exception {
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        List<String> attempts = new ArrayList<>();
        boolean isExchanged = exchange(connect(), connect()).run(new Exchange.Last() {
            @Override
            public boolean mayLock() {
                return true;
            }

            @Override
            public boolean run() throws SQLException, InterruptedException {
                attempts.add("locked");
                if (readers.isEmpty()) {
                    readers.add(CompletableFuture.runAsync(ExchangeMariaDbIT.this::readSlowly));
                    while (!users.single("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE"
                                    + " 'SELECT SLEEP%' AND state LIKE 'Waiting for table metadata lock%'")
                            .equals("1")) {
                        Thread.sleep(1);
                    }
                }
                return true;
            }
        });
        assertThat(isExchanged).isTrue();
        readers.get(0).join();
        assertThat(attempts).hasSizeGreaterThan(1);
        assertExchanged(true);
    }

    /**
     * What has the name of the former table is dropped: under the lock, it must still be the one that was made for it.
     */
    @Test
    void aTableThatTookTheNameBeforeTheLockIsLeft() throws Exception {
        Connection locking = before(
                connect(),
                "LOCK TABLES",
                List.of(
                        "DROP TABLE shop.exchanged_blobmark_old",
                        "CREATE TABLE shop.exchanged_blobmark_old (id INT PRIMARY KEY)",
                        "INSERT INTO shop.exchanged_blobmark_old VALUES (7)"),
                this);
        assertThatThrownBy(() -> exchange(locking, connect()).run(new Exchange.Last() {
                    @Override
                    public boolean mayLock() {
                        return true;
                    }

                    @Override
                    public boolean run() {
                        return true;
                    }
                }))
                .isInstanceOf(CopyEndedException.class)
                .hasMessageContaining("the table exchanged_blobmark_old was made by somebody else");
        assertThat(users.single("SELECT id FROM shop.exchanged_blobmark_old")).isEqualTo("7");
        assertThat(users.single("SELECT payload FROM shop.exchanged")).isEqualTo("exchanged");
    }

    /**
     * Locks of definitions are given in the order in which they were asked for: what came between the lock and the
     * RENAME is carried out before the RENAME, on the table that is about to be the former one.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRUNCATE TABLE shop.exchanged",
                "ALTER TABLE shop.exchanged ADD COLUMN added INT",
                "LOCK TABLES shop.exchanged WRITE",
                "/* a comment */ OPTIMIZE TABLE shop.exchanged",
                "CREATE TRIGGER shop.late AFTER INSERT ON shop.exchanged FOR EACH ROW SET @a = 1"
            })
    void whoeverWaitsBeforeTheRenameComesFirst(String statement) throws Exception {
        List<CompletableFuture<Void>> others = new ArrayList<>();
        Connection renaming = before(connect(), "RENAME", () -> {
            if (others.isEmpty()) {
                others.add(CompletableFuture.runAsync(() -> executes(statement)));
                while (!users.single("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%exchanged%'"
                                + " AND info NOT LIKE 'SELECT%' AND state LIKE 'Waiting for table metadata lock%'")
                        .equals("1")) {
                    Thread.sleep(1);
                }
            }
        });
        List<Boolean> areOver = new ArrayList<>();
        exchange(connect(), renaming).run(new Exchange.Last() {
            @Override
            public boolean mayLock() {
                return true;
            }

            @Override
            public boolean run() {
                areOver.add(others.get(0).isDone());
                return true;
            }
        });
        others.get(0).join();
        assertThat(areOver).doesNotContain(false);
    }

    private void executes(String statement) {
        try {
            users.execute(statement);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void readSlowly() {
        try {
            users.execute("SELECT SLEEP(3) FROM shop.exchanged_blobmark_new");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
