package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The worst defaults of MySQL. */
class HostileSettingsMySqlIT extends HostileSettingsContract {

    @Override
    OwnServer start(Map<String, String> variables) {
        return TestServers.mySql(variables);
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
