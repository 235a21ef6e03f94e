package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Copies on a real MySQL by its binary log. */
class CopyMySqlIT extends CopyContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of("log_bin", "copied", "server_id", "7", "binlog_row_image", "NOBLOB"));
    }

    @Override
    boolean isByLog() {
        return true;
    }
}
