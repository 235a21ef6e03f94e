package dev.blobmark.lab.admission;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class TableSessionMySqlTest extends TableSessionContract {

    TableSessionMySqlTest(OwnServer server) {
        super(server);
    }
}
