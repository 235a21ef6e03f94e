package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Changes on a real MySQL with a replica. */
class ReplicaMySqlIT extends ReplicaContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mySql(variables);
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
