package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The comparison after the exchange on the MariaDB that comes with Blobmark. */
class WitnessMariaDbIT extends WitnessContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of("log_bin", "witness", "binlog_format", "ROW", "server_id", "7"));
    }
}
