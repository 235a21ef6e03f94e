package dev.blobmark.lab.client;

import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Endpoint;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MariaDB. */
@ExtendWith(OneServer.class)
class TrafficTest extends TrafficContract {

    private final EmbeddedServer server;

    TrafficTest(EmbeddedServer server) {
        this.server = server;
    }

    @Override
    Endpoint endpoint() {
        return server.endpoint();
    }
}
