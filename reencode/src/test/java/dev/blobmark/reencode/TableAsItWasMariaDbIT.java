package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Definitions of tables of MariaDB. */
class TableAsItWasMariaDbIT extends TableAsItWasContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mariaDb(variables);
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
