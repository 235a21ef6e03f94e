package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The worst defaults of MariaDB. */
class HostileSettingsMariaDbIT extends HostileSettingsContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mariaDb(variables);
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
