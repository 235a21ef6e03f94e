package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Copies on a real MySQL by its binary log. */
class LedgerMySqlIT extends LedgerContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of("log_bin", "ledger", "server_id", "7"));
    }

    @Override
    boolean isByLog() {
        return true;
    }

    /** Without {@code sync_binlog = 1}, the log is sent before the wait for other commits. */
    @Override
    List<String> delayedCommits() {
        return List.of("SET GLOBAL sync_binlog = 0", "SET GLOBAL binlog_group_commit_sync_delay = 1000000");
    }

    @Override
    List<String> usualCommits() {
        return List.of("SET GLOBAL sync_binlog = 1", "SET GLOBAL binlog_group_commit_sync_delay = 0");
    }

    /** Then one transaction may be visible while an earlier one of the log is not, and only a lock waits for all. */
    @Test
    void whereCommitsHaveNoOrderTheCopyBeginsUnderALock() throws Exception {
        fill("unordered", ROWS);
        List<String> order = new CopyOnWriteArrayList<>();
        users.execute("SET GLOBAL binlog_order_commits = OFF");
        try (Connection holder = users.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("START TRANSACTION");
            statement.execute("UPDATE shop.unordered SET amount = 5 WHERE id = 1");
            CompletableFuture<Void> waited = CompletableFuture.runAsync(() -> {
                try {
                    while (!isAnyWaiting()) {
                        Thread.onSpinWait();
                    }
                    order.add("waited");
                    statement.execute("COMMIT");
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertChanged(copy(payload("unordered"), Map.of(COMPARING, () -> order.add(COMPARING))));
            waited.get();
        } finally {
            users.execute("SET GLOBAL binlog_order_commits = ON");
        }
        assertThat(order).startsWith("waited");
        assertTwins(payload("unordered"));
    }
}
