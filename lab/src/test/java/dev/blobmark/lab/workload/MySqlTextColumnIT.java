package dev.blobmark.lab.workload;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL, whose JSON is a type of its own. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlTextColumnIT extends TextColumnContract {

    MySqlTextColumnIT(OwnServer server) {
        super(server.endpoint(), false);
    }
}
