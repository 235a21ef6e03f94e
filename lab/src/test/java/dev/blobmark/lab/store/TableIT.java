package dev.blobmark.lab.store;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TableIT extends TableContract {

    TableIT(OwnServer server) {
        super(server.endpoint(), true);
    }

    @Override
    OwnServer open(ServerOptions options) {
        return OwnServer.start(OneServer.CACHE, options);
    }
}
