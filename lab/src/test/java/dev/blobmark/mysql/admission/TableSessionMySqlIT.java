package dev.blobmark.mysql.admission;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class TableSessionMySqlIT extends TableSessionContract {

    TableSessionMySqlIT(OwnServer server) {
        super(server);
    }
}
