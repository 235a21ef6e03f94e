package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Changes on the MariaDB that comes with Blobmark with a replica. */
class ReplicaMariaDbIT extends ReplicaContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mariaDb(variables);
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
