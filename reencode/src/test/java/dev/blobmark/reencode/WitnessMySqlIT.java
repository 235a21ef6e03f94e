package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.Map;

/** The comparison after the exchange on a real MySQL. */
class WitnessMySqlIT extends WitnessContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of("log_bin", "witness", "binlog_format", "ROW", "server_id", "7"));
    }
}
