package dev.blobmark.lab.workload;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TextColumnIT extends TextColumnContract {

    TextColumnIT(OwnServer server) {
        super(server.endpoint(), true);
    }
}
