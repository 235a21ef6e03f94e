package dev.blobmark.lab.guest;

import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.server.EmbeddedServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TableVisitTest extends TableVisitContract {

    TableVisitTest(EmbeddedServer server) {
        super(server);
    }
}
