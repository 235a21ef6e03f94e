package dev.blobmark.lab.admission;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlWatchIT extends WatchContract {

    MySqlWatchIT(OwnServer server) {
        super(server);
    }
}
