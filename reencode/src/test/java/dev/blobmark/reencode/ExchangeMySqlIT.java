package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The session that has the locks renames. */
class ExchangeMySqlIT extends ExchangeContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of());
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
