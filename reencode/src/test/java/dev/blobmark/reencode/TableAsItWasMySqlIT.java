package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** Definitions of tables of MySQL. */
class TableAsItWasMySqlIT extends TableAsItWasContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mySql(variables);
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
