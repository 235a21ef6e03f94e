package dev.blobmark.lab.client;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.server.Endpoint;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MariaDB. */
@ExtendWith(OneServer.class)
class TrafficIT extends TrafficContract {

    private final OwnServer server;

    TrafficIT(OwnServer server) {
        this.server = server;
    }

    @Override
    Endpoint endpoint() {
        return server.endpoint();
    }
}
