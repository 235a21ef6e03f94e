package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Tables of MariaDB that change under their names. */
class IdentityMariaDbIT extends IdentityContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
