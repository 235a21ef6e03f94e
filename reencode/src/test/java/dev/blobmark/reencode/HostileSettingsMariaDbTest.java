package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The worst defaults of MariaDB. */
class HostileSettingsMariaDbTest extends HostileSettingsContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mariaDb(variables);
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
