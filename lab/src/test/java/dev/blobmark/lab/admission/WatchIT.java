package dev.blobmark.lab.admission;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MariaDB. */
@Tag("long")
@ExtendWith(OneServer.class)
class WatchIT extends WatchContract {

    WatchIT(OwnServer server) {
        super(server);
    }
}
