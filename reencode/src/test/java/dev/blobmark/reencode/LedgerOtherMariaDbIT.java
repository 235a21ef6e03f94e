package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The same on another MariaDB, such as 10.11. */
class LedgerOtherMariaDbIT extends LedgerMariaDbIT {

    @Override
    OwnServer start() {
        return TestServers.otherMariaDb(Map.of("log_bin", "ledger", "binlog_format", "ROW", "server_id", "7"));
    }
}
