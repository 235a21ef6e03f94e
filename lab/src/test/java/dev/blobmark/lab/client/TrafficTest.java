package dev.blobmark.lab.client;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MariaDB. */
@ExtendWith(OneServer.class)
class TrafficTest extends TrafficContract {

    private final OwnServer server;

    TrafficTest(OwnServer server) {
        this.server = server;
    }

    @Override
    Endpoint endpoint() {
        return server.endpoint();
    }
}
