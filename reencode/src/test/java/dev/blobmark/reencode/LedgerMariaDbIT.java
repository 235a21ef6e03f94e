package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.List;
import java.util.Map;

/** Copies on MariaDB by its binary log. */
class LedgerMariaDbIT extends LedgerContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of("log_bin", "ledger", "binlog_format", "ROW", "server_id", "7"));
    }

    @Override
    boolean isByLog() {
        return true;
    }

    /** Semi-synchronous replication waits for a replica that does not exist. */
    @Override
    List<String> delayedCommits() {
        return List.of(
                "SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC",
                "SET GLOBAL rpl_semi_sync_master_timeout = 2000",
                "SET GLOBAL rpl_semi_sync_master_enabled = ON");
    }

    @Override
    List<String> usualCommits() {
        return List.of("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
    }
}
