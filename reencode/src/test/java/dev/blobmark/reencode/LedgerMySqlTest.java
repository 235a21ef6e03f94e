package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.List;
import java.util.Map;

/** Copies on a real MySQL by its binary log. */
class LedgerMySqlTest extends LedgerContract {

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
}
