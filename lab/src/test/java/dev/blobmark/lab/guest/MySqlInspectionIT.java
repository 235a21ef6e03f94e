package dev.blobmark.lab.guest;

import dev.blobmark.lab.RealMySql;
import dev.blobmark.lab.server.EmbeddedServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlInspectionIT extends InspectionContract {

    MySqlInspectionIT(EmbeddedServer server) {
        super(server);
    }
}
