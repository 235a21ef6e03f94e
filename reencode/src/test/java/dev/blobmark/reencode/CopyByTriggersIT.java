package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Copies on the MariaDB that comes with Blobmark, without a binary log. */
class CopyByTriggersIT extends CopyContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    boolean isByLog() {
        return false;
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
