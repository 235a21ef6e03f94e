package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Changes of tables of the MariaDB that comes with Blobmark. */
class ReencodeMariaDbIT extends ReencodeContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }
}
