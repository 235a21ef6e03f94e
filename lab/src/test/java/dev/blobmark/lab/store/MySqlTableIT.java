package dev.blobmark.lab.store;

import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.RealMySql;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Servers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlTableIT extends TableContract {

    MySqlTableIT(EmbeddedServer server) {
        super(server.endpoint(), false);
    }

    @Override
    EmbeddedServer open(EmbeddedServer.Options options) {
        return (EmbeddedServer)
                Servers.parse("mysqld:" + RealMySql.requireBase()).open(OneServer.CACHE, options);
    }
}
