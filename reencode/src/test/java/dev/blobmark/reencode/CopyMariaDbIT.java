package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Copies on MariaDB by its binary log. */
class CopyMariaDbIT extends CopyContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(
                Map.of("log_bin", "copied", "binlog_format", "ROW", "server_id", "7", "binlog_row_image", "MINIMAL"));
    }

    @Override
    boolean isByLog() {
        return true;
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
