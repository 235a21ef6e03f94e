package dev.blobmark.lab.guest;

import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.server.EmbeddedServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MariaDB. */
@Tag("long")
@ExtendWith(OneServer.class)
class InspectionTest extends InspectionContract {

    InspectionTest(EmbeddedServer server) {
        super(server);
    }
}
