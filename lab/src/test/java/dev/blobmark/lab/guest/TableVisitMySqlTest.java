package dev.blobmark.lab.guest;

import dev.blobmark.lab.RealMySql;
import dev.blobmark.lab.server.EmbeddedServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class TableVisitMySqlTest extends TableVisitContract {

    TableVisitMySqlTest(EmbeddedServer server) {
        super(server);
    }
}
