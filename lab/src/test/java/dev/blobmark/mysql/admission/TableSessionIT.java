package dev.blobmark.mysql.admission;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TableSessionIT extends TableSessionContract {

    TableSessionIT(OwnServer server) {
        super(server);
    }
}
