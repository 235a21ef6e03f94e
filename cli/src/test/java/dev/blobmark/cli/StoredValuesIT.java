package dev.blobmark.cli;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;

/** A look into a column of a MariaDB. */
class StoredValuesIT extends StoredValuesContract {

    @Override
    OwnServer start() throws Exception {
        return OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
    }
}
