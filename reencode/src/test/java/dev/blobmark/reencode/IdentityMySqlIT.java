package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Tables of MySQL that change under their names. */
class IdentityMySqlIT extends IdentityContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of());
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
