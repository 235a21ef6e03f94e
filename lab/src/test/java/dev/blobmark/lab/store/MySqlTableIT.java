package dev.blobmark.lab.store;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@Tag("long")
@ExtendWith(RealMySql.class)
class MySqlTableIT extends TableContract {

    MySqlTableIT(OwnServer server) {
        super(server.endpoint(), false);
    }

    @Override
    OwnServer open(ServerOptions options) {
        return (OwnServer) Servers.parse("mysqld:" + RealMySql.requireBase()).open(OneServer.CACHE, options);
    }
}
