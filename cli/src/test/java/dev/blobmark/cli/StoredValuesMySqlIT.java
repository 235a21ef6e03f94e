package dev.blobmark.cli;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.util.Map;

/** A look into a column of a real MySQL. */
class StoredValuesMySqlIT extends StoredValuesContract {

    @Override
    OwnServer start() throws Exception {
        return (OwnServer) Servers.parse("mysqld:" + UsersServer.requireMySql())
                .open(
                        BlobmarkProcess.CACHE,
                        ServerOptions.of(64 << 20)
                                .with(Map.of("innodb_redo_log_capacity", Integer.toString(64 << 20))));
    }
}
