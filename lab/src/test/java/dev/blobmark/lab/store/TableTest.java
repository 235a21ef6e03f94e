package dev.blobmark.lab.store;

import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.server.EmbeddedServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TableTest extends TableContract {

    TableTest(EmbeddedServer server) {
        super(server.endpoint(), true);
    }

    @Override
    EmbeddedServer open(EmbeddedServer.Options options) {
        return EmbeddedServer.start(OneServer.CACHE, options);
    }
}
