package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The RENAME of another session waits for the locks. */
class ExchangeMariaDbTest extends ExchangeContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
