package dev.blobmark.lab.admission;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class ServerSessionIT extends ServerSessionContract {

    ServerSessionIT(OwnServer server) {
        super(server);
    }
}
